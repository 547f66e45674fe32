/** A test that failed, for the end of the log, where whoever reads only that finds it. */
export interface Failure {
  readonly title: string;
  /** The error with its stack, or the output of a tool; empty where the log above says it. */
  readonly detail: string;
}

/** What a suite, or one of its parts, came to. */
export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: number;
  readonly seconds: number;
  /** Nothing matched `--grep` or the files named. Alone that fails a run; among several suites it does not. */
  readonly noMatch: boolean;
  /** Golden files asserted, `undefined` where the suite does not say. */
  readonly golden: readonly string[] | undefined;
}

/** The plain line that ends every suite: `N passed, N failed`, with `, N skipped` when some were. */
export function closingLine(outcome: Pick<Outcome, 'passed' | 'failures' | 'skipped'>): string {
  const skipped = outcome.skipped > 0 ? `, ${outcome.skipped} skipped` : '';
  return `${outcome.passed} passed, ${outcome.failures.length} failed${skipped}`;
}

export function sum(name: string, parts: readonly Outcome[]): Outcome {
  const total = (pick: (part: Outcome) => number) => parts.reduce((all, part) => all + pick(part), 0);
  const golden = parts.flatMap((part) => part.golden ?? []);
  return {
    name,
    passed: total((part) => part.passed),
    failures: parts.flatMap((part) => part.failures),
    skipped: total((part) => part.skipped),
    seconds: total((part) => part.seconds),
    noMatch: parts.every((part) => part.noMatch),
    golden: parts.every((part) => part.golden !== undefined) ? [...new Set(golden)] : undefined,
  };
}

/** A suite that could not run or did not end by itself counts as one failure. */
export function brokenOutcome(name: string, seconds: number, detail: string): Outcome {
  const failures = [{ title: `${name} could not run to its end`, detail }];
  return { name, passed: 0, failures, skipped: 0, seconds, noMatch: false, golden: undefined };
}

/** At most this much of one failure is repeated. */
const detailLines = 25;

/** The failures of a run, one after the other, for the end of its log. Empty without any. */
export function describeFailures(outcomes: readonly Outcome[]): string {
  return outcomes
    .flatMap(({ name, failures }) => failures.map((failure) => ({ name, ...failure })))
    .map(({ name, title, detail }) => {
      const lines = detail.trim().split('\n').slice(0, detailLines);
      return [
        `✖ ${name}: ${title}`,
        ...lines.filter((line) => line !== '').map((line) => `    ${line}`),
      ].join('\n');
    })
    .join('\n');
}
