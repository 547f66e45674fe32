import type { Duplex } from 'node:stream';
import { untilAborted, type Disposable } from '../../../agentkit/index.ts';

/** The other side ended the stream in the middle of an answer. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
}

/**
 * Reads an answer from a paused stream, no further than it was asked to. Disposing puts back what was not asked for; the stream is paused
 * then. Reads reject with `StreamEnded`, with the stream's error, or with the signal's reason. One read at a time.
 */
export class AnswerReader implements Disposable {
  readonly #stream: Duplex;
  readonly #signal: AbortSignal;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(stream: Duplex, signal: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
  }

  async exactly(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more();
    return this.#take(length);
  }

  /** Everything up to and including `end`; undefined when that does not come within `maxBytes`. */
  async until(end: string, maxBytes: number): Promise<string | undefined> {
    for (;;) {
      const at = this.#bytes.indexOf(end, 0, 'latin1');
      if (at >= 0 && at + end.length <= maxBytes) return this.#take(at + end.length).toString('latin1');
      if (at >= 0 || this.#bytes.length >= maxBytes) return undefined;
      await this.#more();
    }
  }

  dispose(): void {
    this.#stream.pause();
    if (this.#bytes.length > 0 && !this.#stream.destroyed) this.#stream.unshift(this.#bytes);
    this.#bytes = Buffer.alloc(0);
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  /** Waits for the next bytes. The stream flows only meanwhile. */
  async #more(): Promise<void> {
    const stream = this.#stream;
    if (stream.readableEnded || stream.destroyed) throw new StreamEnded('the stream has ended');
    let tidy = (): void => {};
    const arrived = new Promise<void>((resolve, reject) => {
      const onData = (bytes: Buffer): void => {
        stream.pause();
        this.#bytes = Buffer.concat([this.#bytes, bytes]);
        resolve();
      };
      const onEnd = (): void => reject(new StreamEnded('the answer is cut off'));
      stream.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', reject);
      tidy = () =>
        stream.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', reject).pause();
    });
    arrived.catch(() => {}); // the signal may have been first
    try {
      stream.resume();
      await untilAborted(arrived, this.#signal);
    } finally {
      tidy();
    }
  }
}
