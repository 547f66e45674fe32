import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from '../../build/build.ts';
import { root } from '../../checkout.ts';
import { ensureEditor } from '../../setup/editor.ts';
import { ensureSystem } from '../../setup/systemPackages.ts';
import { hostReportSchema } from '../../../test/host/hostReport.ts';
import type { HostReport } from '../../../test/host/hostReport.ts';
import { bundleHostTests } from '../bundleHostTests.ts';
import { runInDesktop, runInServer } from '../extensionHost.ts';
import type { HostRun } from '../extensionHost.ts';
import type { Selection } from '../mochaRun.ts';
import { brokenOutcome } from '../outcome.ts';
import type { Failure, Outcome } from '../outcome.ts';

const boundMs = 5 * 60_000;

/**
 * Mocha inside the real extension host, on the folder of the checkout. `TERMIND_EDITOR=desktop` takes the desktop
 * editor of a person's machine instead of the server.
 */
export async function hostSuite(selection: Selection): Promise<Outcome> {
  const startedAt = performance.now();
  const isDesktop = process.env['TERMIND_EDITOR'] === 'desktop';
  await ensureSystem(isDesktop ? ['ssh'] : ['browser', 'ssh']);
  await build({ dev: true });
  const entry = await bundleHostTests(selection.files);
  const folder = mkdtempSync(path.join(tmpdir(), 'termind-host-'));
  const reportFile = path.join(folder, 'report.json');
  try {
    const run: HostRun = {
      // The second one is what tests of language models talk to.
      extensions: [root, path.join(root, 'test/host/chatModels')],
      entry,
      boundMs,
      env: {
        TERMIND_HOST_REPORT: reportFile,
        ...(selection.grep === undefined ? {} : { TERMIND_HOST_GREP: selection.grep }),
      },
    };
    const end = isDesktop ? await runInDesktop(run) : await runInServer(run, await ensureEditor('newest'));
    const report = readReport(reportFile);
    const seconds = (performance.now() - startedAt) / 1000;
    if (report !== undefined) return judge(report, seconds);
    const detail = `The extension host left no report: ${end.reason}\n${end.log}`;
    console.log(detail);
    return brokenOutcome('host', seconds, detail);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(report: HostReport, seconds: number): Outcome {
  const counts = { passed: 0, skipped: 0 };
  const failures: Failure[] = [];
  for (const result of report.results) {
    switch (result.state) {
      case 'passed':
        counts.passed++;
        console.log(`✔ ${result.title} (${result.ms} ms)`);
        break;
      case 'failed':
        failures.push({ title: result.title, detail: result.error });
        console.log(`✖ ${result.title}\n${result.error.replace(/^/gm, '    ')}`);
        break;
      case 'skipped':
        if (result.reason === undefined)
          failures.push({ title: result.title, detail: 'skipped without a reason' });
        else counts.skipped++;
        console.log(
          `- ${result.title}: skipped, ${result.reason ?? 'without a reason (skipBecause gives one)'}`,
        );
        break;
    }
  }
  return { name: 'host', ...counts, failures, seconds, noMatch: report.results.length === 0, golden: [] };
}

function readReport(file: string): HostReport | undefined {
  try {
    return hostReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
