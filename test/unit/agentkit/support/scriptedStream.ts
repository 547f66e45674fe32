import {
  callId,
  type ModelCapabilities,
  type ModelEvent,
  type ModelRequest,
  type ModelStreamPort,
} from '../../../../src/agentkit/index.ts';

/** One step of a scripted answer: an event, a failure, or something to wait for. `silence` waits for ever. */
export type Step = ModelEvent | Error | Promise<unknown> | 'silence';

export interface ScriptedStream extends ModelStreamPort {
  /** What was asked, in order; one entry an attempt. */
  readonly requests: readonly ModelRequest[];
  /** Answers nobody asked for. */
  readonly left: number;
}

/** A model behind the port that plays one answer per attempt and ignores aborts, as the worst provider would. */
export function scriptedStream(
  answers: readonly (readonly Step[])[],
  about: Partial<ModelCapabilities> & { readonly tag?: string } = {},
): ScriptedStream {
  const requests: ModelRequest[] = [];
  const { tag = 'test/script/one', ...capabilities } = about;
  return {
    ref: 'test/script',
    tag,
    capabilities: { tools: true, images: true, reasoning: [], ...capabilities },
    requests,
    get left() {
      return answers.length - requests.length;
    },
    async *stream(request) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined)
        throw new Error(`no answer is scripted for request ${String(requests.length)}`);
      for (const step of answer) {
        if (step instanceof Error) throw step;
        if (step === 'silence') await new Promise(() => {});
        else if (step instanceof Promise) await step;
        else yield step;
      }
    },
  };
}

export const say = (text: string): ModelEvent => ({ kind: 'textDelta', text });
export const think = (text: string): ModelEvent => ({ kind: 'reasoningDelta', text });
export const done: ModelEvent = { kind: 'finished', reason: 'completed' };
export const callsDone: ModelEvent = { kind: 'finished', reason: 'toolCalls' };
export const cutOff: ModelEvent = { kind: 'finished', reason: 'length' };

/** One whole call. */
export function call(id: string, name: string, args: unknown = {}): ModelEvent {
  const argumentsText = typeof args === 'string' ? args : JSON.stringify(args);
  return { kind: 'toolCallSnapshot', id: callId(id), index: 0, name, argumentsText };
}

/** An answer that says this and ends. */
export const answer = (text: string): readonly Step[] => [say(text), done];

/** An answer that makes these calls. */
export const asks = (...calls: readonly ModelEvent[]): readonly Step[] => [...calls, callsDone];
