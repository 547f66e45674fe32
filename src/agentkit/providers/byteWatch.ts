import { ProviderError } from '../model.ts';

/** One event larger than this is not a model's answer. */
const maxEventBytes = 16 * 1024 * 1024;

/** An empty line, in each of the line ends of the protocol. */
const eventEnds = ['\n\n', '\r\n\r\n', '\r\r'] as const;

export const beat = Symbol('beat');

/**
 * Sees the bytes of one streamed response under an SDK, which shows whole events only: that something arrived at all (a head, a
 * keep-alive, half an event), and whether the body ended inside an event.
 */
export class ByteWatch {
  #next = new Beat();
  #hasEnded = false;
  #tail = '';
  #sinceEventEnd = 0;

  /** True when the body ended and its last event was not closed by an empty line. */
  get endedInsideEvent(): boolean {
    return this.#hasEnded && !eventEnds.some((end) => this.#tail.endsWith(end));
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
    const text = this.#tail + Buffer.from(chunk).toString('latin1');
    const eventEnd = Math.max(...eventEnds.map((end) => text.lastIndexOf(end)));
    this.#sinceEventEnd = eventEnd < 0 ? this.#sinceEventEnd + chunk.length : text.length - eventEnd;
    this.#tail = text.slice(-4);
    if (this.#sinceEventEnd > maxEventBytes)
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
