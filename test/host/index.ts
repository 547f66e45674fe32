/**
 * The entry that VS Code calls inside the extension host. Bundled to CommonJS; the bundled test files lie beside it.
 * What happened is written as JSON to the file that TERMIND_HOST_REPORT names, since the host's own exit code is 0 even
 * when the host is killed.
 */
import { globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { skipReason } from '../skip.ts';
import type { HostReport, HostResult } from './hostReport.ts';

/** Resolves when every test has run and the report is written, whatever the tests said. Source: editor API, extensionTestsPath. */
export async function run(): Promise<void> {
  const reportFile = process.env['TERMIND_HOST_REPORT'];
  if (reportFile === undefined) throw new Error('TERMIND_HOST_REPORT names no file');
  const grep = process.env['TERMIND_HOST_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 20_000,
    color: false,
    forbidOnly: true,
    ...(grep ? { grep } : {}),
  });
  for (const file of globSync('*.test.js', { cwd: __dirname }).sort())
    mocha.addFile(path.join(__dirname, file));

  const results: HostResult[] = [];
  const { constants } = Mocha.Runner;
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on(constants.EVENT_TEST_PASS, (test) => {
        results.push({ title: test.fullTitle(), state: 'passed', ms: test.duration ?? 0 });
      })
      .on(constants.EVENT_TEST_PENDING, (test) => {
        const reason = skipReason(test);
        results.push({
          title: test.fullTitle(),
          state: 'skipped',
          ...(reason === undefined ? {} : { reason }),
        });
      })
      .on(constants.EVENT_TEST_FAIL, (test, error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        results.push({ title: test.fullTitle(), state: 'failed', error: text });
      });
  });
  const report: HostReport = { results };
  writeFileSync(reportFile, JSON.stringify(report));
}
