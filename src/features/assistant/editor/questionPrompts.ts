import * as vscode from 'vscode';
import {
  DisposableBag,
  type Disposable,
  type UserAnswer,
  type UserQuestion,
} from '../../../agentkit/index.ts';
import type { CardQueuePort } from '../../../application/assistant/assistantLibrary.ts';
import type { WaitingCard } from '../../../application/assistant/cardQueue.ts';

type Questions = Extract<WaitingCard['subject'], { kind: 'questions' }>;
type RunDecision = Extract<WaitingCard['subject'], { kind: 'run' }>['question'];

/**
 * Shows the first card of the queue, when it is a question, in the editor's own pickers. A picker closes when its card is settled in
 * another way: by Stop, by time, by a message. Escape answers nothing, which cancels the questions and stops a run. Approvals have
 * their card in the assistant view.
 */
export function showQuestions(cards: CardQueuePort, onError: (error: unknown) => void): Disposable {
  const bag = new DisposableBag();
  let shown: { readonly id: string; readonly closing: vscode.CancellationTokenSource } | undefined;
  const look = (): void => {
    const [first] = cards.waiting;
    if (shown !== undefined && first?.id === shown.id) return;
    shown?.closing.cancel();
    shown = undefined;
    if (first === undefined || first.subject.kind === 'approval') return;
    const closing = new vscode.CancellationTokenSource();
    shown = { id: first.id, closing };
    ask(cards, first, closing.token)
      .catch(onError)
      .finally(() => closing.dispose());
  };
  bag.add(cards.onDidChange(look));
  bag.add({ dispose: () => shown?.closing.cancel() });
  look();
  return bag;
}

async function ask(cards: CardQueuePort, card: WaitingCard, token: vscode.CancellationToken): Promise<void> {
  switch (card.subject.kind) {
    case 'approval':
      return;
    case 'questions': {
      const answers = await answersTo(card.subject, token);
      if (token.isCancellationRequested) return;
      if (answers === undefined || !cards.answerQuestions(card.id, answers)) cards.cancelQuestions(card.id);
      return;
    }
    case 'run': {
      const verdict = await decide(card.subject.question, token);
      if (!token.isCancellationRequested) cards.decideRun(card.id, verdict);
      return;
    }
  }
}

/** The answers in asked order, or undefined when the person leaves. */
async function answersTo(
  { questions }: Questions,
  token: vscode.CancellationToken,
): Promise<readonly UserAnswer[] | undefined> {
  const answers: UserAnswer[] = [];
  for (const [index, question] of questions.entries()) {
    const title = vscode.l10n.t(
      'The assistant asks ({0} of {1}): {2}',
      index + 1,
      questions.length,
      question.header ?? '',
    );
    const answer = await answerTo(question, title, token);
    if (answer === undefined) return undefined;
    answers.push({ questionId: question.id, ...answer });
  }
  return answers;
}

type Answer = Omit<UserAnswer, 'questionId'>;

async function answerTo(
  question: UserQuestion,
  title: string,
  token: vscode.CancellationToken,
): Promise<Answer | undefined> {
  if (question.options.length === 0) return ownWords(question, title, token);
  const own = { label: vscode.l10n.t('$(edit) Something else…'), id: undefined };
  const items = [
    ...question.options.map((option) => ({
      label: option.label,
      ...(option.description !== undefined && { detail: option.description }),
      ...(option.recommended && { description: vscode.l10n.t('recommended') }),
      id: option.id,
    })),
    ...(question.allowCustom ? [own] : []),
  ];
  const options = { title, placeHolder: question.prompt, ignoreFocusOut: true };
  const picked = question.multiSelect
    ? await vscode.window.showQuickPick(items, { ...options, canPickMany: true }, token)
    : await vscode.window.showQuickPick(items, options, token).then((one) => one && [one]);
  if (picked === undefined) return undefined;
  const selectedOptionIds = picked.flatMap(({ id }) => id ?? []);
  if (!picked.some(({ id }) => id === undefined)) return { selectedOptionIds };
  const words = await ownWords(question, title, token);
  return words && { ...words, selectedOptionIds };
}

async function ownWords(
  question: UserQuestion,
  title: string,
  token: vscode.CancellationToken,
): Promise<Answer | undefined> {
  const text = await vscode.window.showInputBox(
    {
      title,
      prompt: question.prompt,
      ...(question.customPlaceholder !== undefined && { placeHolder: question.customPlaceholder }),
      ignoreFocusOut: true,
    },
    token,
  );
  if (text === undefined) return undefined;
  return { selectedOptionIds: [], ...(text !== '' && { customText: text }) };
}

/** Whatever is not a clear yes stops the run. */
async function decide(question: RunDecision, token: vscode.CancellationToken): Promise<'continue' | 'stop'> {
  const stop = { label: vscode.l10n.t('Stop') };
  const goOn = { label: vscode.l10n.t('Continue') };
  const picked = await vscode.window.showQuickPick(
    [stop, goOn],
    { title: runTitle(question), placeHolder: vscode.l10n.t('Does it go on?'), ignoreFocusOut: true },
    token,
  );
  return picked === goOn ? 'continue' : 'stop';
}

function runTitle(question: RunDecision): string {
  if (question.kind === 'loop')
    return vscode.l10n.t(
      'The assistant got the same results {0} times in a row ({1})',
      question.repeats,
      question.toolNames.join(', '),
    );
  return question.unit === 'turns'
    ? vscode.l10n.t('The run has taken {0} turns; your limit is {1}', question.used, question.limit)
    : vscode.l10n.t('The run has cost {0}; your limit is {1}', question.used, question.limit);
}
