import {
  Emitter,
  type ClockPort,
  type ConversationId,
  type Disposable,
  type Event,
  type RunId,
  type RunQuestion,
  type UserQuestion,
} from '../../agentkit/index.ts';
import type { WaitingApproval } from './assistantLibrary.ts';

/** What one card asks. */
export type CardSubject =
  | { readonly kind: 'approval'; readonly approval: WaitingApproval }
  /** Questions of the model to the person. `timeoutMs` counts from `shownAt`. */
  | { readonly kind: 'questions'; readonly questions: readonly UserQuestion[]; readonly timeoutMs: number }
  /** The run asks whether it goes on. */
  | { readonly kind: 'run'; readonly question: RunQuestion };

/** Something that waits for the person. */
export interface WaitingCard {
  readonly id: string;
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly subject: CardSubject;
  /** Since when it is the first of the queue, milliseconds since 1970 UTC; undefined while others are in front of it. */
  readonly shownAt: number | undefined;
}

interface Entry {
  card: Omit<WaitingCard, 'shownAt'>;
  readonly onShown: () => void;
  shownAt: number | undefined;
}

/**
 * The one queue of cards of a window: approvals and questions, oldest first; views show the first one only. Whoever adds a card removes
 * it. Source: agent runtime contract, section 11; decisions 15.
 */
export class CardQueue implements Disposable {
  readonly #clock: ClockPort;
  readonly #changed = new Emitter<void>();
  readonly #entries: Entry[] = [];

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  get waiting(): readonly WaitingCard[] {
    return this.#entries.map(({ card, shownAt }) => ({ ...card, shownAt }));
  }

  /** Puts a card at the end; `onShown` is called once, when it is the first. Listeners may remove it before this returns. */
  add(card: Omit<WaitingCard, 'shownAt'>, onShown: () => void = () => {}): void {
    this.#entries.push({ card, onShown, shownAt: undefined });
    this.#moved();
  }

  /** Another version of a card, in the same place. */
  replace(id: string, subject: CardSubject): void {
    const entry = this.#entries.find(({ card }) => card.id === id);
    if (entry === undefined) return;
    entry.card = { ...entry.card, subject };
    this.#changed.fire();
  }

  remove(id: string): void {
    const at = this.#entries.findIndex(({ card }) => card.id === id);
    if (at < 0) return;
    this.#entries.splice(at, 1);
    this.#moved();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #moved(): void {
    const [first] = this.#entries;
    if (first !== undefined && first.shownAt === undefined) {
      first.shownAt = this.#clock.now();
      first.onShown();
    }
    this.#changed.fire();
  }
}
