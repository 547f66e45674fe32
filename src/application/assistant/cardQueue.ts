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
  /** Since when it is the first of the queue and on a screen, milliseconds since 1970 UTC; undefined before. */
  readonly shownAt: number | undefined;
}

/** How long the first card may wait for a screen. Then the time to answer starts without one, so that nothing waits for ever. */
export const unseenMs = 1_800_000;

interface Entry {
  card: Omit<WaitingCard, 'shownAt'>;
  readonly onShown: (() => void) | undefined;
  shownAt: number | undefined;
  unseen: Disposable | undefined;
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

  /**
   * Puts a card at the end. `onShown` is called once: when it is the first and on a screen, or when no screen showed it for `unseenMs`.
   * Listeners may remove it before this returns.
   */
  add(card: Omit<WaitingCard, 'shownAt'>, onShown?: () => void): void {
    this.#entries.push({ card, onShown, shownAt: undefined, unseen: undefined });
    this.#moved();
  }

  /** A screen shows this card. */
  noteShown(id: string): void {
    const [first] = this.#entries;
    if (first?.card.id === id) this.#show(first);
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
    for (const { unseen } of this.#entries.splice(at, 1)) unseen?.dispose();
    this.#moved();
  }

  dispose(): void {
    for (const { unseen } of this.#entries) unseen?.dispose();
    this.#changed.dispose();
  }

  #moved(): void {
    const [first] = this.#entries;
    if (first?.onShown !== undefined && first.shownAt === undefined)
      first.unseen ??= this.#clock.after(unseenMs, () => this.#show(first));
    this.#changed.fire();
  }

  #show(entry: Entry): void {
    if (entry.shownAt !== undefined) return;
    entry.unseen?.dispose();
    entry.shownAt = this.#clock.now();
    entry.onShown?.();
    this.#changed.fire();
  }
}
