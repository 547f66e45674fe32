import { z } from 'zod';
import type { MessageId } from './ids.ts';
import type { Message, PersonGesture, ToolMessage, UserMessage } from './message.ts';

/** Something the user wrote or chose, and where. */
export interface UserWords {
  readonly provenance: 'direct_user' | 'request_user_input';
  readonly id: MessageId;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly text: string;
}

/** Name of the built-in tool whose answers are words of the user. A remote tool cannot take the name: built-in tools come first. */
export const userInputTool = 'request_user_input';

/** What the tool keeps with its result, for the card and for whoever weighs what the user said. */
export const answeredQuestions = z.object({
  answers: z.array(z.object({ question: z.string(), answer: z.string().nullable() })).readonly(),
});

/**
 * Everything the user said in a history, in order: messages of their own and answers to questions. Messages of other chats, of the
 * runtime and of models are no words of the user. Source: agent runtime contract, section 12, "Evidence".
 */
export function userWords(messages: readonly Message[]): readonly UserWords[] {
  return messages.flatMap((message): readonly UserWords[] => {
    const { id, createdAt: at } = message;
    if (message.role === 'user')
      return wordsOf(message).map((said) => ({ provenance: 'direct_user', id, at, text: said }));
    if (message.role !== 'tool') return [];
    const text = answersOf(message);
    return text === '' ? [] : [{ provenance: 'request_user_input', id, at, text }];
  });
}

/** What a gesture says. Names and contents of what it is about were written by a model. */
const gestureWords: Readonly<Record<PersonGesture, string>> = {
  implementPlan: 'Implement the plan that you presented last.',
};

function wordsOf({ origin, text }: UserMessage): readonly string[] {
  if (origin.kind !== 'person' || text.trim() === '') return [];
  return [origin.gesture === undefined ? text : gestureWords[origin.gesture]];
}

/** Questions with their answers, one to a line; a skipped question says nothing. */
function answersOf(message: ToolMessage): string {
  if (message.toolName !== userInputTool || message.isError) return '';
  const parsed = answeredQuestions.safeParse(message.presentation);
  if (!parsed.success) return '';
  return parsed.data.answers
    .flatMap(({ question, answer }) =>
      answer === null ? [] : [`${JSON.stringify(question)} was answered ${JSON.stringify(answer)}`],
    )
    .join('\n');
}
