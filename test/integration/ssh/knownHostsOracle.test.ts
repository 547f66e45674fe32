import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { actOnTrust, decideTrust } from '../../../src/domain/trust/decideTrust.ts';
import { keyTypeOf } from '../../../src/domain/trust/hostKey.ts';
import { parseKnownHosts } from '../../../src/domain/trust/parseKnownHosts.ts';
import { serverHostKeyOrder } from '../../../src/domain/trust/serverHostKeyOrder.ts';
import { isKeptFor, type TrustName, type TrustSource } from '../../../src/domain/trust/trustRecord.ts';
import { run } from '../../lab/run.ts';
import { generateKey } from '../../lab/sshKey.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { startServer } from './sshBench.ts';

/** Files of generated lines; more with `TERMIND_KNOWN_HOSTS_CASES`, and a tenth of them against a real server. */
const cases = Number(process.env['TERMIND_KNOWN_HOSTS_CASES'] ?? 60);

/** The pieces that names of a line are made of: `names` as they stand, and patterns that may match them. */
function namesField(names: readonly string[], patterns: readonly string[]): fc.Arbitrary<string> {
  const listed = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(...names).map((name) => name.toUpperCase()),
    fc.constantFrom(...names).map((name) => `!${name}`),
    fc.constantFrom(...patterns),
  );
  const hashed = fc
    .tuple(fc.constantFrom(...names), fc.uint8Array({ minLength: 20, maxLength: 20 }))
    .map(([name, salt]) => {
      const digest = createHmac('sha1', salt).update(name).digest('base64');
      return `|1|${Buffer.from(salt).toString('base64')}|${digest}`;
    });
  const damaged = fc.constantFrom('|1|AAAA|BBBB', '|2|x|y', '|1|', '|1|AAAA', ',', ',,');
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(listed, { minLength: 1, maxLength: 4 }).map((list) => list.join(',')) },
    { weight: 3, arbitrary: hashed },
    { weight: 1, arbitrary: damaged },
  );
}

/** Lines with these keys (`type base64`), some of them broken in one of many ways. */
function fileText(field: fc.Arbitrary<string>, keys: readonly string[]): fc.Arbitrary<string> {
  const key = fc.constantFrom(...keys);
  const brokenKey = key.chain((text) =>
    fc.constantFrom(
      text.slice(0, -1),
      text.replace(' ', ' x'),
      text.replace(/^\S+/, 'ssh-nothing'),
      text.replace(/ .*/, ''),
      text.replace(/ .*/, ' AAAA'),
      text.replace(/^\S+ /, ''),
      '1024 35 1234567890',
      '',
    ),
  );
  const space = fc.constantFrom(' ', ' ', '  ', '\t', ' \t ');
  const line = fc
    .tuple(
      fc.constantFrom('', '', '', ' ', '\t'),
      fc.constantFrom(
        '',
        '',
        '',
        '@revoked ',
        '@cert-authority ',
        '@cert-authority\t',
        '@other ',
        '@revoked',
      ),
      field,
      space,
      fc.oneof({ weight: 5, arbitrary: key }, { weight: 1, arbitrary: brokenKey }),
      fc.constantFrom('', ' comment', '\t# c', ' a b c', ' '),
    )
    .map((parts) => parts.join(''));
  const other = fc.constantFrom('# note', '', '   ', '#', 'nothing', '\u00e9 \u00e9 \u00e9');
  return fc
    .tuple(
      fc.array(fc.oneof({ weight: 8, arbitrary: line }, { weight: 1, arbitrary: other }), { maxLength: 24 }),
      fc.constantFrom('\n', '\n', '\r\n'),
      fc.boolean(),
    )
    .map(([lines, end, isEnded]) => lines.join(end) + (isEnded ? end : ''));
}

