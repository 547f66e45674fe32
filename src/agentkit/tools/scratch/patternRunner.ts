import { Worker } from 'node:worker_threads';
import { AgentError } from '../../agentError.ts';
import { abortReason, type ClockPort } from '../../clock.ts';
import type { Disposable } from '../../lifetime.ts';

/** All texts of one call together. A pattern can run for ever on a short text, so it runs where it can be ended. */
const longestRunMs = 5_000;

/** One match: where it starts and ends, and its groups; a group that took no part is null. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | null)[];
}

export interface Pattern {
  readonly source: string;
  readonly isCaseSensitive: boolean;
}

/**
 * `(?i)` in front makes it case-insensitive. Undefined when it is no regular expression. Source: tool contract, section 6.
 */
export function parsePattern(text: string, isCaseSensitive: boolean): Pattern | undefined {
  const pattern = text.startsWith('(?i)')
    ? { source: text.slice('(?i)'.length), isCaseSensitive: false }
    : { source: text, isCaseSensitive };
  try {
    compile(pattern);
    return pattern;
  } catch {
    return undefined;
  }
}

/** Unicode rules where the pattern allows them: they refuse escapes that mean nothing, which models like to write. */
function compile({ source, isCaseSensitive }: Pattern): RegExp {
  const flags = isCaseSensitive ? 'gm' : 'gim';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}

const workerSource = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, most, perLine }) => {
  const matches = [];
  pattern.lastIndex = 0;
  for (let match; matches.length < most && (match = pattern.exec(text)) !== null; ) {
    matches.push({
      start: match.index,
      end: match.index + match[0].length,
      groups: match.slice(1).map((group) => (group === undefined ? null : group)),
    });
    const lineFeed = perLine ? text.indexOf('\\n', match.index) : -1;
    if (perLine && lineFeed < 0) break;
    if (perLine) pattern.lastIndex = lineFeed + 1;
    else if (match[0] === '') pattern.lastIndex++;
  }
  parentPort.postMessage(matches);
});
`;

/**
 * Runs one pattern over texts, in a thread that is ended after five seconds, on abort and on `dispose`. Whoever creates it disposes
 * it.
 */
export class PatternRunner implements Disposable {
  readonly #worker: Worker;
  readonly #clock: ClockPort;
  #leftMs = longestRunMs;

  constructor(pattern: Pattern, clock: ClockPort) {
    const { source, flags } = compile(pattern);
    this.#worker = new Worker(workerSource, { eval: true, workerData: { source, flags } });
    this.#worker.unref();
    this.#clock = clock;
  }

  /** The first `most` matches; with `perLine` at most one for each line it starts in. Rejects with `invalidArguments` when time is over. */
  run(
    request: { readonly text: string; readonly most: number; readonly perLine: boolean },
    signal: AbortSignal,
  ): Promise<readonly PatternMatch[]> {
    const startedAt = this.#clock.monotonic();
    return new Promise<readonly PatternMatch[]>((resolve, reject) => {
      const timer = this.#clock.after(this.#leftMs, () => settle(() => reject(tooSlow())));
      const answered = (matches: readonly PatternMatch[]): void => settle(() => resolve(matches));
      const failed = (error: unknown): void =>
        settle(() => reject(new Error('the pattern failed', { cause: error })));
      const stopped = (): void => settle(() => reject(abortReason(signal)));
      const settle = (how: () => void): void => {
        timer.dispose();
        this.#worker.off('message', answered);
        this.#worker.off('error', failed);
        signal.removeEventListener('abort', stopped);
        this.#leftMs -= this.#clock.monotonic() - startedAt;
        how();
      };
      this.#worker.once('message', answered);
      this.#worker.once('error', failed);
      signal.addEventListener('abort', stopped, { once: true });
      if (signal.aborted) stopped();
      else this.#worker.postMessage(request);
    });
  }

  dispose(): void {
    void this.#worker.terminate();
  }
}

function tooSlow(): AgentError {
  const problem = `the pattern took longer than ${longestRunMs / 1_000} seconds; make it simpler`;
  return new AgentError('invalidArguments', { problem });
}
