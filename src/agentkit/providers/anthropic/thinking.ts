import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelItem, ReasoningLevel } from '../../model.ts';
import { claudeModel } from './claudeModel.ts';
import { replayedBlocks } from './messagesItems.ts';

type ThinkingParts = Pick<MessageCreateParamsStreaming, 'thinking' | 'output_config'>;
type Effort = Exclude<ReasoningLevel, 'off'>;

export interface ThinkingRequest {
  readonly level: ReasoningLevel | undefined;
  readonly model: string;
  readonly maxTokens: number;
  /** What is sent. */
  readonly turns: readonly ModelItem[];
}

/**
 * How much the model thinks: a budget of tokens or an effort, whichever it knows. Nothing is said when no level is wanted.
 */
export function thinkingParts(request: ThinkingRequest): ThinkingParts {
  const { level } = request;
  if (level === undefined) return {};
  if (level === 'off') return { thinking: { type: 'disabled' } };
  if (claudeModel(request.model).isBudgeted) return budget(level, request);
  return {
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: level === 'minimal' ? 'low' : level },
  };
}

const budgets: Readonly<Record<Effort, number>> = { minimal: 1_024, low: 4_096, medium: 8_192, high: 16_384 };
const smallestBudget = 1_024;
/** Left for the answer itself, because thinking counts as output. */
const answerTokens = 1_024;

function budget(level: Effort, { maxTokens, turns }: ThinkingRequest): ThinkingParts {
  const tokens = Math.min(budgets[level], maxTokens - answerTokens);
  if (tokens < smallestBudget || continuesWithoutThought(turns)) return {};
  return { thinking: { type: 'enabled', budget_tokens: tokens } };
}

/** With a budget, an answer whose results go out must begin with its own thinking; one of another model or provider has none. */
function continuesWithoutThought(turns: readonly ModelItem[]): boolean {
  if (turns.at(-1)?.role !== 'tool') return false;
  const [first] = replayedBlocks(turns.findLast((item) => item.role === 'assistant')?.providerItems ?? []);
  return first?.type !== 'thinking' && first?.type !== 'redacted_thinking';
}