describe('generated known_hosts files', function () {
  this.timeout(120_000 + cases * 1_000);
  let folder: string;
  let file: string;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-known-'));
    file = path.join(folder, 'known_hosts');
  });
  after(() => fs.rm(folder, { recursive: true }));

  it('match exactly the lines that ssh-keygen -F finds', async () => {
    const keys = await Promise.all(
      (['ed25519', 'rsa', 'ecdsa'] as const).map(async (type) =>
        keyOf((await generateKey(path.join(folder, type), { type })).publicLine),
      ),
    );
    const names = [
      'web',
      'db',
      '192.0.2.1',
      '[web]:2222',
      '[192.0.2.1]:22',
      'web.example.com',
      '2001:db8::1',
    ];
    const patterns = ['*', 'w*', '?b', '*.example.com', '[*]:2222', '[web]:*', '!*', '', '[web]', 'w??'];
    await fc.assert(
      fc.asyncProperty(
        fileText(namesField(names, patterns), keys),
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 4 }),
        async (text, asked) => {
          await fs.writeFile(file, text);
          const { records } = parseKnownHosts(file, text);
          for (const name of asked) {
            const { stdout } = await run('ssh-keygen', ['-l', '-F', name, '-f', file]);
            const expected = [...stdout.matchAll(/found: line (\d+)/g)].map((match) => Number(match[1]));
            const mine = records.filter((record) => isKeptFor(record, name)).map((record) => record.line);
            assert.deepEqual(mine, expected, name);
          }
        },
      ),
      { numRuns: cases },
    );
  });

  describe('and a real server', () => {
    let server: Sshd;
    let keys: readonly string[];
    before(async () => {
      server = await startServer({ hostKeys: ['ed25519', 'rsa'] });
      const strangers = await Promise.all([server.newKey(), server.newKey()]);
      keys = [...server.hostKeys, ...strangers].map((key) => keyOf(key.publicLine));
    });
    after(() => server.stop());

    it('are decided on as by ssh: it connects exactly where we do', async () => {
      const seen = { accept: 0, refuse: 0 };
      const port = String(server.port);
      const names = [server.host, `[${server.host}]:${port}`, 'alias', 'Alias', `[alias]:${port}`];
      const patterns = ['*', '127.*', `[*]:${port}`, 'a*', '!*', '?lias'];
      await fc.assert(
        fc.asyncProperty(
          fileText(namesField(names, patterns), keys),
          fc.constantFrom(undefined, 'alias', 'Alias'),
          async (text, alias) => {
            await fs.writeFile(file, text);
            const trust = { name: alias ?? server.host, isAlias: alias !== undefined, port: server.port };
            const { mine, algorithm } = decide(text, trust);
            seen[mine] += 1;
            assert.equal(mine, await decisionOfSsh(server, { file, alias, algorithm }));
          },
        ),
        { numRuns: Math.max(40, Math.floor(cases / 10)) },
      );
      assert.ok(seen.accept > 0 && seen.refuse > 0, JSON.stringify(seen));
    });

    /** With `StrictHostKeyChecking yes`, of the key that the server shows for the order that we ask for. */
    function decide(
      text: string,
      trust: TrustName,
    ): { readonly mine: 'accept' | 'refuse'; readonly algorithm: string } {
      const { records } = parseKnownHosts(file, text);
      const sources: readonly TrustSource[] = [{ kind: 'user-file', name: file, records }];
      const [algorithm = ''] = serverHostKeyOrder(trust, sources, ['ssh-ed25519', 'rsa-sha2-512']);
      const shown = server.hostKeys[algorithm === 'ssh-ed25519' ? 0 : 1];
      const blob = Buffer.from(shown?.publicLine.split(' ')[1] ?? '', 'base64');
      const decision = decideTrust(
        { keyType: keyTypeOf(blob) ?? '', blob },
        { trust, sources },
        { nowSeconds: 0n, verify: () => 'not-signed' },
      );
      return { mine: actOnTrust(decision, 'yes') === 'accept' ? 'accept' : 'refuse', algorithm };
    }
  });
});

/** Type and base64 of a public line, without the comment. */
function keyOf(publicLine: string): string {
  return publicLine.split(' ').slice(0, 2).join(' ');
}

/** Nobody signs in: what is said tells whether it came to that. `ssh` is shown the same key; it looks for less when it chooses one. */
async function decisionOfSsh(
  server: Sshd,
  {
    file,
    alias,
    algorithm,
  }: { readonly file: string; readonly alias: string | undefined; readonly algorithm: string },
): Promise<'accept' | 'refuse'> {
  const options = [
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${file}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'CheckHostIP=no',
    `HostKeyAlgorithms=${algorithm}`,
    'PreferredAuthentications=none',
    'BatchMode=yes',
    ...(alias === undefined ? [] : [`HostKeyAlias=${alias}`]),
  ];
  const args = ['-F', 'none', '-p', String(server.port), ...options.flatMap((option) => ['-o', option])];
  const { stderr } = await run('ssh', [...args, `${server.account.name}@${server.host}`, 'true']);
  if (/Permission denied/.test(stderr)) return 'accept';
  assert.match(stderr, /Host key verification failed/);
  return 'refuse';
}
