import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'mocha';
import type {
  FileOutcome,
  Place,
  TransferEngine,
} from '../../../src/application/transfer/engine/transfer.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { newEngine } from './engine.ts';
import { SshLine } from './sshLine.ts';

const mib = 2 ** 20;
/** `TERMIND_CUT_MIB=1024` is the size that quality.md R3 names; it takes a minute. */
const sizeMib = Number(process.env['TERMIND_CUT_MIB'] ?? 64);
const cuts = 10;
/**
 * Of one connection until it is cut: a share of the file, so small that ten of them are not all of it and so large that each holds a whole
 * block; for a download also what is read again to verify.
 */
const bytesUntilCut = {
  down: 10 * mib + Math.floor((sizeMib * mib) / 20),
  up: 2 * mib + Math.floor((sizeMib * mib) / 16),
} as const;

/** Source: quality.md R3. */
describe(`a transfer of ${String(sizeMib)} MiB over a line that is cut ${String(cuts)} times`, function () {
  this.timeout(600_000);
  let server: Sshd;
  let proxy: FaultProxy;
  let line: SshLine;
  let folder: string;
  let remoteFolder: string;
  let engine: TransferEngine;

  before(async () => {
    server = await startServer({});
    proxy = await startFaultProxy({ port: server.port });
    line = new SshLine({ ...targetOf(server), port: proxy.port });
    folder = await fs.mkdtemp(path.join(server.folder, 'cut-'));
    remoteFolder = path.join(server.account.home, `termind-cut-${randomUUID()}`);
    await fs.mkdir(remoteFolder);
    await fs.chown(remoteFolder, server.account.uid, server.account.gid);
    engine = newEngine(folder);
  });
  after(async () => {
    await line.dispose();
    await proxy.stop();
    await fs.rm(remoteFolder, { recursive: true, force: true });
    await server.stop();
  });
  beforeEach(async () => {
    for (const one of [folder, remoteFolder])
      for (const name of await fs.readdir(one)) await fs.rm(path.join(one, name), { recursive: true });
    proxy.set({});
  });

  const here = (name: string): Place => ({ k: 'local', folder, path: [name] });

  async function write(file: string): Promise<void> {
    const handle = await fs.open(file, 'w');
    for (let at = 0; at < sizeMib; at++) {
      const bytes = patterned(mib);
      bytes.writeUInt32BE(at, 0);
      await handle.write(bytes);
    }
    await handle.close();
  }

  async function digestOf(file: string): Promise<string> {
    const digest = createHash('sha256');
    for await (const bytes of createReadStream(file)) digest.update(bytes as Buffer);
    return digest.digest('hex');
  }

  /** Tries until it succeeds; resolves with how often the line was lost and the last outcome. */
  async function persist(
    from: Place,
    to: Place,
  ): Promise<{ readonly lost: number; readonly outcome: FileOutcome }> {
    for (let lost = 0; ; lost++)
      try {
        return { lost, outcome: await engine.file({ from, to, existing: 'overwrite' }, never) };
      } catch (error) {
        if (!isTermindError(error) || lost > cuts) throw error;
      }
  }

  for (const direction of ['down', 'up'] as const)
    it(`${direction}: arrives identical, going on each time from where it was`, async () => {
      const [source, target] = [path.join(remoteFolder, 'file'), path.join(folder, 'file')];
      if (direction === 'up') await write(target);
      else await write(source);
      proxy.set({
        cut: {
          direction: direction === 'down' ? 'toClient' : 'toTarget',
          afterBytes: bytesUntilCut[direction],
          by: 'reset',
          connections: cuts,
        },
      });
      const ends: [Place, Place] =
        direction === 'down' ? [line.place(source), here('file')] : [here('file'), line.place(source)];
      const { lost, outcome } = await persist(...ends);
      assert.equal(lost, cuts);
      assert.equal(await digestOf(source), await digestOf(target));
      assert.ok(outcome.resumedBytes >= blockBytes, String(outcome.resumedBytes));
      assert.deepEqual(outcome.warnings, []);
      assert.deepEqual((await fs.readdir(remoteFolder)).concat(await fs.readdir(folder)).sort(), [
        'file',
        'file',
        'journals',
      ]);
      assert.deepEqual(await fs.readdir(path.join(folder, 'journals')), []);
    });
});
