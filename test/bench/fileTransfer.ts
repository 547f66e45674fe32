import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile as writeLocal } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { never, startServer, targetOf } from '../integration/ssh/sshBench.ts';
import { localPlace, newEngine } from '../integration/transfer/engine.ts';
import { SshLine } from '../integration/transfer/sshLine.ts';
import { median, percentile, type Benchmark, type Figure } from './figure.ts';
import { mib, rounded, secondsOf, sftp, tuning } from './transferEnds.ts';

const size = 512 * mib;
const rounds = 5;
const targets = { usual: 1, tuned: 0.9, delayMs: 50 } as const;

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
  const host = new SshLine(targetOf(server));
  const engine = newEngine(server.folder);
  const remote = path.join(server.account.home, `termind-bench-${randomUUID()}`);
  const local = path.join(server.folder, 'file');
  try {
    await writeLocal(local, Buffer.alloc(size, 'a pattern that is no zeros '));
    await sftp(server, `put ${local} ${remote}`);
    const [here, there] = [localPlace(server.folder, 'file'), host.place(remote)];
    const ours = async (): Promise<void> => {
      const [from, to] = id === 'P1' ? [there, here] : [here, there];
      await engine.file({ from, to, existing: 'overwrite' }, never);
    };
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
      rates.tuned.push(await rate(() => sftp(server, line, { options: tuning })));
    }
    note(`${String(size / mib)} MiB, ${String(rounds)} times each, in turns`);
    if ((await stat(local)).size !== size) throw new Error('the file is not whole');
    return figuresOf(id, rates);
  } finally {
    await host.dispose();
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

/** MiB a second. */
async function rate(work: () => Promise<void>): Promise<number> {
  return size / mib / (await secondsOf(work));
}
