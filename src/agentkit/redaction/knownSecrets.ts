import type { Disposable } from '../lifetime.ts';
import type { SecretRegistry } from '../redactor.ts';
import { knownForms } from './knownForms.ts';
import { mark, type Range } from './mark.ts';

/**
 * The values a window knows, in every form they may appear. Holds bytes only, overwritten when the last holder of a value disposes
 * it; the caller's own buffer is neither kept nor changed. Source: agent runtime contract, sections 13 and 14; decisions 26.
 */
export class KnownSecrets implements SecretRegistry, Disposable {
  readonly #entries = new Set<readonly Buffer[]>();
  #version = 0;

  /** Changes whenever the forms do. */
  get version(): number {
    return this.#version;
  }

  /** UTF-16 units of the longest form. */
  get longest(): number {
    let longest = 0;
    for (const form of this.forms()) longest = Math.max(longest, form.length / 2);
    return longest;
  }

  add(value: Uint8Array): Disposable {
    const forms = knownForms(value);
    this.#entries.add(forms);
    this.#version++;
    return {
      dispose: () => {
        if (!this.#entries.delete(forms)) return;
        this.#version++;
        wipe(forms);
      },
    };
  }

  /** UTF-16LE, read-only, gone when their value is disposed. */
  *forms(): Iterable<Buffer> {
    for (const forms of this.#entries) yield* forms;
  }

  /** Where known values stand in one line; never across a mark. */
  ranges(line: string): readonly Range[] {
    const ranges: { start: number; end: number }[] = [];
    const bytes = Buffer.from(line, 'utf16le');
    const marks = markStarts(line);
    for (const form of this.forms()) {
      const units = form.length / 2;
      for (let at = bytes.indexOf(form, 0, 'utf16le'); at >= 0; at = bytes.indexOf(form, at + 2, 'utf16le')) {
        const start = at / 2;
        const last = ranges.at(-1);
        if (meetsMark(marks, start, start + units)) continue;
        if (last !== undefined && start >= last.start && start <= last.end)
          last.end = Math.max(last.end, start + units);
        else ranges.push({ start, end: start + units });
      }
    }
    return ranges;
  }

  /** How many units at the end of `text` may be the beginning of a known value that is still to come. */
  unfinishedTail(text: string): number {
    let longest = 0;
    const tail = Buffer.from(text.slice(-this.longest), 'utf16le');
    for (const form of this.forms()) {
      for (let bytes = Math.min(tail.length, form.length - 2); bytes > 2 * longest; bytes -= 2)
        if (tail.subarray(tail.length - bytes).equals(form.subarray(0, bytes))) longest = bytes / 2;
    }
    return longest;
  }

  dispose(): void {
    for (const forms of this.#entries) wipe(forms);
    this.#entries.clear();
    this.#version++;
  }
}

/** The registry of one window. Whoever creates it disposes it. */
export function createSecretRegistry(): KnownSecrets {
  return new KnownSecrets();
}

function wipe(forms: readonly Buffer[]): void {
  for (const form of forms) form.fill(0);
}

function markStarts(line: string): readonly number[] {
  const starts: number[] = [];
  for (let at = line.indexOf(mark); at >= 0; at = line.indexOf(mark, at + mark.length)) starts.push(at);
  return starts;
}

/** Whether one of the marks, which start at these places in order, shares a unit with the range. */
function meetsMark(starts: readonly number[], from: number, to: number): boolean {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) + mark.length <= from) low = middle + 1;
    else high = middle;
  }
  return (starts[low] ?? Infinity) < to;
}
