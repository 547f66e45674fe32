import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { isMixedContent } from '../../../src/domain/files/mixedContent.ts';
import { ownServer, type SftpPacket } from '../../lab/scriptedSftp.ts';
import { run } from '../../lab/run.ts';
import { never } from '../ssh/sshBench.ts';
import { changeIn, SaveBench, serverScripts } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

const child = fileURLToPath(new URL('./children/savingChild.ts', import.meta.url));
const old = patterned(40_000);
const content = Buffer.concat([Buffer.from('new'), patterned(70_000)]);

/**
 * R2: the process that saves is killed in front of each kind of request that changes something. What it was saving is on this machine, and
 * the next start finds it and ends it.
 */
describe('R2: a window that is killed while it saves', function () {
  this.timeout(300_000);
  let bench: SaveBench;
  afterEach(() => bench.dispose());

  const ways = [
    { name: 'a replaced file', script: 'full', isInPlace: false },
    { name: 'a file that is replaced in two steps', script: 'bare', isInPlace: false },
    { name: 'a file in place', script: 'full', isInPlace: true },
  ] as const;

  for (const { name, script, isInPlace } of ways)
    it(`${name}: loses nothing, and the next start ends it`, async () => {
      const start = (): SaveBench => {
        bench = new SaveBench(async () => ownServer());
        fs.writeFileSync(bench.at('file'), old);
        if (isInPlace) fs.linkSync(bench.at('file'), bench.at('other'));
        return bench;
      };
      start();
      const usual = bench.files([serverScripts[script]]);
      assert.equal(
        (await bench.window().save(bench.request('file', content, { files: usual }), never)).k,
        'saved',
      );
      const names = bench.names();
      const points = firstChanges(usual.sessions[0] ?? []);
      assert.ok(points.length >= 6, `${String(points.length)} kinds of requests`);
      bench.dispose();
      for (const at of points) {
        start();
        const source = `${bench.folder}/content`;
        fs.writeFileSync(source, content);
        const words = [child, bench.kept, bench.host, bench.at('file'), source, script, String(at)];
        const result = await run(process.execPath, words);
        assert.equal(result.status, undefined, `killed, not ended: ${result.stderr}`);
        assertNothingLost(isInPlace);
        const next = bench.window();
        const [kept, ...more] = await next.kept();
        if (kept === undefined) assert.fail('it is offered');
        assert.deepEqual(more, []);
        assert.ok(Buffer.from(await next.keptContent(kept.id)).equals(content));
        const ended = await next.retry({ id: kept.id, files: bench.files([serverScripts[script]]) }, never);
        assert.equal(ended.k, 'saved', `request ${String(at)}`);
        assert.ok(bench.read('file')?.equals(content));
        assert.deepEqual([bench.names(), await next.kept()], [names, []]);
        bench.dispose();
      }
    });

  function assertNothingLost(isInPlace: boolean): void {
    const now = bench.read('file');
    if (now?.equals(content) === true || now?.equals(old) === true) return;
    assert.ok(
      bench.names().some((one) => one.endsWith('.old') && bench.read(one)?.equals(old)),
      'the old content is beside it',
    );
    if (now !== undefined) assert.ok(isInPlace && isMixedContent(now, old, content));
  }
});

/** The first request of each kind that may change something, and every rename. */
function firstChanges(requests: readonly SftpPacket[]): readonly number[] {
  const kinds = new Set<string>();
  return requests.flatMap((request, at) => {
    const kind = changeIn(request);
    if (kind === undefined || kinds.has(kind)) return [];
    if (!kind.startsWith('rename')) kinds.add(kind);
    return [at];
  });
}
