import { Emitter, type Event } from '../../agentkit/index.ts';

/** How much is kept for the first listener, in bytes. */
const limit = 65_536;

/**
 * What a program says beside its bytes. The beginning is kept for the first listener: a stream is handed out a moment after its channel
 * has opened, and the first words, such as the prompt of sudo, may have come with the answer that opened it.
 */
export class HeldWords {
  readonly #words = new Emitter<Uint8Array>();
  #held: Uint8Array[] | undefined = [];
  #length = 0;

  /** The first listener gets what was kept at once. */
  readonly event: Event<Uint8Array> = (listener) => {
    const subscription = this.#words.event(listener);
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const bytes of held) this.#words.fire(bytes);
    return subscription;
  };

  fire(bytes: Uint8Array): void {
    if (this.#held === undefined) return this.#words.fire(bytes);
    const kept = bytes.subarray(0, limit - this.#length);
    this.#length += kept.length;
    if (kept.length > 0) this.#held.push(kept);
  }
}
