import fc from 'fast-check';
import {
  callId,
  messageId,
  runId,
  toolResultMessageId,
  type AssistantMessage,
  type ContextSnapshot,
  type Message,
  type ToolMessage,
  type UserMessage,
} from '../../../../src/agentkit/index.ts';

const run = runId('0b6f0d0e-6d6f-4a53-8a38-111111111111');

export function userRow(id: string, text: string, context: ContextSnapshot = {}): UserMessage {
  return {
    role: 'user',
    id: messageId(id),
    runId: run,
    createdAt: 1,
    text,
    images: [],
    origin: { kind: 'person' },
    context,
  };
}

export function assistantRow(id: string, text: string, callIds: readonly string[] = []): AssistantMessage {
  return {
    role: 'assistant',
    id: messageId(id),
    runId: run,
    createdAt: 2,
    text,
    reasoning: '',
    calls: callIds.map((call) => ({ id: callId(call), name: 'probe', argumentsText: `{"of":"${call}"}` })),
    providerItems: [],
    stop: callIds.length > 0 ? 'toolCalls' : 'completed',
  };
}

export function toolRow(call: string, text = `result of ${call}`): ToolMessage {
  return {
    role: 'tool',
    id: toolResultMessageId(run, callId(call)),
    runId: run,
    createdAt: 3,
    callId: callId(call),
    toolName: 'probe',
    text,
    isError: false,
  };
}

interface Exchange {
  readonly prompt: string;
  readonly folder: string;
  readonly turns: readonly number[];
  readonly answer: string;
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  prompt: fc.string({ minLength: 1, maxLength: 8 }),
  folder: fc.constantFrom('', 'a', 'b'),
  turns: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  answer: fc.string({ maxLength: 8 }),
});

/** A history as runs leave it behind: every call answered, in order. */
export const wholeHistory: fc.Arbitrary<readonly Message[]> = fc
  .array(exchange, { minLength: 1, maxLength: 5 })
  .map((exchanges) =>
    exchanges.flatMap(({ prompt, folder, turns, answer }, at): Message[] => [
      userRow(`u${String(at)}`, prompt, { folder }),
      ...turns.flatMap((calls, turn): Message[] => {
        const ids = Array.from(
          { length: calls },
          (_, call) => `c${String(at)}-${String(turn)}-${String(call)}`,
        );
        return [assistantRow(`a${String(at)}-${String(turn)}`, '', ids), ...ids.map((id) => toolRow(id))];
      }),
      assistantRow(`e${String(at)}`, answer),
    ]),
  );

/** What crashes, two windows and bugs can make of one: cut at both ends, rows missing, doubled and out of place. */
export const brokenHistory: fc.Arbitrary<readonly Message[]> = wholeHistory.chain((rows) =>
  fc
    .record({
      from: fc.nat(rows.length),
      to: fc.nat(rows.length),
      lost: fc.array(fc.nat(rows.length), { maxLength: 4 }),
      doubled: fc.array(fc.nat(rows.length), { maxLength: 3 }),
      moved: fc.array(fc.tuple(fc.nat(rows.length), fc.nat(rows.length)), { maxLength: 3 }),
    })
    .map(({ from, to, lost, doubled, moved }) => {
      const broken = rows.filter((_, at) => !lost.includes(at));
      for (const at of doubled) {
        const row = broken[at];
        if (row?.role === 'tool') broken.push({ ...row, text: 'a second result' });
      }
      for (const [a, b] of moved) {
        const row = broken[a];
        if (row?.role === 'tool') broken.splice(b, 0, ...broken.splice(a, 1));
      }
      return broken.slice(Math.min(from, to), Math.max(from, to));
    }),
);
