import { setImmediate } from 'node:timers/promises';

/** Units that are worked on in one go: some milliseconds where every line looks like a secret. */
export const sliceUnits = 8_192;

/** The parts of a text one after the other, with a turn of the event loop behind each. Throws the signal's reason. */
export async function* textSlices(text: string, signal: AbortSignal): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += sliceUnits) {
    yield text.slice(at, at + sliceUnits);
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** Counts as `countLines` does, while the text goes by. */
export class LineCount {
  #feeds = 0;
  #endsInsideLine = false;

  add(part: string): void {
    if (part === '') return;
    for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) this.#feeds++;
    this.#endsInsideLine = !part.endsWith('\n');
  }
  get lines(): number {
    return this.#feeds + (this.#endsInsideLine ? 1 : 0);
  }
}
