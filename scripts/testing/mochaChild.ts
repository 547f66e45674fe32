/**
 * Runs mocha on the files given and leaves a report: `node mochaChild.ts <request as JSON>`. Its own process, so that
 * a suite runs on either Node and can be ended from outside.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import Mocha from 'mocha';
import { assertedGoldenFiles } from '../../test/golden.ts';
import { childRequestSchema } from './mochaRequest.ts';
import type { ChildReport } from './mochaRequest.ts';
import { plainReporter } from './plainReporter.ts';
import type { PlainResults } from './plainReporter.ts';

/** A suite that has ended and still holds something open after this has a leak. */
const lingerMs = 5_000;

/**
 * Property tests draw the same cases in every run of a suite, so that what passes here passes elsewhere.
 * `TERMIND_SEED` names other ones: a number, or `random`.
 */
const fixedSeed = 20_261_130;
const seed = process.env['TERMIND_SEED'] ?? String(fixedSeed);
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

const request = childRequestSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
const results: PlainResults = { passed: 0, failures: [], skipped: [], current: undefined };

process.once('SIGTERM', () => {
  const title = results.current ?? 'loading the files';
  console.log(`Ended from outside while this ran: ${title}`);
  writeReport([{ title, detail: 'ended from outside while this ran' }]);
  process.exit(1);
});

const mocha = new Mocha({
  ui: 'bdd',
  timeout: request.testTimeoutMs,
  forbidOnly: true,
  reporter: plainReporter(results, request.lines),
  color: process.stdout.isTTY,
  ...(request.grep === undefined ? {} : { grep: request.grep }),
});
for (const file of request.files) mocha.addFile(file);
await mocha.loadFilesAsync();
mocha.run(() => {
  const failures = writeReport([]);
  process.exitCode = failures > 0 ? 1 : 0;
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(', ');
    console.log(`The suite ended and left open: ${left}`);
    writeReport([{ title: 'leaves nothing open', detail: `left open: ${left}` }]);
    process.exit(1);
  }, lingerMs).unref();
});

/** Reports what has become of the tests so far. Returns how many failures it names, `further` included. */
function writeReport(further: ChildReport['failures']): number {
  const unexplained = results.skipped.filter((test) => test.reason === undefined);
  const report: ChildReport = {
    passed: results.passed,
    failures: [
      ...results.failures.map((test) => ({ title: test.fullTitle(), detail: detailOf(test.err) })),
      ...unexplained.map(({ title }) => ({ title, detail: 'skipped without a reason' })),
      ...further,
    ],
    skipped: results.skipped.length - unexplained.length,
    golden: [...assertedGoldenFiles()],
  };
  writeFileSync(request.reportFile, JSON.stringify(report));
  return report.failures.length;
}

function detailOf(error: Error | undefined): string {
  return error?.stack ?? error?.message ?? '';
}
