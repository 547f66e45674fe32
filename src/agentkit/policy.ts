import type { StandingFact } from './compaction/standingFacts.ts';
import type { ContextSnapshot } from './message.ts';
import type { PlanGate } from './planMode.ts';
import type { OutputPolicies } from './tool.ts';

/**
 * Texts and judgements the editor side supplies. Model texts are fixed bytes: every provider cache is a prefix cache.
 * Source: seed 1, "TermindAgentPolicy".
 */
export interface AgentPolicy {
  readonly systemPrompt: string;
  /** What the model is told while it plans; a context block, never part of the system prompt. */
  readonly planContract: string;
  readonly planGate?: PlanGate;
  readonly outputPolicies: OutputPolicies;
  /** The varying facts as of now, by field, redacted; a field whose text is empty says so (section 2). */
  contextFields(): ContextSnapshot;
  /** How a changed field is put in front of the message it describes. */
  contextBlock(field: string, text: string): string;
  /**
   * What a summary must not lose and the messages do not hold: labels and ids of hosts, limits of the conversation, what waits for the
   * user, commands that run. At most 16 KiB in all; lines beyond that are counted and left out. Answers from what is known here and
   * asks no host. Source: section 22.
   */
  standingFacts?(): Promise<readonly StandingFact[]>;
}
