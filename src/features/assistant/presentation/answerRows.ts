import type { AssistantMessage } from '../../../agentkit/index.ts';
import type { RowSource } from './rowSource.ts';
import { splitAnswer } from './segments.ts';

/** The row of part `index` of an answer. */
export function answerRowId(messageId: string, index: number): string {
  return index === 0 ? messageId : `${messageId}:${index}`;
}

type AnswerFacts = Pick<AssistantMessage, 'id' | 'text' | 'reasoning'> & {
  readonly reasoningMs?: number | undefined;
  readonly streaming: boolean;
};

/** The rows of one answer; none when it says and thinks nothing. */
export function answerRows(answer: AnswerFacts): Extract<RowSource, { kind: 'assistant' }>[] {
  if (answer.text.trim() === '' && answer.reasoning === '') return [];
  const segments = splitAnswer(answer.text);
  return segments.map((markdown, index) => ({
    kind: 'assistant',
    id: answerRowId(answer.id, index),
    markdown,
    reasoning: index === 0 ? answer.reasoning : '',
    reasoningMs: index === 0 ? answer.reasoningMs : undefined,
    streaming: answer.streaming && index === segments.length - 1,
  }));
}
