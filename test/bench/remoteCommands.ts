import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Transport } from '../../src/application/ports/transport.ts';
import { SshBench, never, startServer, targetOf } from '../integration/ssh/sshBench.ts';
import { mustRun } from '../lab/run.ts';
import type { Sshd } from '../lab/sshd.ts';
import { median, percentile, type Benchmark, type Figure } from './figure.ts';
import { heldMemory } from './heldMemory.ts';

const commands = 200;
const rounds = 3;
const fleets = [50, 100, 200] as const;
/** As many as `xargs -P32` has at a time. */
const atATime = 32;
const targets = { command: 0.5, fleet: 0.7, mibPerConnection: 1.5 } as const;

/** P6: one command on a connection that is there, against `ssh` through its control connection. Source: quality.md 1. */
export const warmCommand: Benchmark = {
  id: 'P6',
  name: 'warm-command',
  async run(note) {
    const server = await startServer();
    const bench = new SshBench();
    const folder = await mkdtemp(path.join(tmpdir(), 'termind-bench-'));
    const options = {
      ControlPath: path.join(folder, 'control'),
      ControlMaster: 'auto',
      ControlPersist: '60',
    };
    const shared = server.sshArguments('true', options);
    try {
      const transport = await bench.open(targetOf(server));
      for (let n = 0; n < 20; n++) await runTrue(transport);
      await mustRun('ssh', shared);
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let n = 0; n < commands; n++) {
        ours.push(await timed(() => runTrue(transport)));
        theirs.push(await timed(() => mustRun('ssh', shared)));
      }
      note(`${commands} commands each, in turns`);
      const p50 = compare(median(ours), median(theirs));
      const p99 = compare(percentile(ours, 99), percentile(theirs, 99));
      const holds = p50.ratio <= targets.command;
      const target = `p50 <= ${targets.command} of ssh, ms`;
      return [
        { id: 'P6', ...p99, target, holds, label: 'one command on a warm connection, p99' },
        { id: 'P6', ...p50, target, holds, label: 'one command on a warm connection, p50' },
      ];
    } finally {
      await mustRun('ssh', ['-O', 'exit', ...server.sshArguments(undefined, options)]).catch(() => '');
      await bench.dispose();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** P7: the same command on many hosts, connecting included, against `xargs -P32 ssh`; and what a connection holds. Source: quality.md 1. */
export const fleetCommand: Benchmark = {
  id: 'P7',
  name: 'fleet',
  async run(note) {
    const server = await startServer();
    const figures: Figure[] = [];
    let holds = true;
    try {
      await connectAll(server, 4); // loads the library
      await xargs(server, 4);
      for (const size of fleets) {
        const ours: number[] = [];
        const theirs: number[] = [];
        const held: number[] = [];
        for (let round = 0; round < rounds; round++) {
          const fleet = await connectAll(server, size);
          ours.push(fleet.ms);
          held.push(fleet.mibPerConnection);
          theirs.push(await timed(() => xargs(server, size)));
        }
        const time = compare(median(ours), median(theirs));
        const mib = rounded(median(held));
        note(
          `${size} hosts: ${time.ours} ms, ${rounded(time.ours / size)} ms a host, ${mib} MiB a connection`,
        );
        holds &&= time.ratio <= targets.fleet && mib <= targets.mibPerConnection;
        figures.push(
          {
            id: 'P7',
            ours: mib,
            peer: null,
            ratio: null,
            target: `<= ${targets.mibPerConnection} MiB a connection`,
            holds: mib <= targets.mibPerConnection,
            label: `memory of a connection, ${size} hosts`,
          },
          {
            id: 'P7',
            ...time,
            target: `<= ${targets.fleet} of xargs -P32 ssh, ms`,
            holds,
            label: `one command on ${size} hosts`,
          },
        );
      }
      return figures;
    } finally {
      await server.stop();
    }
  },
};

async function runTrue(transport: Transport): Promise<void> {
  const channel = await transport.exec('true', never);
  channel.onData(() => {});
  channel.end();
  const exit = await channel.exit;
  if (exit.kind !== 'code' || exit.code !== 0) throw new Error('true did not end with 0');
  await channel.closed;
}

async function connectAll(server: Sshd, size: number): Promise<{ ms: number; mibPerConnection: number }> {
  const bench = new SshBench();
  try {
    const before = heldMemory();
    let next = 0;
    const start = performance.now();
    const worker = async (): Promise<void> => {
      while (next < size) {
        next += 1;
        await runTrue(await bench.open(targetOf(server, { label: `host${next.toString()}` })));
      }
    };
    await Promise.all(Array.from({ length: Math.min(atATime, size) }, worker));
    const ms = performance.now() - start;
    return { ms, mibPerConnection: Math.max(0, heldMemory() - before) / size / 2 ** 20 };
  } finally {
    await bench.dispose();
  }
}

async function xargs(server: Sshd, size: number): Promise<void> {
  const quoted = server.sshArguments('true').map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child = spawn(
    'xargs',
    ['-P', String(atATime), '-I{}', 'sh', '-c', `exec ssh ${quoted.join(' ')} # {}`],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  child.stdin.end(Array.from({ length: size }, (_one, n) => `host${n.toString()}\n`).join(''));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`xargs ended with ${String(status)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function compare(ours: number, peer: number): { ours: number; peer: number; ratio: number } {
  return { ours: rounded(ours), peer: rounded(peer), ratio: rounded(ours / peer) };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
