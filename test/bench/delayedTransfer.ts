import { randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HostArchives } from '../../src/application/transfer/archive/hostArchives.ts';
import type { Place } from '../../src/application/transfer/engine/transfer.ts';
import { never, startServer, targetOf } from '../integration/ssh/sshBench.ts';
import { localPlace, newEngine } from '../integration/transfer/engine.ts';
import { SshLine } from '../integration/transfer/sshLine.ts';
import type { Faults } from '../lab/faultProxy.ts';
import type { Sshd } from '../lab/sshd.ts';
import { median, type Benchmark, type Figure } from './figure.ts';
import { startProxyThread } from './proxyThread.ts';
import { mib, rounded, secondsOf, sftp, tuning } from './transferEnds.ts';

/** 1 Gbit/s less what Ethernet, IP and TCP take. Source: ssh.md 12.1. */
const lineBytesPerSecond = 112 * mib;
const size = 512 * mib;
/** How often each side downloads, in turns. */
const rounds = 3;
/** Of the most that the line allows over the peer, where that is too little for the target: decision 99. */
const nearlyAll = 0.93;
const files = { count: 1_000, bytes: 4_096 } as const;

/** P3: one large file at 20 ms round trip and 1 Gbit/s. Source: quality.md 1. */
export const farDownload: Benchmark = {
  id: 'P3',
  name: 'far',
  run: (note) => largeFile({ id: 'P3', roundTripMs: 20, leastRatio: 1.5, leastOfLine: 0.85 }, note),
};

/** P4: the same at 100 ms. Source: quality.md 1. */
export const fartherDownload: Benchmark = {
  id: 'P4',
  name: 'farther',
  run: (note) => largeFile({ id: 'P4', roundTripMs: 100, leastRatio: 3 }, note),
};

/** P5: many small files at 50 ms, both ways. Source: quality.md 1. */
export const smallFiles: Benchmark = { id: 'P5', name: 'small-files', run: manyFiles };

interface LargeFile {
  readonly id: string;
  readonly roundTripMs: number;
  readonly leastRatio: number;
  readonly leastOfLine?: number;
}

async function largeFile(
  { id, roundTripMs, leastRatio, leastOfLine }: LargeFile,
  note: (text: string) => void,
): Promise<Figure[]> {
  const faults = { delayMs: roundTripMs / 2, bytesPerSecond: lineBytesPerSecond };
  return onDelayedLine(faults, async ({ server, line, port, local, remote }) => {
    await writeFile(path.join(local, 'file'), Buffer.alloc(size, 'a pattern that is no zeros '));
    const [here, there] = [localPlace(local, 'file'), line.place(`${remote}/file`)];
    const engine = newEngine(server.folder);
    const move = (from: Place, to: Place) => (): Promise<unknown> =>
      engine.file({ from, to, existing: 'overwrite' }, never);
    const rate = async (work: () => Promise<unknown>): Promise<number> =>
      size / mib / (await secondsOf(work));
    const theirs = (what: string) => (): Promise<void> => sftp(server, what, { options: tuning, port });
    note(`${String(size / mib)} MiB, ${String(roundTripMs)} ms round trip, 1 Gbit/s`);
    const up = {
      ours: rounded(await rate(move(here, there))),
      peer: rounded(await rate(theirs(`put ${local}/file ${remote}/file`))),
    };
    const rates = { ours: [] as number[], peer: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      rates.ours.push(await rate(move(there, here)));
      rates.peer.push(await rate(theirs(`get ${remote}/file ${local}/file`)));
    }
    if ((await stat(path.join(local, 'file'))).size !== size) throw new Error('the file is not whole');
    const down = { ours: rounded(median(rates.ours)), peer: rounded(median(rates.peer)) };
    const ratio = rounded(down.ours / down.peer);
    const ofLine = rounded((down.ours * mib) / lineBytesPerSecond);
    const mostRatio = lineBytesPerSecond / mib / down.peer;
    note(`the line allows ${String(rounded(mostRatio))} of tuned sftp at the most`);
    const fillsLine = leastOfLine === undefined || ofLine >= leastOfLine;
    const target = leastOfLine === undefined ? '' : `, and ${String(leastOfLine * 100)} % of the line`;
    return [
      {
        id,
        ...up,
        ratio: rounded(up.ours / up.peer),
        target: 'reported, MiB/s',
        holds: true,
        label: `upload at ${String(roundTripMs)} ms, against tuned sftp`,
      },
      {
        id,
        ...down,
        ratio,
        target: `>= ${String(leastRatio)} of tuned sftp, or ${String(nearlyAll)} of what the line allows${target}, MiB/s`,
        holds: ratio >= Math.min(leastRatio, nearlyAll * mostRatio) && fillsLine,
        label: `download at ${String(roundTripMs)} ms (${String(Math.round(ofLine * 100))} % of the line)`,
      },
    ];
  });
}

