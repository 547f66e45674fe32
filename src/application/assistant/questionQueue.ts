import { randomUUID } from 'node:crypto';
import {
  problemWithAnswers,
  type ClockPort,
  type Disposable,
  type Event,
  type RunAnswer,
  type RunId,
  type RunQuestionPort,
  type UserAnswer,
  type UserInputOutcome,
  type UserInputPort,
  type UserMessage,
} from '../../agentkit/index.ts';
import type { CardQueuePort } from './assistantLibrary.ts';
import type { CardQueue, CardSubject, WaitingCard } from './cardQueue.ts';

interface Open<S extends CardSubject['kind'], T> {
  readonly runId: RunId;
  readonly subject: Extract<CardSubject, { kind: S }>;
  readonly settle: (outcome: T) => void;
}

/**
 * The questions of one window, in its queue of cards: what a model asks, and whether a run goes on. The time to answer starts when a
 * question is the first and a screen shows it. Disposing takes all of them back: an unanswered question is cancelled, an undecided run stops.
 * Source: agent runtime contract, sections 3.5 and 11; tool contract, `request_user_input`.
 */
export class QuestionQueue implements CardQueuePort, Disposable {
  readonly #cards: CardQueue;
  readonly #clock: ClockPort;
  readonly #questions = new Map<string, Open<'questions', UserInputOutcome>>();
  readonly #runs = new Map<string, Open<'run', RunAnswer>>();
  #closed = false;

  /** Whoever made `cards` disposes it. */
  constructor(cards: CardQueue, clock: ClockPort) {
    this.#cards = cards;
    this.#clock = clock;
  }

  readonly onDidChange: Event<void> = (listener) => this.#cards.onDidChange(listener);

  get waiting(): readonly WaitingCard[] {
    return this.#cards.waiting;
  }

  /** For the tools of all runs. A question without a conversation could be shown nowhere and is cancelled. */
  readonly userInput: UserInputPort = {
    ask: (request, signal) => {
      const { conversationId, runId, questions, timeoutMs } = request;
      if (conversationId === undefined || this.#closed || signal.aborted)
        return Promise.resolve({ kind: 'cancelled' });
      const id = randomUUID();
      const subject = { kind: 'questions', questions, timeoutMs } as const;
      return new Promise((resolve) => {
        let clock: Disposable | undefined;
        const withdraw = (): void => void this.#settle(this.#questions, id, { kind: 'cancelled' });
        const settle = (outcome: UserInputOutcome): void => {
          clock?.dispose();
          signal.removeEventListener('abort', withdraw);
          resolve(outcome);
        };
        signal.addEventListener('abort', withdraw, { once: true });
        this.#questions.set(id, { runId, subject, settle });
        this.#cards.add({ id, conversationId, runId, subject }, () => {
          const timedOut = (): void => void this.#settle(this.#questions, id, { kind: 'timedOut' });
          clock = this.#clock.after(timeoutMs, timedOut);
        });
      });
    },
  };

  /** For the guards of all runs. */
  readonly runQuestions: RunQuestionPort = {
    ask: ({ runId, conversationId, ...question }, signal) => {
      if (this.#closed || signal.aborted) return Promise.resolve({ kind: 'stop' });
      const id = randomUUID();
      const subject = { kind: 'run', question } as const;
      return new Promise((resolve) => {
        const withdraw = (): void => void this.#settle(this.#runs, id, { kind: 'stop' });
        const settle = (answer: RunAnswer): void => {
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        signal.addEventListener('abort', withdraw, { once: true });
        this.#runs.set(id, { runId, subject, settle });
        this.#cards.add({ id, conversationId, runId, subject });
      });
    },
  };

  noteShown(cardId: string): void {
    this.#cards.noteShown(cardId);
  }

  answerQuestions(cardId: string, answers: readonly UserAnswer[]): boolean {
    const open = this.#questions.get(cardId);
    if (open === undefined || problemWithAnswers(open.subject.questions, answers) !== undefined) return false;
    return this.#settle(this.#questions, cardId, { kind: 'answered', answers });
  }

  cancelQuestions(cardId: string): boolean {
    return this.#settle(this.#questions, cardId, { kind: 'cancelled' });
  }

  decideRun(cardId: string, verdict: 'continue' | 'stop'): boolean {
    return this.#settle(this.#runs, cardId, { kind: verdict });
  }

  /** A message of the person answers the question of a run that goes in circles; false when this run asks no such thing. */
  answerLoop(runId: RunId, message: UserMessage): boolean {
    for (const [id, open] of this.#runs)
      if (open.runId === runId && open.subject.question.kind === 'loop')
        return this.#settle(this.#runs, id, { kind: 'message', message });
    return false;
  }

  dispose(): void {
    this.#closed = true;
    for (const id of [...this.#questions.keys()]) this.#settle(this.#questions, id, { kind: 'cancelled' });
    for (const id of [...this.#runs.keys()]) this.#settle(this.#runs, id, { kind: 'stop' });
  }

  #settle<T>(open: Map<string, { readonly settle: (outcome: T) => void }>, id: string, outcome: T): boolean {
    const found = open.get(id);
    if (found === undefined) return false;
    open.delete(id);
    found.settle(outcome);
    this.#cards.remove(id);
    return true;
  }
}
