import { readdirSync } from 'node:fs';
import { RouteBench } from '../integration/ssh/routeBench.ts';
import { never, targetOf } from '../integration/ssh/sshBench.ts';
import { startSshd } from '../lab/sshd.ts';
import type { Benchmark, Figure } from './figure.ts';

const cycles = 1_000;

/** R10, connects: what a thousand of them leave open. */
export const connectCycles: Benchmark = {
  id: 'R10',
  name: 'connectCycles',
  run: (note) => connectAndClose(cycles, note),
};

/** Connects and disconnects through one connection manager, host by host anew, and counts what is open before and after. */
export async function connectAndClose(count: number, note: (text: string) => void): Promise<Figure[]> {
  const server = await startSshd();
  const bench = new RouteBench();
  bench.ssh.person.answerHostKey = () => 'remember';
  const cycle = async (): Promise<void> => {
    const target = targetOf(server);
    const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
    bench.manager.disconnect(target.hostId);
    await lease.lost;
  };
  try {
    for (let n = 0; n < 5; n++) await cycle();
    const before = await openThings();
    for (let n = 1; n <= count; n++) {
      await cycle();
      if (n % 100 === 0) note(`${String(n)} connects`);
    }
    const after = await openThings();
    return (['descriptors', 'resources'] as const).map((what) => ({
      id: 'R10',
      label: `${what} left by ${String(count)} connects`,
      ours: after[what] - before[what],
      peer: null,
      ratio: null,
      target: '<= 0',
      holds: after[what] <= before[what],
    }));
  } finally {
    await bench.dispose();
    await server.stop();
  }
}

/** Counted when the goodbyes are over: the server has closed what it was going to close. */
async function openThings(): Promise<{ readonly descriptors: number; readonly resources: number }> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  return {
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    resources: process.getActiveResourcesInfo().length,
  };
}
