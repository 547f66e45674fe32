import type { CallId, ConversationId, RunId } from '../../ids.ts';

export interface UserOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** What the model would choose. Preselects nothing. */
  readonly recommended: boolean;
}

/** One question of the model. Redacted. Without options it is answered in the user's own words. */
export interface UserQuestion {
  readonly id: string;
  readonly header?: string;
  readonly prompt: string;
  readonly options: readonly UserOption[];
  readonly multiSelect: boolean;
  /** An answer in the user's own words is taken too. */
  readonly allowCustom: boolean;
  readonly customPlaceholder?: string;
}

/** The answer to one question; a question that is skipped has none. */
export interface UserAnswer {
  readonly questionId: string;
  readonly selectedOptionIds: readonly string[];
  readonly customText?: string;
}

export interface UserInputRequest {
  readonly runId: RunId;
  readonly conversationId?: ConversationId;
  readonly callId: CallId;
  /** One to three. */
  readonly questions: readonly UserQuestion[];
  /** Counts from the moment the questions are shown, not from when they were asked. */
  readonly timeoutMs: number;
}

export type UserInputOutcome =
  | { readonly kind: 'answered'; readonly answers: readonly UserAnswer[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timedOut' };

/** Asks the person in front of the run. An abort withdraws the questions; the promise may then settle in any way. */
export interface UserInputPort {
  ask(request: UserInputRequest, signal: AbortSignal): Promise<UserInputOutcome>;
}

/** What is wrong with answers to these questions; undefined when they can be taken. */
export function problemWithAnswers(
  questions: readonly UserQuestion[],
  answers: readonly UserAnswer[],
): string | undefined {
  const seen = new Set<string>();
  for (const answer of answers) {
    const question = questions.find(({ id }) => id === answer.questionId);
    if (question === undefined) return 'an answer to no question';
    if (seen.has(question.id)) return 'two answers to one question';
    seen.add(question.id);
    const problem = problemWithAnswer(question, answer);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemWithAnswer(question: UserQuestion, answer: UserAnswer): string | undefined {
  const { selectedOptionIds: selected, customText } = answer;
  if (new Set(selected).size !== selected.length) return 'an option selected twice';
  if (selected.some((id) => !question.options.some((option) => option.id === id)))
    return 'an option that was not offered';
  const custom = customText === undefined ? 0 : 1;
  if (custom > 0 && !question.allowCustom) return 'own words where none are taken';
  if (!question.multiSelect && selected.length + custom > 1) return 'more than one choice';
  return undefined;
}
