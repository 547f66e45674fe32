import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { resolveAlias } from '../../../src/domain/config/resolveAlias.ts';
import { readConfigTree } from '../../../src/infrastructure/config/configTree.ts';

const run = promisify(execFile);
const localUser = os.userInfo().username;

const name = fc.constantFrom('web', 'db', 'a.b', 'web2', 'gate');
/** Not `gate`, through which a jump would be a loop. */
const asked = fc.constantFrom('web', 'db', 'a.b', 'web2', 'unheard-of');
const pattern = fc.oneof(name, fc.constantFrom('*', 'w*', '?b', '!web', '!d?', '*.b', 'web?'));
const quoted = (value: string): string => (/[ #]/.test(value) ? `"${value}"` : value);

// LocalForward to a socket is left out: OpenSSH 9.2 prints it as a DynamicForward as well.
const setting = fc.oneof(
  fc.tuple(
    fc.constant('HostName'),
    fc.constantFrom('192.0.2.7', 'x.example.com', '%h.example.com', '127.1', '::0001', 'W%%x'),
  ),
  fc.tuple(fc.constantFrom('User', 'user', 'USER'), fc.constantFrom('alice', 'bob', 'b c', 'a#b')),
  fc.tuple(fc.constant('Port'), fc.constantFrom('22', '2222', '65535')),
  fc.tuple(fc.constant('IdentityFile'), fc.constantFrom('~/.ssh/a', '/k/b c', '~/.ssh/%r@%h', 'none')),
  fc.tuple(fc.constant('CertificateFile'), fc.constantFrom('~/.ssh/a-cert.pub', '/k/c')),
  fc.tuple(fc.constant('SendEnv'), fc.constantFrom('A', 'B C', 'LC_*')),
  fc.tuple(fc.constant('SetEnv'), fc.constantFrom('A=1', 'B=2 C=3')),
  fc.tuple(fc.constant('LocalForward'), fc.constantFrom('8080 localhost:80', '[::1]:81 [2001:db8::1]:82')),
  fc.tuple(fc.constant('DynamicForward'), fc.constantFrom('1080', 'h:1081')),
  fc.tuple(fc.constant('ProxyJump'), fc.constantFrom('gate', 'u@gate:22,b', 'none')),
  fc.tuple(fc.constant('ProxyCommand'), fc.constantFrom('nc %h %p', '"a b" "c" # keep', 'none')),
  fc.tuple(fc.constant('IdentitiesOnly'), fc.constantFrom('yes', 'no', 'true', 'False')),
  fc.tuple(fc.constant('StrictHostKeyChecking'), fc.constantFrom('yes', 'no', 'ask', 'accept-new', 'off')),
  fc.tuple(fc.constant('ConnectTimeout'), fc.constantFrom('5', '1m', '1h30m')),
  fc.tuple(fc.constant('ServerAliveInterval'), fc.constantFrom('15', '2m')),
  fc.tuple(fc.constant('ServerAliveCountMax'), fc.constantFrom('4', '07')),
  fc.tuple(fc.constant('HostKeyAlias'), fc.constantFrom('key.example.com', 'Key')),
  fc.tuple(fc.constant('UserKnownHostsFile'), fc.constantFrom('/k/one /k/two', '/k/three')),
  fc.tuple(fc.constant('PreferredAuthentications'), fc.constantFrom('password,publickey', 'publickey')),
);

const settingLine = fc
  .tuple(
    setting,
    fc.constantFrom(' ', '\t', '=', ' = ', '\t  '),
    fc.constantFrom('', '  ', '\t', ' # c'),
    fc.constantFrom('', '\t'),
  )
  .map(([[keyword, value], between, behind, before]) => {
    const plain = ['ProxyCommand', 'SendEnv', 'SetEnv', 'LocalForward', 'UserKnownHostsFile'].includes(
      keyword,
    );
    const tail = keyword === 'ProxyCommand' && behind === ' # c' ? '' : behind;
    return `${before}${keyword}${between}${plain ? value : quoted(value)}${tail}`;
  });

const criterion = fc.oneof(
  fc.tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('host', 'originalhost'),
    fc.constantFrom('web', 'w*,!web2', '*.example.com', 'DB'),
  ),
  fc.tuple(
    fc.constantFrom('', '!'),
    fc.constantFrom('user', 'localuser'),
    fc.constantFrom('alice', localUser, 'b*'),
  ),
);
const blockLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(pattern, { minLength: 1, maxLength: 3 }).map((list) => `Host ${list.join(' ')}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('', 'final ', '!final '), fc.array(criterion, { minLength: 1, maxLength: 2 }))
      .map(
        ([pass, list]) =>
          `Match ${pass}${list.map(([not, kind, value]) => `${not}${kind} ${value}`).join(' ')}`,
      ),
  },
  { weight: 1, arbitrary: fc.constantFrom('Match all', 'Match final all', 'Match !all') },
);
const lines = fc
  .array(fc.oneof({ weight: 4, arbitrary: settingLine }, { weight: 2, arbitrary: blockLine }), {
    maxLength: 14,
  })
  .chain((list) => fc.constantFrom('\n', '\r\n').map((end) => list.map((line) => line + end)));

/** Spellings that mean the same; which one `ssh` prints depends on the keyword. */
const sameFlag = (value: string): string =>
  ({ true: 'yes', false: 'no', off: 'no' })[value.toLowerCase()] ?? value;

/** `ssh -G` prints a jump or command of `none` as if it were not there. */
const isPrinted = (keyword: string, values: readonly string[]): boolean =>
  !((keyword === 'proxyjump' || keyword === 'proxycommand') && values[0]?.toLowerCase() === 'none');

describe('our own reading of an OpenSSH configuration', () => {
  let folder: string;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-config-'));
  });
  after(() => fs.rm(folder, { recursive: true }));

  it('gives what ssh -G gives, for generated files with includes, Match blocks and odd spelling', async function () {
    this.timeout(120_000);
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(lines, lines, fc.nat(14)),
        asked,
        async ([main, included, includeAt], alias) => {
          const file = path.join(folder, `config-${(cases++).toString()}`);
          const include = path.join(folder, `${path.basename(file)}.inc`);
          const text = [...main];
          text.splice(Math.min(includeAt, text.length), 0, `Include ${path.join(folder, '*.inc')}\n`);
          await fs.writeFile(file, text.join(''));
          await fs.writeFile(include, included.join(''));
          try {
            const { stdout } = await run('ssh', ['-G', '-F', file, '--', alias], {
              env: { PATH: process.env['PATH'], LC_ALL: 'C' },
            });
            const printed = new Map<string, string[]>();
            for (const line of stdout.split('\n').filter(Boolean)) {
              const [keyword = '', ...rest] = line.split(' ');
              printed.set(keyword, [...(printed.get(keyword) ?? []), rest.join(' ')]);
            }
            const root = { path: file, includeDirectory: folder, isRequired: true };
            const { config } = await readConfigTree([root], os.homedir());
            assert.deepEqual(config.problems, []);
            const own = resolveAlias(config, { alias, localUser });
            assert.deepEqual(
              { host: own.hostName, port: String(own.port), user: own.user },
              {
                host: printed.get('hostname')?.[0],
                port: printed.get('port')?.[0],
                user: printed.get('user')?.[0],
              },
            );
            for (const [keyword, values] of own.values) {
              if (keyword === 'hostname' || !isPrinted(keyword, values)) continue;
              const expected = printed.get(keyword) ?? [];
              const mine = keyword === 'userknownhostsfile' ? [values.join(' ')] : values;
              assert.deepEqual(mine.map(sameFlag), expected.map(sameFlag), keyword);
            }
            for (const keyword of ['proxyjump', 'proxycommand'])
              if (printed.has(keyword)) assert.ok(own.values.has(keyword), keyword);
          } finally {
            await Promise.all([fs.rm(file), fs.rm(include)]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
