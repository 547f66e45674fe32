/**
 * Runs one suite, or all of them: `test.ts [check|unit|integration|host|e2e] [--grep text] [part of a file name …]`.
 * All go on after one has failed. The last line is the sum, `N passed, N failed`; a run of no tests fails.
 */
import { parseArgs } from 'node:util';
import { prepareEditors } from '../testing/prepareEditors.ts';
import { goldenOutcome } from '../testing/goldenOutcome.ts';
import type { Selection } from '../testing/mochaRun.ts';
import { brokenOutcome, closingLine, describeFailures, sum } from '../testing/outcome.ts';
import type { Outcome } from '../testing/outcome.ts';
import { checkSuite } from '../testing/suites/checkSuite.ts';
import { e2eSuite } from '../testing/suites/e2eSuite.ts';
import { hostSuite } from '../testing/suites/hostSuite.ts';
import { integrationSuite, unitSuite } from '../testing/suites/nodeSuites.ts';
import { explain, runCommand } from '../setup/setupFault.mjs';

type Suite = (selection: Selection) => Promise<Outcome>;

const suites: ReadonlyMap<string, Suite> = new Map<string, Suite>([
  ['check', checkSuite],
  ['unit', unitSuite],
  ['integration', integrationSuite],
  ['host', hostSuite],
  ['e2e', e2eSuite],
]);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { grep: { type: 'string', short: 'g' } },
    allowPositionals: true,
  });
  const [first = '', ...rest] = positionals;
  const alone = suites.get(first);
  const selection: Selection = { grep: values.grep, files: alone === undefined ? positionals : rest };
  if (alone !== undefined) {
    const outcome = await alone(selection);
    return conclude(outcome);
  }
  return runAll(selection);
}

async function runAll(selection: Selection): Promise<number> {
  // Both editors take a minute to set up on a new machine, and nothing before `host` needs them.
  const editors = prepareEditors();
  const outcomes: Outcome[] = [];
  for (const [name, suite] of suites) {
    console.log(`\n── ${name} ──`);
    const outcome = await suite(selection).catch((error: unknown) => {
      const detail = explain(error);
      console.log(detail);
      return brokenOutcome(name, 0, detail);
    });
    outcomes.push(outcome);
  }
  await editors;
  const isWhole = selection.grep === undefined && selection.files.length === 0;
  if (isWhole) outcomes.push(goldenOutcome(outcomes));

  console.log('\n── summary ──');
  for (const outcome of outcomes) {
    const words = outcome.noMatch ? 'nothing to run' : closingLine(outcome);
    console.log(
      `${outcome.failures.length > 0 ? '✖' : '✔'} ${outcome.name.padEnd(12)} ${words} (${outcome.seconds.toFixed(1)} s)`,
    );
  }
  const failures = describeFailures(outcomes);
  if (failures !== '') console.log(`\n── what failed ──\n${failures}`);
  return conclude(sum('all', outcomes));
}

function conclude(outcome: Outcome): number {
  if (outcome.noMatch) console.log('No test was run.');
  console.log(`\n${closingLine(outcome)}`);
  return outcome.failures.length > 0 || outcome.passed === 0 ? 1 : 0;
}

await runCommand(main);
