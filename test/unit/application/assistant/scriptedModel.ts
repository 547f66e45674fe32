import {
  callId,
  type ModelEvent,
  type ModelItem,
  type ModelRequest,
  type ModelStreamPort,
} from '../../../../src/agentkit/index.ts';

/** One answer of the model: its events, or something that goes wrong, or a wait. */
export type Turn = (signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** A model in this process that gives the answers of a script and keeps what it was asked. */
export class ScriptedModel implements ModelStreamPort {
  readonly ref = 'lab/scripted';
  readonly tag = 'lab/test/scripted';
  readonly capabilities = { tools: true, images: false, reasoning: [] };
  readonly requests: ModelRequest[] = [];
  readonly turns: Turn[];

  constructor(...turns: readonly Turn[]) {
    this.turns = [...turns];
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    this.requests.push(request);
    const turn = this.turns.shift();
    if (turn === undefined) throw new Error('the script has no further answer');
    return turn(signal);
  }

  /** What the model was sent in request number `index`, in short. */
  said(index: number): readonly string[] {
    return (this.requests[index]?.items ?? []).map(inShort);
  }
}

function inShort(item: ModelItem): string {
  switch (item.role) {
    case 'user':
      return `user: ${item.text}`;
    case 'assistant':
      return `assistant: ${item.text}${item.calls.map((call) => `[${call.id}]`).join('')}`;
    case 'tool':
      return `${item.isError ? 'error' : 'result'} ${item.callId}: ${item.text}`;
  }
}

/** Says this and is done. */
export function says(text: string): Turn {
  return async function* () {
    yield { kind: 'textDelta', text };
    yield { kind: 'finished', reason: 'completed' };
  };
}

/** Asks for these calls, named `call_1` and so on behind `prefix`. */
export function calls(...made: readonly { name: string; args: object; id?: string }[]): Turn {
  return async function* () {
    for (const [index, { name, args, id }] of made.entries())
      yield {
        kind: 'toolCallSnapshot',
        id: callId(id ?? `call_${index + 1}`),
        index,
        name,
        argumentsText: JSON.stringify(args),
      };
    yield { kind: 'finished', reason: 'toolCalls' };
  };
}

/** Begins to answer and waits until the run is stopped. */
export function hangs(text = ''): Turn {
  return async function* (signal) {
    if (text !== '') yield { kind: 'textDelta', text };
    await new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };
}

/** Fails before the first byte. */
export function fails(error: Error): Turn {
  return () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  });
}