async function manyFiles(note: (text: string) => void): Promise<Figure[]> {
  return onDelayedLine({ delayMs: 25 }, async ({ server, line, port, local, remote }) => {
    const from = path.join(local, 'from');
    await mkdir(from);
    for (let n = 0; n < files.count; n++)
      await writeFile(path.join(from, String(n)), Buffer.alloc(files.bytes, String(n)));
    const engine = newEngine(server.folder);
    const folder = (source: Place, to: Place) => (): Promise<unknown> =>
      engine.folder({ from: source, to, existing: 'overwrite' }, never);
    note(`${String(files.count)} files of ${String(files.bytes)} bytes at 50 ms`);
    const both = async (name: string, archives?: HostArchives): Promise<{ up: number; down: number }> => {
      const there = { ...line.place(`${remote}/${name}`), ...(archives === undefined ? {} : { archives }) };
      return {
        up: rounded(await secondsOf(folder(localPlace(local, 'from'), there))),
        down: rounded(await secondsOf(folder(there, localPlace(local, name)))),
      };
    };
    const { up, down } = await both('ours');
    const archived = await both('archived', { ...line.programs, mayUse: async () => true });
    await mkdir(path.join(local, 'theirs'));
    const putAll = `-mkdir ${remote}/theirs\nput -r ${from}/. ${remote}/theirs`;
    const theirUp = rounded(await secondsOf(() => sftp(server, putAll, { port })));
    const getAll = `get -r ${remote}/theirs/. ${local}/theirs`;
    const theirDown = rounded(await secondsOf(() => sftp(server, getAll, { port })));
    for (const name of ['ours', 'archived', 'theirs'])
      if ((await readdir(path.join(local, name))).length !== files.count)
        throw new Error(`there are files missing in ${name}`);
    const figure = (ours: number, peer: number, label: string): Figure => {
      const ratio = rounded(peer / ours);
      return {
        id: 'P5',
        ours,
        peer,
        ratio,
        target: '>= 20 times as fast as sftp -r, s',
        holds: ratio >= 20,
        label,
      };
    };
    const [first, last] = [
      figure(up, theirUp, 'upload of 1,000 small files'),
      figure(down, theirDown, 'download of 1,000 small files'),
    ];
    const withTar = (ours: number, peer: number, label: string): Figure => ({
      id: 'P5',
      ...{ ours, peer, ratio: rounded(peer / ours), target: 'reported, s', holds: true, label },
    });
    return [
      withTar(archived.up, theirUp, 'upload of 1,000 small files as an archive'),
      withTar(archived.down, theirDown, 'download of 1,000 small files as an archive'),
      first,
      { ...last, holds: first.holds && last.holds },
    ];
  });
}

interface DelayedLine {
  readonly server: Sshd;
  readonly line: SshLine;
  /** Of the proxy, which the peer uses as well. */
  readonly port: number;
  readonly local: string;
  readonly remote: string;
}

async function onDelayedLine<T>(faults: Faults, work: (line: DelayedLine) => Promise<T>): Promise<T> {
  const server = await startServer();
  const proxy = await startProxyThread(server.port, faults);
  const line = new SshLine({ ...targetOf(server), port: proxy.port });
  const local = path.join(server.folder, 'local');
  const remote = path.join(server.account.home, `termind-bench-${randomUUID()}`);
  try {
    for (const folder of [local, remote]) await mkdir(folder);
    await chown(remote, server.account.uid, server.account.gid);
    return await work({ server, line, port: proxy.port, local, remote });
  } finally {
    await line.dispose();
    await proxy.stop();
    await rm(remote, { recursive: true, force: true });
    await server.stop();
  }
}
