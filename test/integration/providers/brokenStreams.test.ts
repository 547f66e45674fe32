import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { ModelEvent } from '../../../src/agentkit/index.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { gate, streamResponse, type Gate, type ScriptedResponse } from '../../lab/scriptedResponse.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { ClockedAttempt, spelled } from '../../unit/agentkit/support/clockedAttempt.ts';
import type { Case, Fixture } from './fixtures/fixture.ts';
import { forEachProvider } from './matrix.ts';
import { facts, request } from './support.ts';

const lanes = 8;

/** Of everything that an answer is made of. Others differ in what their pieces mean, not in how a line breaks inside them. */
const recorded: readonly Case[] = [
  'text with characters of several bytes',
  'reasoning with its signature',
  'two parallel calls',
];

/** A way for a line to break, and the failure that it means. Both are retried. Source: agent runtime contract, section 21. */
interface Break {
  readonly name: string;
  readonly ending: 'silence' | 'reset';
  readonly code: string;
  readonly detail: RegExp;
  /** Lets it happen, and moves time on where it takes time. */
  readonly happen: (attempt: ClockedAttempt, held: Gate) => Promise<void>;
}

const breaks: readonly Break[] = [
  {
    name: 'silence, which the idle clock ends',
    ending: 'silence',
    code: 'timeout',
    detail: /^$/,
    happen: (attempt, held) => {
      held.open();
      return attempt.outwaited();
    },
  },
  {
    name: 'a reset',
    ending: 'reset',
    code: 'network',
    detail: /^(ECONNRESET|UND_ERR_SOCKET)$/,
    happen: async (_attempt, held) => held.open(),
  },
];

/** The part of `bytes` that is whole events. */
function wholeEvents(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('\n\n');
  return bytes.subarray(0, end < 0 ? 0 : end + 2);
}

function sending(bytes: Buffer, end: 'end' | 'silence' | 'reset', held?: Gate): ScriptedResponse {
  const { head, ending } = streamResponse([], { ending: end });
  return {
    ...(head && { head }),
    steps: [{ kind: 'write', bytes }, ...(held ? [held.step] : [])],
    ending,
  };
}

forEachProvider((provider) => {
  describe(`${provider.name}: a line that breaks means the same at every cut`, function () {
    this.timeout(120_000);
    let server: ScriptedModel<unknown>;
    before(async () => {
      server = await provider.start();
    });
    after(() => server.stop());

    /** Attempts run side by side, so each finds its own answer by a header. */
    const answers = new Map<string, ScriptedResponse>();
    const attempt = (answer: ScriptedResponse): ClockedAttempt => {
      const name = String(answers.size);
      answers.set(name, answer);
      server.enqueue(({ headers }) => answers.get(String(headers['x-attempt'])) ?? assert.fail('no answer'));
      const model = provider.model(server.baseUrl, { headers: { 'x-attempt': name } });
      return new ClockedAttempt((signal) => model.stream(request(), signal));
    };

    /** What comes out of `bytes` when the answer ends behind them. */
    const read = async (bytes: Buffer): Promise<readonly ModelEvent[]> => {
      const reading = attempt(sending(bytes, 'end'));
      await withinDeadline('the end of an answer', reading.ended);
      return spelled(reading.events);
    };

    for (const name of recorded) {
      const fixture: Fixture | { readonly notOnThisWire: string } = provider.fixtures[name];
      if ('notOnThisWire' in fixture) continue;
      const { bytes } = fixture;
      const whole = spelled(fixture.events);

      for (const { name: how, ending, code, detail, happen } of breaks)
        it(`${name}: ${how}`, async () => {
          const arrived = new Map<number, Promise<readonly ModelEvent[]>>();
          const atLeast = (sent: Buffer): Promise<readonly ModelEvent[]> => {
            const { length } = wholeEvents(sent);
            const known = arrived.get(length) ?? read(bytes.subarray(0, length));
            arrived.set(length, known);
            return known;
          };
          const breakAt = async (cut: number): Promise<void> => {
            const sent = bytes.subarray(0, cut);
            const expected = await atLeast(sent);
            const held = gate();
            const reading = attempt(sending(sent, ending, held));
            await reading.hasRead(expected);
            await happen(reading, held);
            const failure = await reading.ended;
            const seen = spelled(reading.events);
            assert.deepEqual(seen, whole.slice(0, seen.length), 'the beginning of the whole answer');
            assert.ok(seen.length >= expected.length, 'with every event that arrived whole');
            const isFinished = seen.some(({ kind }) => kind === 'finished');
            const { detail: said, ...rest } = facts(failure) ?? { detail: '' };
            assert.deepEqual(
              rest,
              isFinished ? {} : { code, retryable: true, status: undefined, retryAfterMs: undefined },
            );
            if (!isFinished) assert.match(String(said), detail);
          };
          const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => at).values();
          const lane = async (): Promise<void> => {
            for (const cut of cuts)
              await withinDeadline(`the break behind byte ${String(cut)}`, breakAt(cut));
          };
          await Promise.all(Array.from({ length: lanes }, lane));
        });
    }
  });
});
