import type { ReachedCeiling } from './ceilings.ts';
import type { ConversationId, RunId } from './ids.ts';
import type { UserMessage } from './message.ts';

/** What a run cannot decide itself. Source: agent runtime contract, section 3.5. */
export type RunQuestion =
  | { readonly kind: 'loop'; readonly repeats: number; readonly toolNames: readonly string[] }
  | ({ readonly kind: 'ceiling' } & ReachedCeiling);

export type RunAnswer =
  | { readonly kind: 'continue' }
  | { readonly kind: 'stop' }
  /** For a loop: goes on with this message as the next thing the model reads. */
  | { readonly kind: 'message'; readonly message: UserMessage };

/** Asks the person in front of the run. Whatever is not an answer stops the run. */
export interface RunQuestionPort {
  ask(
    question: RunQuestion & { readonly runId: RunId; readonly conversationId: ConversationId },
    signal: AbortSignal,
  ): Promise<RunAnswer>;
}
