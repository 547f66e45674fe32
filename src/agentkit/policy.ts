import type { ContextSnapshot } from './message.ts';
import type { OutputPolicies } from './tool.ts';

/**
 * Texts and judgements the editor side supplies. Model texts are fixed bytes: every provider cache is a prefix cache.
 * Source: seed 1, "TermindAgentPolicy".
 */
export interface AgentPolicy {
  readonly systemPrompt: string;
  readonly planContract: string;
  readonly outputPolicies: OutputPolicies;
  /** The varying facts as of now, by field, redacted; a field whose text is empty says so (section 2). */
  contextFields(): ContextSnapshot;
  /** How a changed field is put in front of the message it describes. */
  contextBlock(field: string, text: string): string;
}
