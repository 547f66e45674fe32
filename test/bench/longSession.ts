import { LongSession, openThings, type SessionSize } from '../integration/ssh/longSession.ts';
import type { Benchmark, Figure } from './figure.ts';
import { heldMemory } from './heldMemory.ts';

const size: SessionSize = { commands: 10_000, connects: 1_000 };
/** Fills caches and lets the compiler finish, so that what grows afterwards grows with the number of commands. */
const warmUp: SessionSize = { commands: 1_000, connects: 50 };
/** A hundred bytes for each command: less than one listener or closure left by it. */
const heapSlackMib = 1;
/** The server and the system close their ends after ours. */
const settleMs = 2_000;

/** R10: what ten thousand commands and a thousand connects of one session leave open or held. */
export const longSession: Benchmark = {
  id: 'R10',
  name: 'longSession',
  async run(note) {
    let warnings = 0;
    const onWarning = (): void => void (warnings += 1);
    process.on('warning', onWarning);
    const session = await LongSession.start();
    try {
      await session.live(warmUp, note);
      const before = await held();
      await session.live(size, note);
      const after = await held();
      const what = `${String(size.commands)} commands and ${String(size.connects)} connects`;
      const figure = (label: string, ours: number, most: number): Figure => ({
        id: 'R10',
        label: `${label} ${what}`,
        ours,
        peer: null,
        ratio: null,
        target: `<= ${String(most)}`,
        holds: ours <= most,
      });
      return allHold([
        figure('descriptors left by', after.descriptors - before.descriptors, 0),
        figure('timers, sockets and processes left by', after.resources - before.resources, 0),
        figure('warnings (too many listeners among them) in', warnings, 0),
        figure('MiB of heap held after', mib(after.memory - before.memory), heapSlackMib),
      ]);
    } finally {
      process.off('warning', onWarning);
      await session.dispose();
    }
  },
};

async function held(): Promise<ReturnType<typeof openThings> & { readonly memory: number }> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  return { ...openThings(), memory: heldMemory() };
}

/** The last figure covers all targets of a benchmark. */
function allHold(figures: readonly Figure[]): Figure[] {
  const holds = figures.every((figure) => figure.holds);
  return figures.map((figure, at) => (at === figures.length - 1 ? { ...figure, holds } : figure));
}

function mib(bytes: number): number {
  return Number((bytes / (1 << 20)).toFixed(2));
}
