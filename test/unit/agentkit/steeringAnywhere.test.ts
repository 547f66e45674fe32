import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  ProviderError,
  type ModelEvent,
  type ModelRequest,
  type ModelStreamPort,
  type Tool,
} from '../../../src/agentkit/index.ts';
import { isSummaryRequest } from './support/compactingModel.ts';
import { probeTool, success } from './support/probeTool.ts';
import { person, prepare, type PreparedRun } from './support/runHarness.ts';
import { answer, asks, call, type Step } from './support/scriptedStream.ts';

interface Turn {
  /** The first attempt fails and is repeated. */
  readonly fails: boolean;
  /** Awaits in front of each event. */
  readonly ticks: number;
  readonly calls: readonly { readonly tool: 'quick' | 'serial' | 'waiting'; readonly ticks: number }[];
}

const few = fc.nat(12);
const turn: fc.Arbitrary<Turn> = fc.record({
  fails: fc.boolean(),
  ticks: few,
  calls: fc.array(fc.record({ tool: fc.constantFrom('quick', 'serial', 'waiting'), ticks: few }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** Behind so many events of the run, and then so many awaits. */
interface Moment {
  readonly events: number;
  readonly ticks: number;
}

const moment: fc.Arbitrary<Moment> = fc.record({ events: fc.nat(60), ticks: fc.nat(50) });

const scene = fc.record({
  turns: fc.array(turn, { maxLength: 4 }),
  messages: fc.array(moment, { minLength: 1, maxLength: 4 }),
  stop: fc.option(moment, { nil: undefined, freq: 4 }),
  /** Awaits in front of each operation of the store. */
  storeTicks: fc.constantFrom(0, 1, 5, 30),
  /** Small enough to be compacted on the way, or unknown. */
  contextWindow: fc.constantFrom(undefined, 40_000),
});

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
}

/** Plays one turn after the other, and short answers behind the last. */
class Model implements ModelStreamPort {
  readonly ref = 'test/script';
  readonly tag = 'test/script/one';
  readonly capabilities: ModelStreamPort['capabilities'];
  readonly requests: ModelRequest[] = [];
  readonly #turns: Turn[];
  #count = 0;

  constructor(turns: readonly Turn[], contextWindow: number | undefined) {
    this.#turns = [...turns];
    const base = { tools: true, images: false, reasoning: [] };
    this.capabilities = contextWindow === undefined ? base : { ...base, contextWindow };
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent, void, undefined> {
    this.requests.push(request);
    const [next] = this.#turns;
    if (isSummaryRequest(request)) return yield* this.#play(answer('## Goal\nAll is well.'), 3);
    if (next === undefined) return yield* this.#play(answer('Done.'), 2);
    if (next.fails) {
      this.#turns[0] = { ...next, fails: false };
      throw new ProviderError({ code: 'overloaded', retryable: true });
    }
    this.#turns.shift();
    const calls = next.calls.map(({ tool, ticks }) => {
      this.#count++;
      return call(`c${String(this.#count)}`, tool, { value: `${String(this.#count)} ${String(ticks)}` });
    });
    yield* this.#play(asks(...calls), next.ticks);
  }

  async *#play(steps: readonly Step[], ticks: number): AsyncGenerator<ModelEvent, void, undefined> {
    for (const step of steps) {
      await pass(ticks);
      yield step as ModelEvent;
    }
  }
}

/** About 5,000 tokens. */
const page = 'The log of the host says that all is well. '.repeat(500);
const tools: readonly Tool[] = (['quick', 'serial', 'waiting'] as const).map((name) =>
  probeTool(name, {
    descriptor: { concurrency: name === 'serial' ? 'sequential' : 'parallel' },
    execute: async ({ value = '' }, context) => {
      await pass(Number(value.split(' ')[1]));
      if (name === 'waiting')
        await Promise.race([
          context.whenUserInterjects(),
          new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
        ]);
      return success({ page });
    },
  }),
);

/** What the person wrote and where it is: in the conversation, then still in the queue. */
async function places(
  run: PreparedRun,
): Promise<{ readonly rows: readonly string[]; readonly queue: readonly string[] }> {
  const rows = (await run.stored()).flatMap((row) =>
    row.role === 'user' && row.origin.kind === 'person' ? [row.text] : [],
  );
  const stored = await run.store.load(run.conversationId);
  return { rows, queue: (stored?.inbox ?? []).map(({ message }) => message.text) };
}

describe('messages written while any run works', function () {
  this.timeout(60_000);

  it('are delivered exactly once and in order, or stay in the queue of a run that was stopped', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ turns, messages, stop, storeTicks, contextWindow }) => {
        const model = new Model(turns, contextWindow);
        const run = await prepare({ answers: [], tools, options: { model } });
        run.store.before = () => pass(storeTicks);
        const at = (when: Moment, act: () => void): void => {
          let left = when.events;
          const listener = run.runtime.onEvent(() => {
            if (left-- > 0) return;
            listener.dispose();
            void pass(when.ticks).then(act);
          });
        };
        const steered: { readonly text: string; readonly isTaken: Promise<boolean> }[] = [];
        for (const [number, when] of messages.entries())
          at(when, () => {
            const text = `message ${String(number)}`;
            steered.push({ text, isTaken: run.runtime.steer(person(text, run.runId)) });
          });
        if (stop !== undefined) at(stop, () => run.runtime.stop());
        let state: string | undefined;
        void run.runtime.run().then((ended) => (state = ended));
        for (let round = 0; state === undefined; round++) {
          assert.ok(round < 500, 'the run ends');
          await run.clock.advance(1_000);
        }
        await run.clock.advance(0);
        const taken: string[] = [];
        for (const { text, isTaken } of steered) if (await isTaken) taken.push(text);
        const { rows, queue } = await places(run);
        const delivered = rows.filter((text) => text.startsWith('message '));
        assert.deepEqual([...delivered, ...queue], taken);
        if (state === 'completed') {
          assert.deepEqual(queue, []);
          const asked = JSON.stringify(model.requests.map(({ items }) => items));
          assert.deepEqual(
            delivered.filter((text) => !asked.includes(text)),
            [],
            'the model read them',
          );
        } else assert.deepEqual([state, stop !== undefined], ['cancelled', true]);
        for (const { items } of model.requests) {
          const said = items.filter(({ role, text }) => role === 'user' && text.startsWith('message '));
          assert.equal(new Set(said.map(({ text }) => text)).size, said.length, 'once in each request');
        }
      }),
      { numRuns: 300 },
    );
  });
});
