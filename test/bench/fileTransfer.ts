import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat, writeFile as writeLocal } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { systemClock } from '../../src/agentkit/index.ts';
import { readFile } from '../../src/application/files/readFile.ts';
import { writeFile } from '../../src/application/files/writeFile.ts';
import type { RemoteFiles } from '../../src/application/ports/remoteFiles.ts';
import { pathOfText } from '../../src/domain/files/remotePath.ts';
import { FilesOpener } from '../../src/infrastructure/sftp/filesOpener.ts';
import { SshBench, never, startServer, targetOf } from '../integration/ssh/sshBench.ts';
import { mustRun } from '../lab/run.ts';
import type { Sshd } from '../lab/sshd.ts';
import { median, percentile, type Benchmark, type Figure } from './figure.ts';

const mib = 2 ** 20;
const size = 512 * mib;
const rounds = 3;
const targets = { usual: 1, tuned: 0.9, delayMs: 50 } as const;
/** As fast as `sftp` goes. */
const tuning = ['-B', '261120', '-R', '64', '-c', 'aes128-gcm@openssh.com'];
/** Writes to the local disk that are on their way. */
const writesAhead = 8;
/** A program that hangs ends the benchmark. */
const deadlineMs = 300_000;

/** P1: one large file to here, against `sftp`. Source: quality.md 1. */
export const download: Benchmark = {
  id: 'P1',
  name: 'download',
  run: (note) => compareWithSftp('P1', note),
};

/** P2: one large file to there, against `sftp`. Source: quality.md 1. */
export const upload: Benchmark = {
  id: 'P2',
  name: 'upload',
  run: (note) => compareWithSftp('P2', note),
};

async function compareWithSftp(id: 'P1' | 'P2', note: (text: string) => void): Promise<Figure[]> {
  const server = await startServer();
  const bench = new SshBench();
  const remote = path.join(server.account.home, `termind-bench-${randomUUID()}`);
  const local = path.join(server.folder, 'file');
  try {
    await writeLocal(local, Buffer.alloc(size, 'a pattern that is no zeros '));
    await sftp(server, `put ${local} ${remote}`);
    const channels = (await bench.open(targetOf(server))).as('sftp-transfer');
    const request = { channels, known: undefined, mayWriteByShell: false, onLearned: () => {} };
    const files = await new FilesOpener(systemClock).open(request, never);
    const ours = id === 'P1' ? () => get(files, remote, local) : () => put(files, local, remote);
    const line = id === 'P1' ? `get ${remote} ${local}` : `put ${local} ${remote}`;
    const rates = {
      ours: [] as number[],
      usual: [] as number[],
      tuned: [] as number[],
      delays: [] as number[],
    };
    for (let round = 0; round < rounds; round++) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      rates.ours.push(await rate(ours));
      delay.disable();
      rates.delays.push(delay.percentile(99) / 1e6);
      rates.usual.push(await rate(() => sftp(server, line)));
      rates.tuned.push(await rate(() => sftp(server, line, tuning)));
    }
    note(`${String(size / mib)} MiB, ${String(rounds)} times each, in turns`);
    if ((await stat(local)).size !== size) throw new Error('the file is not whole');
    return figuresOf(id, rates);
  } finally {
    await bench.dispose();
    for (const file of [local, remote]) await rm(file, { force: true });
    await server.stop();
  }
}

function figuresOf(
  id: 'P1' | 'P2',
  rates: Readonly<Record<'ours' | 'usual' | 'tuned' | 'delays', readonly number[]>>,
): Figure[] {
  const what = id === 'P1' ? 'download' : 'upload';
  const ours = rounded(median(rates.ours));
  const usual = rounded(median(rates.usual));
  const tuned = rounded(median(rates.tuned));
  const delay = rounded(percentile(rates.delays, 100));
  const toUsual = rounded(ours / usual);
  const toTuned = rounded(ours / tuned);
  const isSmooth = delay <= targets.delayMs;
  const holds = toUsual >= targets.usual && toTuned >= targets.tuned && isSmooth;
  return [
    {
      id,
      ours: delay,
      peer: null,
      ratio: null,
      target: `<= ${String(targets.delayMs)} ms`,
      holds: isSmooth,
      label: `delay of the event loop during the ${what}, p99`,
    },
    {
      id,
      ours,
      peer: tuned,
      ratio: toTuned,
      target: `>= ${String(targets.tuned)} of sftp -B 261120 -R 64 with aes128-gcm, MiB/s`,
      holds: toTuned >= targets.tuned,
      label: `${what} of 512 MiB, against tuned sftp`,
    },
    {
      id,
      ours,
      peer: usual,
      ratio: toUsual,
      target: `>= ${String(targets.usual)} of sftp, MiB/s`,
      holds,
      label: `${what} of 512 MiB`,
    },
  ];
}

async function get(files: RemoteFiles, from: string, to: string): Promise<void> {
  const file = await files.open(pathOfText(from), { access: 'read' }, never);
  const local = await open(to, 'w');
  try {
    const options = { chunk: files.capabilities.maxRead, expectedSize: size };
    const writing = new Set<Promise<unknown>>();
    let offset = 0;
    for await (const bytes of readFile(file, options, never)) {
      const written: Promise<unknown> = local
        .write(bytes, 0, bytes.length, offset)
        .finally(() => writing.delete(written));
      writing.add(written);
      offset += bytes.length;
      if (writing.size >= writesAhead) await Promise.race(writing);
    }
    await Promise.all(writing);
  } finally {
    await local.close();
    await file.close(never);
  }
}

async function put(files: RemoteFiles, from: string, to: string): Promise<void> {
  const mode = { access: 'write', create: 'ifMissing', truncate: true } as const;
  const file = await files.open(pathOfText(to), mode, never);
  const source: AsyncIterable<Buffer> = createReadStream(from, { highWaterMark: mib });
  try {
    await writeFile(file, { source, chunk: files.capabilities.maxWrite }, never);
  } finally {
    await file.close(never);
  }
}

async function sftp(server: Sshd, line: string, options: readonly string[] = []): Promise<void> {
  const identity = server.sshArguments().slice(0, -3);
  const destination = ['-P', String(server.port), `${server.account.name}@${server.host}`];
  await mustRun('sftp', [...identity, ...options, '-b', '-', ...destination], {
    input: `${line}\n`,
    deadlineMs,
  });
}

/** MiB a second. */
async function rate(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return size / mib / ((performance.now() - start) / 1_000);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
