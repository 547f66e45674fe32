import { CeilingMeter, type RunCeilings } from './ceilings.ts';
import { untilAborted } from './clock.ts';
import type { ConversationId, RunId } from './ids.ts';
import { LoopGuard } from './loopGuard.ts';
import type { Usage, UserMessage } from './message.ts';
import type { AnsweredCall } from './plannedCall.ts';
import { RunFailed, RunStopped } from './runFailure.ts';
import type { RunLedger } from './runLedger.ts';
import type { RunAnswer, RunQuestion, RunQuestionPort } from './runQuestions.ts';
import type { ToolRegistry } from './toolRegistry.ts';

export interface RunGuardsOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly registry: Pick<ToolRegistry, 'find'>;
  readonly ceilings: RunCeilings;
  readonly price: (usage: Usage) => number | undefined;
  readonly questions: RunQuestionPort | undefined;
  readonly ledger: RunLedger;
  /** Told when calls repeat, before anybody is asked. */
  readonly onLoop: (repeats: number) => void;
  /** Stop. */
  readonly signal: AbortSignal;
}

/** What the model reads next because of a loop; undefined = nothing. */
export type LoopAdvice =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'message'; readonly message: UserMessage }
  | undefined;

/**
 * Keeps a run from going round in circles and from spending more than the user allowed. Where it cannot decide it asks; where nobody can
 * be asked the run ends. Source: agent runtime contract, section 3.5.
 */
export class RunGuards {
  readonly #options: RunGuardsOptions;
  readonly #loops: LoopGuard;
  readonly #ceilings: CeilingMeter;

  constructor(options: RunGuardsOptions) {
    this.#options = options;
    this.#loops = new LoopGuard(options.registry);
    this.#ceilings = new CeilingMeter(options.ceilings, options.price);
  }

  countTurn(usage: Usage | undefined): void {
    this.#ceilings.countTurn(usage);
  }

  /** A request beside the turns. */
  countUsage(usage: Usage | undefined): void {
    this.#ceilings.countUsage(usage);
  }

  /** A request beside the turns that another model answered. */
  countCost(cost: number): void {
    this.#ceilings.countCost(cost);
  }

  /** Throws `RunFailed` `ceilingReached` or `RunStopped`; otherwise the next turn may begin. */
  async beforeTurn(): Promise<void> {
    for (let reached = this.#ceilings.reached(); reached !== undefined; reached = this.#ceilings.reached()) {
      const answer = await this.#ask({ kind: 'ceiling', ...reached });
      if (answer === undefined)
        throw new RunFailed('ceilingReached', { limit: String(reached.limit), unit: reached.unit });
      this.#ceilings.extend(reached.unit);
    }
  }

  /** Throws `RunFailed` `loopStopped` or `RunStopped`. */
  async afterBatch(batch: readonly AnsweredCall[]): Promise<LoopAdvice> {
    const finding = this.#loops.observe(batch);
    if (finding.kind === 'none') return undefined;
    const { repeats } = finding;
    this.#options.onLoop(repeats);
    if (finding.kind === 'note') return { kind: 'note', text: noteText(repeats) };
    const toolNames = [...new Set(batch.map((answered) => answered.call.name))];
    const answer = await this.#ask({ kind: 'loop', repeats, toolNames });
    this.#loops.reset();
    if (answer === undefined) throw new RunFailed('loopStopped', { repeats: String(repeats) });
    return answer.kind === 'message' ? answer : undefined;
  }

  /** Undefined when nobody could be asked. Throws when the answer is Stop. */
  async #ask(question: RunQuestion): Promise<Exclude<RunAnswer, { kind: 'stop' }> | undefined> {
    const { questions, runId, conversationId, ledger, signal } = this.#options;
    if (questions === undefined) return undefined;
    const waiting = ledger.hold('waitingForUser');
    try {
      const asked = questions.ask({ ...question, runId, conversationId }, signal);
      const answer = await untilAborted(asked, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (answer?.kind === 'stop') throw new RunStopped();
      return answer;
    } finally {
      waiting.dispose();
    }
  }
}

function noteText(repeats: number): string {
  return `The same calls have given the same results ${String(repeats)} times in a row. Repeating them again will not help: try another approach, or tell the user what is missing.`;
}
