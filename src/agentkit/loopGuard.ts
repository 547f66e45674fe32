import { isJsonObject, parseJsonObject, sortedJson, type Json, type JsonObject } from './json.ts';
import type { AnsweredCall } from './plannedCall.ts';
import type { ToolRegistry } from './toolRegistry.ts';

/** Repeats in a row that bring a note to the model, and a question to the user. Source: agent runtime contract, section 3.5. */
export const loopLimits = { note: 3, ask: 5, patientCallMs: 5_000 } as const;

export type LoopFinding =
  | { readonly kind: 'none' }
  | { readonly kind: 'note'; readonly repeats: number }
  | { readonly kind: 'ask'; readonly repeats: number };

/**
 * Watches for the same call with the same result, and for the same turn with the same results, in a row. A changed result starts over;
 * so does a call that itself took five seconds or longer, because polling with a wait is no loop. Calls that failed or were denied
 * count by their answer; calls of a reply that was not run at all count only as the turn they are. Source: agent runtime contract, section 3.5.
 */
export class LoopGuard {
  readonly #registry: Pick<ToolRegistry, 'find'>;
  #calls = new Streak();
  #turns = new Streak();

  constructor(registry: Pick<ToolRegistry, 'find'>) {
    this.#registry = registry;
  }

  /** Takes one batch in call order. Reports `note` once per streak, and `ask` from the fifth repeat on. */
  observe(batch: readonly AnsweredCall[]): LoopFinding {
    const prints = batch.map((answered) => this.#fingerprint(answered));
    let isNoteDue = false;
    let repeats = 0;
    for (const [at, print] of prints.entries()) {
      if (batch[at]?.outcome === 'cancelled') continue;
      repeats = Math.max(repeats, this.#calls.count(print));
      isNoteDue ||= this.#calls.repeats === loopLimits.note;
    }
    const wholeTurn = prints.includes(undefined) ? undefined : prints.join('\n');
    repeats = Math.max(repeats, this.#turns.count(wholeTurn));
    isNoteDue ||= this.#turns.repeats === loopLimits.note;
    if (repeats >= loopLimits.ask) return { kind: 'ask', repeats };
    return isNoteDue ? { kind: 'note', repeats } : { kind: 'none' };
  }

  reset(): void {
    this.#calls = new Streak();
    this.#turns = new Streak();
  }

  /** Undefined when the call is not counted. */
  #fingerprint({ call, message, ranMs }: AnsweredCall): string | undefined {
    if (ranMs >= loopLimits.patientCallMs) return undefined;
    const args = parseJsonObject(call.argumentsText);
    const volatile = new Set(this.#registry.find(call.name)?.descriptor.volatile ?? []);
    return sortedJson([
      call.name,
      args === undefined ? call.argumentsText : withoutNulls(args),
      comparable(message.text, volatile),
    ]);
  }
}

class Streak {
  #last: string | undefined;
  repeats = 0;

  count(print: string | undefined): number {
    this.repeats = print === undefined ? 0 : print === this.#last ? this.repeats + 1 : 1;
    this.#last = print;
    return this.repeats;
  }
}

const alwaysVolatile: ReadonlySet<string> = new Set([
  'marker',
  'full_output_path',
  'capture_error',
  'duration_ms',
  'waited_ms',
]);

/** The result without what differs from call to call by nature. Text that is no envelope of ours is compared as it is. */
function comparable(text: string, volatile: ReadonlySet<string>): Json {
  const json = /^<untrusted-data>\n(.*)\n<\/untrusted-data>$/s.exec(text)?.[1];
  const object = json === undefined ? undefined : parseJsonObject(json);
  return object === undefined ? text : stable(object, volatile);
}

function stable(value: Json, volatile: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => stable(item, volatile));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name]) => !alwaysVolatile.has(name) && !name.endsWith('_at') && !volatile.has(name),
  );
  return Object.fromEntries(kept.map(([name, member]) => [name, stable(member, volatile)]));
}

function withoutNulls(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    kept.map(([name, member]) => [name, isJsonObject(member) ? withoutNulls(member) : member]),
  );
}
