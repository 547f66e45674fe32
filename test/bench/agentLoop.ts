import { answer, asks, call } from '../unit/agentkit/support/scriptedStream.ts';
import { prepare } from '../unit/agentkit/support/runHarness.ts';
import { probeTool } from '../unit/agentkit/support/probeTool.ts';
import { median, type Benchmark, type Figure } from './figure.ts';

const rounds = 5;
const callsPerTurn = 8;
const turnCounts = [10, 50, 200] as const;
const targetMs = 5;

/**
 * P15: our own time for a turn of eight parallel calls whose tools, model and store answer at once, at three lengths of a run.
 * Source: quality.md 1.
 */
export const agentLoop: Benchmark = {
  id: 'P15',
  name: 'loop',
  async run(note) {
    const figures: Figure[] = [];
    let holds = true;
    await msPerTurn(turnCounts[0]);
    for (const turns of turnCounts) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) times.push(await msPerTurn(turns));
      const ours = Math.round(median(times) * 100) / 100;
      note(`${turns} turns: ${ours} ms a turn`);
      holds &&= ours <= targetMs;
      figures.push({
        id: 'P15',
        ours,
        peer: null,
        ratio: null,
        target: `<= ${targetMs} ms a turn`,
        holds,
        label: `own time of a turn, run of ${turns} turns`,
      });
    }
    return figures;
  },
};

async function msPerTurn(turns: number): Promise<number> {
  const run = await prepare({
    answers: [...Array.from({ length: turns }, (_, turn) => asks(...callsOf(turn))), answer('Done.')],
    tools: [probeTool()],
  });
  const start = performance.now();
  const state = await run.runtime.run();
  const spent = performance.now() - start;
  if (state !== 'completed') throw new Error(`the run ended as ${state}`);
  return spent / turns;
}

/** Each turn asks for something else, so that no guard takes it for a circle. */
function callsOf(turn: number) {
  return Array.from({ length: callsPerTurn }, (_, index) =>
    call(`call-${turn}-${index}`, 'probe', { value: `${turn}.${index}` }),
  );
}
