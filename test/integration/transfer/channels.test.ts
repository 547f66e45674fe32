import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { HeldFiles } from '../../../src/application/files/heldFiles.ts';
import type { RemotePlace } from '../../../src/application/transfer/engine/transfer.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FilesBench } from '../sftp/filesBench.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { localPlace, newEngine } from './engine.ts';
import { digest } from './transferBench.ts';

describe('the channels of transfers', () => {
  let server: Sshd;
  let proxy: FaultProxy;
  let bench: FilesBench;
  let remote: string;

  before(async () => {
    server = await startServer({});
    proxy = await startFaultProxy({ port: server.port });
    bench = await FilesBench.open({ ...targetOf(server), port: proxy.port });
    remote = path.join(server.account.home, `termind-channels-${randomUUID()}`);
    await fs.mkdir(remote);
    await fs.chown(remote, server.account.uid, server.account.gid);
  });
  after(async () => {
    await bench.dispose();
    await proxy.stop();
    await fs.rm(remote, { recursive: true, force: true });
    await server.stop();
  });

  const there = (name: string, host = bench.host): RemotePlace => ({
    k: 'remote',
    host,
    path: pathOfText(path.join(remote, name)),
    open: (signal) => bench.service.openTransfer(bench.host, signal),
  });

  it('are surplus as soon as others use the connection, until enough are given back', async () => {
    const transfers: HeldFiles[] = [];
    for (let n = 0; n < 5; n++) transfers.push(await bench.service.openTransfer(bench.host, never));
    const surplus = (): boolean[] => transfers.map(({ isSurplus }) => isSurplus?.() === true);
    assert.deepEqual(new Set(surplus()), new Set([false]));
    await bench.service
      .browse(bench.host)
      .use((files) => files.realpath(pathOfText('.'), never), { isRepeatable: true }, never);
    assert.deepEqual(new Set(surplus()), new Set([true]));
    transfers.pop()?.release();
    assert.deepEqual(new Set(surplus()), new Set([false]));
    for (const transfer of transfers) transfer.release();
    bench.service.browse(bench.host).close();
  });

  it('are all given back after a large file over a far line, however many it took', async () => {
    const bytes = patterned(40 * 2 ** 20);
    await fs.writeFile(path.join(server.folder, 'large'), bytes);
    proxy.set({ delayMs: 40 });
    const before = bench.held.length;
    const request = { from: localPlace(server.folder, 'large'), existing: 'overwrite' } as const;
    await newEngine(server.folder).file({ ...request, to: there('large') }, never);
    proxy.set({});
    assert.equal(bench.held.length, before);
    assert.equal(digest(await fs.readFile(path.join(remote, 'large'))), digest(bytes));
  });

  it('of two hosts carry a file from one to the other without a file in between', async () => {
    const bytes = patterned(5 * 2 ** 20 + 3);
    await fs.writeFile(path.join(remote, 'from'), bytes);
    const outcome = await newEngine(server.folder).file(
      { from: there('from'), to: there('to', newHostId()), existing: 'skip', verify: true },
      never,
    );
    assert.equal(outcome.sha256, digest(bytes));
    assert.equal(digest(await fs.readFile(path.join(remote, 'to'))), digest(bytes));
  });
});
