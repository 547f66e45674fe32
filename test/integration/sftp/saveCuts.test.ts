import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, describe, it } from 'mocha';
import type { SaveOutcome, SaveRequest } from '../../../src/application/files/save/fileSaving.ts';
import { isMixedContent } from '../../../src/domain/files/mixedContent.ts';
import { currentAccount } from '../../lab/account.ts';
import type { SftpPacket, SftpScript } from '../../lab/scriptedSftp.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { changeIn, SaveBench, serverScripts, type Cut } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

interface Way {
  readonly name: string;
  readonly script: SftpScript;
  readonly old: Buffer | undefined;
  readonly content: Buffer;
  readonly change?: Partial<SaveRequest>;
  readonly prepare?: (bench: SaveBench) => void;
  /** What is beside the target at the end, other than the backup that was asked for. */
  readonly beside?: readonly string[];
}

/** Several requests of 32 KiB each. */
const old = patterned(40_000);
const longer = Buffer.concat([Buffer.from('new'), patterned(70_000)]);
const shorter = Buffer.concat([Buffer.from('new'), patterned(35_000)]);
const { full, bare } = serverScripts;
const secondName = (bench: SaveBench): void => fs.linkSync(bench.at('file'), bench.at('other'));

const ways: readonly Way[] = [
  { name: 'a new file', script: full, old: undefined, content: shorter },
  { name: 'a replaced file', script: full, old, content: longer },
  {
    name: 'a replaced file with a backup',
    script: full,
    old,
    content: shorter,
    change: { keepBackup: true },
  },
  {
    name: 'a file that is replaced in two steps',
    script: bare,
    old,
    content: shorter,
  },
  {
    name: 'a longer file in place',
    script: full,
    old,
    content: longer,
    prepare: secondName,
    beside: ['other'],
  },
  {
    name: 'a shorter file in place',
    script: full,
    old,
    content: shorter,
    prepare: secondName,
    beside: ['other'],
  },
  {
    name: 'a file in place, without extensions',
    script: bare,
    old,
    content: shorter,
    prepare: secondName,
    beside: ['other'],
  },
];

/**
 * R2: the link is cut at each request of a save and at each answer to one that changes something. The server holds the old or the new content, or while the file is written
 * in place a whole copy of the old one; the content stays on this machine, and the next start ends the save.
 */
describe('SFTP-17, R2: a save whose link is cut', function () {
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

  function start(way: Way): SaveBench {
    bench = SaveBench.over(connection.transport);
    if (way.old !== undefined) fs.writeFileSync(bench.at('file'), way.old);
    way.prepare?.(bench);
    return bench;
  }

  /** What a save sends when nothing happens. */
  async function requestsOf(way: Way): Promise<readonly SftpPacket[]> {
    start(way);
    const files = bench.files([way.script]);
    const outcome = await bench
      .window()
      .save(bench.request('file', way.content, { ...way.change, files }), never);
    assert.equal(outcome.k, 'saved', shown(outcome));
    assertSaved(way);
    bench.dispose();
    return files.sessions[0] ?? [];
  }

  function assertSaved(way: Way): void {
    assert.ok(bench.read('file')?.equals(way.content), 'the new content');
    const others = bench.names().filter((name) => name !== 'file');
    const backups = others.filter((name) => name.endsWith('.old'));
    assert.equal(backups.length, way.change?.keepBackup === true ? 1 : 0);
    for (const backup of backups) assert.ok(way.old !== undefined && bench.read(backup)?.equals(way.old));
    assert.deepEqual(
      others.filter((name) => !backups.includes(name)),
      way.beside ?? [],
    );
  }

  /** What must hold whenever nobody can reach the server any more. */
  function assertNothingLost(way: Way): void {
    const now = bench.read('file');
    const others = bench.names().filter((name) => name.endsWith('.old'));
    const isOldBeside = others.some((name) => way.old !== undefined && bench.read(name)?.equals(way.old));
    if (now === undefined)
      return assert.ok(way.old === undefined || isOldBeside, 'the old content is beside it');
    if (now.equals(way.content) || way.old?.equals(now) === true) return;
    assert.ok(
      way.beside !== undefined && isOldBeside,
      'only in place it may hold neither, beside a whole backup',
    );
    assert.ok(isMixedContent(now, way.old ?? Buffer.alloc(0), way.content));
  }

  for (const way of ways) {
    it(`${way.name}: nothing is lost, and the next start ends it`, async () => {
      const requests = await requestsOf(way);
      const count = requests.length;
      assert.ok(count > 10, `${String(count)} requests`);
      for (const cut of cutsOf(requests)) {
        start(way);
        const files = bench.files([{ ...way.script, cut }]);
        const request = bench.request('file', way.content, { ...way.change, files });
        const outcome = await bench.window().save(request, never);
        assertNothingLost(way);
        const next = bench.window();
        const kept = await next.kept();
        const at = `${cut.side} ${String(cut.at)} of ${String(count)}: ${outcome.k}`;
        if (outcome.k === 'saved') {
          assert.deepEqual([kept, bench.read('file')?.equals(way.content)], [[], true], at);
        } else {
          assert.deepEqual(
            kept.map(({ id }) => id),
            ['kept' in outcome ? outcome.kept : ''],
            at,
          );
          assert.ok(Buffer.from(await next.keptContent(kept[0]?.id ?? '')).equals(way.content), at);
          const plain = bench.files([way.script]);
          const again = await next.retry({ id: kept[0]?.id ?? '', files: plain }, never);
          assert.equal(again.k, 'saved', at);
          assertSaved(way);
          assert.deepEqual(await next.kept(), [], at);
        }
        bench.dispose();
      }
    });

    it(`${way.name}: over a new channel it goes on by itself`, async () => {
      const count = (await requestsOf(way)).length;
      for (let at = 0; at < count; at++) {
        const cut = { at, side: 'answer' } as const;
        start(way);
        const files = bench.files([{ ...way.script, cut }, way.script]);
        const request = bench.request('file', way.content, { ...way.change, files });
        const outcome = await bench.window().save(request, never);
        if (files.sessions.length === 1) continue; // it was opening, or had ended
        assert.equal(outcome.k, 'saved', `answer ${String(at)} of ${String(count)}: ${shown(outcome)}`);
        assertSaved(way);
        assert.deepEqual(await bench.window().kept(), []);
        bench.dispose();
      }
    });
  }
});

/** Each request, and each answer to one that may have changed something: the loss of any other is that of the next request. */
function cutsOf(requests: readonly SftpPacket[]): readonly Cut[] {
  return requests.flatMap((request, at) => [
    { at, side: 'request' } as const,
    ...(changeIn(request) === undefined ? [] : [{ at, side: 'answer' } as const]),
  ]);
}

function shown(outcome: SaveOutcome): string {
  return 'fault' in outcome ? JSON.stringify(outcome.fault) : outcome.k;
}
