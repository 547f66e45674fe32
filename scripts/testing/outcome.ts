/** What a suite, or one of its parts, came to. */
export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Nothing matched `--grep` or the files named. Alone that fails a run; among several suites it does not. */
  readonly noMatch: boolean;
  /** Golden files asserted, `undefined` where the suite does not say. */
  readonly golden: readonly string[] | undefined;
}

/** The plain line that ends every suite: `N passed, N failed`, with `, N skipped` when some were. */
export function closingLine(outcome: Pick<Outcome, 'passed' | 'failed' | 'skipped'>): string {
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : '';
  return `${outcome.passed} passed, ${outcome.failed} failed${skipped}`;
}

export function sum(name: string, parts: readonly Outcome[]): Outcome {
  const total = (pick: (part: Outcome) => number) => parts.reduce((all, part) => all + pick(part), 0);
  const golden = parts.flatMap((part) => part.golden ?? []);
  return {
    name,
    passed: total((part) => part.passed),
    failed: total((part) => part.failed),
    skipped: total((part) => part.skipped),
    seconds: total((part) => part.seconds),
    noMatch: parts.every((part) => part.noMatch),
    golden: parts.every((part) => part.golden !== undefined) ? [...new Set(golden)] : undefined,
  };
}

/** A suite that could not run or did not end by itself counts as one failure. */
export function brokenOutcome(name: string, seconds: number): Outcome {
  return { name, passed: 0, failed: 1, skipped: 0, seconds, noMatch: false, golden: undefined };
}
