import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  DiscardRequest,
  ExistingPolicy,
  FileOutcome,
} from '../../../src/application/transfer/engine/transfer.ts';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import { status, withoutExtensions, type SftpPacket, type SftpScript } from '../../lab/scriptedSftp.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { digest, never, TransferBench } from './transferBench.ts';

/** Source: draft-ietf-secsh-filexfer-02 section 3. */
const plain = { remove: 13, rename: 18 } as const;

/** What a server without extensions is asked for behind the attempt to replace the file at once. */
const steps = ['the old one gets another name', 'the new one takes its place', 'the old one goes'] as const;
type Step = (typeof steps)[number];

/** Tells the step of a request; one for each channel. */
function stepsOfChannel(): (request: SftpPacket) => Step | undefined {
  const renames: number[] = [];
  return ({ type, id }) => {
    if (type === plain.remove) return 'the old one goes';
    if (type !== plain.rename) return undefined;
    if (!renames.includes(id)) renames.push(id);
    return ([undefined, ...steps] as const)[renames.indexOf(id)];
  };
}

describe('a file that takes the place of another on a server that cannot do so in one step', () => {
  let bench: TransferBench;
  beforeEach(() => {
    bench = new TransferBench();
    writeFileSync(path.join(bench.remote, 'file'), 'old');
  });
  afterEach(() => bench.dispose());

  const bare: SftpScript = { onReply: (reply) => [withoutExtensions(reply)] };

  function send(
    script: SftpScript,
    existing: ExistingPolicy = 'overwrite',
    signal = never,
  ): Promise<FileOutcome> {
    return bench.engine.file({ from: bench.here('file'), to: bench.there('file', script), existing }, signal);
  }

  /** Digests of what is beside the target and in it, without the names. */
  const held = (): readonly string[] =>
    readdirSync(bench.remote).map((name) => digest(readFileSync(path.join(bench.remote, name))));
  const target = (): string => digest(readFileSync(path.join(bench.remote, 'file')));

  for (const [kind, content] of [
    ['small', Buffer.from('new')],
    ['large', patterned(blockBytes + 1)],
  ] as const)
    for (const step of steps)
      for (const side of ['request', 'answer'] as const)
        it(`${kind}, with a link that dies at the ${side} when ${step}, is whole after the next transfer`, async () => {
          writeFileSync(path.join(bench.local, 'file'), content);
          await send(dyingAt(step, side)).catch(() => {});
          const left = held();
          assert.ok(left.includes(digest(Buffer.from('old'))) || target() === digest(content));
          const outcome = await send(bare);
          assert.equal(outcome.k, 'done');
          assert.deepEqual([readdirSync(bench.remote), target()], [['file'], digest(content)]);
          assert.deepEqual(readdirSync(bench.journals), []);
        });

  it('gets the old one back first, which the next transfer may leave', async () => {
    writeFileSync(path.join(bench.local, 'file'), 'new');
    await assert.rejects(send(dyingAt('the new one takes its place', 'request')));
    assert.equal(readdirSync(bench.remote).includes('file'), false);
    const outcome = await send(bare, 'skip');
    assert.deepEqual([outcome.k, target()], ['skipped', digest(Buffer.from('old'))]);
    assert.ok(!readdirSync(bench.remote).some((name) => name.endsWith('.old')));
  });

  for (const side of ['request', 'answer'] as const)
    it(`gets the old one back, or is in place, when it is given up after a link that died at the ${side}`, async () => {
      writeFileSync(path.join(bench.local, 'file'), 'new');
      await assert.rejects(send(dyingAt('the new one takes its place', side)));
      await bench.engine.discard(
        { kind: 'file', from: bench.here('file'), to: bench.there('file', bare) },
        never,
      );
      const held = side === 'request' ? 'old' : 'new';
      assert.deepEqual([readdirSync(bench.remote), target()], [['file'], digest(Buffer.from(held))]);
      assert.deepEqual(readdirSync(bench.journals), []);
    });

  it('gets the old one back when the folder that it is in is given up', async () => {
    for (const side of [bench.local, bench.remote]) mkdirSync(path.join(side, 'folder'));
    writeFileSync(path.join(bench.local, 'folder', 'file'), 'new');
    writeFileSync(path.join(bench.remote, 'folder', 'file'), 'old');
    const ends = (script: SftpScript): Pick<DiscardRequest, 'from' | 'to'> => ({
      from: bench.here('folder'),
      to: bench.there('folder', script),
    });
    const script = dyingAt('the new one takes its place', 'request');
    await assert.rejects(bench.engine.folder({ ...ends(script), existing: 'overwrite' }, never));
    const there = path.join(bench.remote, 'folder');
    assert.equal(readdirSync(there).includes('file'), false);
    await bench.engine.discard({ kind: 'folder', ...ends(bare) }, never);
    assert.deepEqual(readdirSync(there), ['file']);
    assert.equal(readFileSync(path.join(there, 'file'), 'utf8'), 'old');
    assert.deepEqual(readdirSync(bench.journals), []);
  });

  it('leaves what somebody else has put there meanwhile, and the old one too', async () => {
    writeFileSync(path.join(bench.local, 'file'), 'new');
    await assert.rejects(send(dyingAt('the new one takes its place', 'request')));
    writeFileSync(path.join(bench.remote, 'file'), 'theirs');
    const outcome = await send(bare, 'skip');
    assert.deepEqual(
      [outcome.k, readFileSync(path.join(bench.remote, 'file'), 'utf8')],
      ['skipped', 'theirs'],
    );
    assert.ok(held().includes(digest(Buffer.from('old'))));
  });

  it('is in place although the person stops in between', async () => {
    writeFileSync(path.join(bench.local, 'file'), 'new');
    const stop = new AbortController();
    const stepOf = stepsOfChannel();
    const script: SftpScript = {
      ...bare,
      onRequest: (request) => {
        if (stepOf(request) === 'the new one takes its place') stop.abort();
        return request;
      },
    };
    await send(script, 'overwrite', stop.signal).catch(() => {});
    assert.ok(stop.signal.aborted);
    assert.deepEqual([readdirSync(bench.remote), target()], [['file'], digest(Buffer.from('new'))]);
  });

  for (const step of steps.slice(0, 2))
    it(`is put in order when the server says that it could not when ${step}, and could`, async () => {
      writeFileSync(path.join(bench.local, 'file'), 'new');
      let hasLied = false;
      const stepOf = stepsOfChannel();
      const script: SftpScript = {
        onReply: (reply, request) => {
          const isIt = stepOf(request) === step && !hasLied;
          hasLied ||= isIt;
          return isIt ? [status(reply.id, 4)] : [withoutExtensions(reply)];
        },
      };
      const end = await send(script).then(
        () => 'new',
        () => 'old',
      );
      assert.deepEqual([readdirSync(bench.remote), target()], [['file'], digest(Buffer.from(end))]);
      assert.ok(hasLied);
    });

  /** The link dies in front of the request of a step, or of its answer. */
  function dyingAt(step: Step, side: 'request' | 'answer'): SftpScript {
    const stepOf = stepsOfChannel();
    const die = (): void => bench.servers.at(-1)?.stop();
    return {
      onRequest: (request) => {
        if (stepOf(request) !== step || side !== 'request') return request;
        die();
        return undefined;
      },
      onReply: (reply, request) => {
        if (stepOf(request) !== step || side !== 'answer') return [withoutExtensions(reply)];
        die();
        return [];
      },
    };
  }
});
