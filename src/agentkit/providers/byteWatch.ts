import { ProviderError } from '../model.ts';

/** One event larger than this is not a model's answer. */
const maxEventBytes = 16 * 1024 * 1024;

export const beat = Symbol('beat');

/**
 * Sees the bytes of one streamed response under an SDK, which shows whole events only: that something arrived at all (a head, a
 * keep-alive, half an event), and whether the body ended inside an event.
 */
export class ByteWatch {
  #next = new Beat();
  #hasEnded = false;
  #tail = '';
  #sinceLineEnd = 0;

  /** True when the body ended and its last event was not closed by an empty line. */
  get endedInsideEvent(): boolean {
    return this.#hasEnded && !/(?:\r\n\r\n|\n\n|\r\r)$/.test(this.#tail);
  }

  /** The same fetch, watched. */
  watch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      this.#beat();
      if (response.body === null) return response;
      const watched = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            this.#see(chunk);
            controller.enqueue(chunk);
          },
          flush: () => {
            this.#hasEnded = true;
          },
        }),
      );
      const { status, statusText, headers } = response;
      return new Response(watched, { status, statusText, headers });
    };
  }

  /** The items of `source`, with a `beat` for bytes that have not become an item. */
  async *interleave<T>(source: AsyncIterable<T>): AsyncGenerator<T | typeof beat, void, undefined> {
    const iterator = source[Symbol.asyncIterator]();
    try {
      for (let next = iterator.next(); ;) {
        const first = await Promise.race([next, this.#next.seen]);
        if (first === beat) {
          this.#next = new Beat();
          yield beat;
          continue;
        }
        if (first.done === true) return;
        yield first.value;
        next = iterator.next();
      }
    } finally {
      await iterator.return?.();
    }
  }

  #see(chunk: Uint8Array): void {
    this.#tail = (this.#tail + Buffer.from(chunk.subarray(-4)).toString('latin1')).slice(-4);
    const lineEnd = chunk.lastIndexOf(0x0a);
    this.#sinceLineEnd = lineEnd < 0 ? this.#sinceLineEnd + chunk.length : chunk.length - lineEnd - 1;
    if (this.#sinceLineEnd > maxEventBytes)
      throw new ProviderError({ code: 'malformed', retryable: false, detail: 'an event without end' });
    this.#beat();
  }

  #beat(): void {
    this.#next.arrive();
  }
}

class Beat {
  readonly seen: Promise<typeof beat>;
  arrive: () => void = () => {};

  constructor() {
    this.seen = new Promise((resolve) => (this.arrive = () => resolve(beat)));
  }
}
