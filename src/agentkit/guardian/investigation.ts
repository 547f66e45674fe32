import { randomIds } from '../agentRuntimeOptions.ts';
import { withUniqueIds } from '../callIds.ts';
import type { CallId, MessageId } from '../ids.ts';
import type { ToolCall } from '../message.ts';
import type { ModelItem, ModelTool } from '../model.ts';
import type { ToolExecutor } from '../toolExecutor.ts';
import type { AssembledTurn } from '../turnAssembly.ts';
import { reviewLimits } from './limits.ts';
import { budgetSpentNote } from './reviewPolicy.ts';

export interface InvestigationOptions {
  readonly executor: Pick<ToolExecutor, 'plan' | 'refuse' | 'run'>;
  readonly tools: readonly ModelTool[];
  readonly newItemId: () => MessageId;
}

interface Look {
  readonly call: ToolCall;
  readonly result: Extract<ModelItem, { role: 'tool' }>;
}

/**
 * What a reviewer looks at before it answers: at most four calls, one after the other. Once they are used up the tools are gone, and
 * what was seen is told in one message, because providers refuse results of tools that a request does not offer.
 * Source: agent runtime contract, section 12.
 */
export class Investigation {
  readonly #options: InvestigationOptions;
  readonly #usedCallIds = new Set<CallId>();
  readonly #looks: Look[] = [];
  readonly #items: ModelItem[] = [];

  constructor(options: InvestigationOptions) {
    this.#options = options;
  }

  /** What the next request offers. */
  get tools(): readonly ModelTool[] {
    return this.#isSpent ? [] : this.#options.tools;
  }

  /** What stands behind the prompt of the review in the next request. */
  get items(): readonly ModelItem[] {
    if (!this.#isSpent) return this.#items;
    const told = this.#looks.map(({ call, result }) => `${toldCall(call)}\n${result.text}`);
    const text = ['What you looked at in this review:', ...told, budgetSpentNote].join('\n\n');
    return [{ role: 'user', id: this.#options.newItemId(), text, images: [] }];
  }

  /** Answers the calls of one turn. Rejects only with the reason of `signal`. */
  async look(turn: AssembledTurn, signal: AbortSignal): Promise<void> {
    const { newItemId } = this.#options;
    const { text, reasoning, providerItems } = turn;
    const calls = withUniqueIds(turn.calls, this.#usedCallIds, () => randomIds.newCallId());
    this.#items.push({ role: 'assistant', id: newItemId(), text, reasoning, calls, providerItems });
    for (const call of calls) {
      const result = await this.#answer(call, signal);
      signal.throwIfAborted();
      this.#items.push(result);
      this.#looks.push({ call, result });
    }
  }

  get #isSpent(): boolean {
    return this.#looks.length >= reviewLimits.toolCalls;
  }

  async #answer(call: ToolCall, signal: AbortSignal): Promise<Look['result']> {
    const { executor, newItemId } = this.#options;
    const planned = this.#isSpent
      ? executor.refuse(call, 'This call was not run: the calls of this review are used up.')
      : await executor.plan(call, signal);
    const { message } = await executor.run(planned, signal);
    const { callId, toolName, text, isError } = message;
    return { role: 'tool', id: newItemId(), callId, toolName, text, isError };
  }
}

function toldCall({ name, argumentsText }: ToolCall): string {
  return JSON.stringify({ tool: name, arguments: argumentsText });
}
