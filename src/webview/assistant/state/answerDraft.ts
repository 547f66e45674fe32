import type { AskedQuestion, QuestionAnswer } from '../protocol.ts';

/** What a person has put into one question so far. */
export interface AnswerDraft {
  readonly selected: readonly string[];
  /** The choice "something else" is taken; its words are in `text`. */
  readonly isOwn: boolean;
  readonly text: string;
}

export const noAnswer: AnswerDraft = { selected: [], isOwn: false, text: '' };

/** The draft after a choice was made: of several one replaces the other, unless the question takes more than one. */
export function withOption(
  question: AskedQuestion,
  draft: AnswerDraft,
  choice: { readonly id: string; readonly isOn: boolean },
): AnswerDraft {
  if (!question.isMultiple) return { ...draft, selected: choice.isOn ? [choice.id] : [], isOwn: false };
  const others = draft.selected.filter((id) => id !== choice.id);
  return { ...draft, selected: choice.isOn ? [...others, choice.id] : others };
}

/** The draft after "something else" was chosen or left. */
export function withOwn(question: AskedQuestion, draft: AnswerDraft, isOwn: boolean): AnswerDraft {
  return { ...draft, isOwn, selected: question.isMultiple || !isOwn ? draft.selected : [] };
}

/** The draft with these own words; writing some chooses them. */
export function withText(question: AskedQuestion, draft: AnswerDraft, text: string): AnswerDraft {
  return text === '' ? { ...draft, text } : { ...withOwn(question, draft, true), text };
}

/** Answers in asked order; a question that nothing was said to has none. Options come in the order in which they were offered. */
export function answersOf(
  questions: readonly AskedQuestion[],
  drafts: readonly AnswerDraft[],
): readonly QuestionAnswer[] {
  return questions.flatMap((question, index): readonly QuestionAnswer[] => {
    const { selected, isOwn, text } = drafts[index] ?? noAnswer;
    const selectedOptionIds = question.options.flatMap(({ id }) => (selected.includes(id) ? [id] : []));
    const customText = isOwn && question.allowsOwnWords ? text.trim() : '';
    if (selectedOptionIds.length === 0 && customText === '') return [];
    return [{ questionId: question.id, selectedOptionIds, ...(customText !== '' && { customText }) }];
  });
}
