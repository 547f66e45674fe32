import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, describe, it } from 'mocha';
import { currentAccount } from '../../lab/account.ts';
import { status, type SftpScript } from '../../lab/scriptedSftp.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { SaveBench, serverScripts } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

/** Source: draft-ietf-secsh-filexfer-02 section 7; code 14 as later drafts have it. */
const codes = { 'no such file': 2, denied: 3, failure: 4, unsupported: 8, 'no space': 14 };
const old = patterned(40_000);
const content = Buffer.concat([Buffer.from('new'), patterned(70_000)]);

const ways: readonly (readonly [string, SftpScript, (bench: SaveBench) => void])[] = [
  ['a replaced file', serverScripts.full, () => {}],
  ['a file that is replaced in two steps', serverScripts.bare, () => {}],
  ['a file in place', serverScripts.full, (bench) => fs.linkSync(bench.at('file'), bench.at('other'))],
];

/** Each request of a save is refused once with each code. The save ends with the new content or with exactly the old one, and leaves nothing. */
describe('a save that the server refuses something', function () {
  this.timeout(180_000);
  let server: Sshd;
  let connection: FilesBench;
  let bench: SaveBench;
  before(async () => {
    server = await startServer({ account: currentAccount() });
    connection = await FilesBench.open(targetOf(server));
  });
  after(async () => {
    await connection.dispose();
    await server.stop();
  });
  afterEach(() => bench.dispose());

  for (const [name, script, prepare] of ways)
    for (const [said, code] of Object.entries(codes))
      it(`${name}: "${said}" leaves the old or the new content`, async () => {
        for (let refused = 1, isReached = true; isReached; refused++) {
          bench = SaveBench.over(connection.transport);
          fs.writeFileSync(bench.at('file'), old);
          prepare(bench);
          const before = bench.names();
          let seen = 0;
          const files = bench.files([
            {
              ...script,
              onRequest: (request, answer) => {
                if (seen++ !== refused) return request;
                answer(status(request.id, code));
                return undefined;
              },
            },
          ]);
          const outcome = await bench.window().save(bench.request('file', content, { files }), never);
          const at = `request ${String(refused)}: ${'fault' in outcome ? JSON.stringify(outcome.fault) : outcome.k}`;
          isReached = seen > refused;
          const isNew = outcome.k === 'saved';
          assert.ok(isNew || outcome.k === 'failed' || outcome.k === 'conflict', at);
          assert.ok(bench.read('file')?.equals(isNew ? content : old), at);
          // Who is told that a file is not there does not remove it.
          const mayBeLeft = isNew && (said === 'no such file' || outcome.warnings.includes('leftover'));
          if (!mayBeLeft) assert.deepEqual(bench.names(), before, at);
          assert.equal((await bench.window().kept()).length, isNew ? 0 : 1, at);
          bench.dispose();
        }
      });
});
