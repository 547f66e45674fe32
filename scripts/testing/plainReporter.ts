import Mocha from 'mocha';
import { skipReason } from '../../test/skip.ts';

const { constants } = Mocha.Runner;
const { Base } = Mocha.reporters;
const passMark = () => Base.color('green', Base.symbols.ok);

/** Results of a run, filled in as it goes. */
export interface PlainResults {
  passed: number;
  readonly failures: Mocha.Test[];
  readonly skipped: { readonly title: string; readonly reason: string | undefined }[];
  /** The test or hook that runs now, for whoever has to say what hangs. */
  current: string | undefined;
}

/** `each`: a line a test, for slow suites. `group`: a line for each outermost `describe`. */
export type ReportLines = 'each' | 'group';

/**
 * A mocha reporter for people and logs: failures and skips with their reason at once, details of failures at the end.
 * `results` is mutated.
 */
export function plainReporter(results: PlainResults, lines: ReportLines): Mocha.ReporterConstructor {
  return class extends Base {
    constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
      super(runner, options);
      observeTests(runner, results);
      if (lines === 'each') printTests(runner);
      else printGroups(runner, results);
      runner.once(constants.EVENT_RUN_END, () => {
        if (results.failures.length > 0) Base.list(results.failures);
      });
    }
  };
}

function observeTests(runner: Mocha.Runner, results: PlainResults): void {
  for (const event of [constants.EVENT_TEST_BEGIN, constants.EVENT_HOOK_BEGIN]) {
    runner.on(event, (runnable: Mocha.Runnable) => {
      results.current = runnable.fullTitle();
    });
  }
  runner.on(constants.EVENT_TEST_PASS, () => {
    results.passed++;
  });
  runner.on(constants.EVENT_TEST_FAIL, (test, error: unknown) => {
    results.failures.push(test);
    console.log(`${Base.color('fail', Base.symbols.err)} ${test.fullTitle()}: ${firstLine(error)}`);
  });
  runner.on(constants.EVENT_TEST_PENDING, (test) => {
    const reason = skipReason(test);
    results.skipped.push({ title: test.fullTitle(), reason });
    console.log(`- ${test.fullTitle()}: skipped, ${reason ?? 'without a reason (skipBecause gives one)'}`);
  });
}

function printTests(runner: Mocha.Runner): void {
  runner.on(constants.EVENT_TEST_PASS, (test) => {
    console.log(`${passMark()} ${test.fullTitle()} ${Base.color('pass', `(${test.duration ?? 0} ms)`)}`);
  });
}

function printGroups(runner: Mocha.Runner, results: PlainResults): void {
  const count = () => [results.passed, results.failures.length, results.skipped.length] as const;
  let startedAt = 0;
  let atStart = count();
  runner.on(constants.EVENT_SUITE_BEGIN, (suite) => {
    if (suite.parent?.root !== true) return;
    startedAt = performance.now();
    atStart = count();
  });
  runner.on(constants.EVENT_SUITE_END, (suite) => {
    if (suite.parent?.root !== true) return;
    const now = count();
    const passed = now[0] - atStart[0];
    const failed = now[1] - atStart[1];
    const skipped = now[2] - atStart[2];
    const words = [`${passed} passed`];
    if (failed > 0) words.push(`${failed} failed`);
    if (skipped > 0) words.push(`${skipped} skipped`);
    const mark = failed > 0 ? Base.color('fail', Base.symbols.err) : passMark();
    const detail = `(${words.join(', ')}; ${Math.round(performance.now() - startedAt)} ms)`;
    console.log(`${mark} ${suite.title} ${Base.color('pass', detail)}`);
  });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
