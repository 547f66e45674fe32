import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { parseKnownHosts } from '../../../src/domain/trust/parseKnownHosts.ts';
import { isKeptFor } from '../../../src/domain/trust/trustRecord.ts';
import { generateKey } from '../../lab/sshKey.ts';

const name = fc.constantFrom(
  'web',
  'db',
  '192.0.2.1',
  '[web]:2222',
  '[192.0.2.1]:22',
  'web.example.com',
  '2001:db8::1',
);
const field = fc.oneof(
  fc
    .array(
      fc.oneof(
        name,
        fc.constantFrom('*', 'w*', '?b', '!web', '*.example.com', '[*]:2222', '[web]:*', 'WEB', ''),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((list) => list.join(',')),
  fc.tuple(name, fc.uint8Array({ minLength: 20, maxLength: 20 })).map(([text, salt]) => {
    const digest = createHmac('sha1', salt).update(text).digest('base64');
    return `|1|${Buffer.from(salt).toString('base64')}|${digest}`;
  }),
  fc.constantFrom('|1|AAAA|BBBB', '|2|x|y'),
);

describe('the names of known_hosts lines', () => {
  let folder: string;
  let publicLine: string;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-known-'));
    publicLine = (await generateKey(path.join(folder, 'key'))).publicLine;
  });
  after(() => fs.rm(folder, { recursive: true }));

  it('match exactly the lines that ssh-keygen -F finds', async function () {
    this.timeout(120_000);
    const file = path.join(folder, 'known_hosts');
    const line = fc
      .tuple(
        fc.constantFrom('', '@revoked ', '@cert-authority '),
        field,
        fc.constantFrom('', ' comment', '\t# c'),
      )
      .map(([marker, names, tail]) => `${marker}${names}`.concat(' ', publicLine, tail));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(line, fc.constantFrom('# note', '')), { maxLength: 8 }),
        name,
        async (lines, asked) => {
          const text = `${lines.join('\n')}\n`;
          await fs.writeFile(file, text);
          const stdout = await find(asked, file);
          const expected = [...stdout.matchAll(/found: line (\d+)/g)].map((match) => Number(match[1]));
          const mine = parseKnownHosts(file, text).records.filter((record) => isKeptFor(record, asked));
          assert.deepEqual(
            mine.map((record) => record.line),
            expected,
          );
        },
      ),
      { numRuns: 120 },
    );
  });
});

/** Its status is 1 when nothing is found. */
function find(asked: string, file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('ssh-keygen', ['-F', asked, '-f', file], (_error, stdout) => resolve(stdout));
  });
}
