import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../checkout.ts';
import { runBounded } from './boundedProcess.ts';
import type { Ended } from './boundedProcess.ts';
import { childReportSchema } from './mochaRequest.ts';
import type { ChildReport, ChildRequest } from './mochaRequest.ts';
import { brokenOutcome } from './outcome.ts';
import type { Outcome } from './outcome.ts';

export interface MochaRun {
  readonly name: string;
  /** The Node binary to run on. */
  readonly node: string;
  readonly pattern: string;
  readonly testTimeoutMs: number;
  readonly boundMs: number;
  readonly lines: 'each' | 'group';
  readonly output: 'show' | 'keep';
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a person asked of a suite on the command line. */
export interface Selection {
  readonly grep: string | undefined;
  /** Only files whose path contains one of these; empty means all. */
  readonly files: readonly string[];
}

/** Runs the files of a pattern in one mocha process. `output` holds what it printed when that was to be kept. */
export async function runMocha(
  run: MochaRun,
  selection: Selection,
): Promise<Outcome & { readonly output: string }> {
  const files = globSync(run.pattern, { cwd: root })
    .sort()
    .filter((file) => selection.files.length === 0 || selection.files.some((part) => file.includes(part)))
    .map((file) => path.join(root, file));
  if (files.length === 0) return { ...nothing(run.name), output: '' };

  const folder = mkdtempSync(path.join(tmpdir(), 'termind-mocha-'));
  try {
    const request: ChildRequest = {
      files,
      ...(selection.grep === undefined ? {} : { grep: selection.grep }),
      testTimeoutMs: run.testTimeoutMs,
      lines: run.lines,
      reportFile: path.join(folder, 'report.json'),
    };
    const ended = await runBounded({
      command: run.node,
      args: [
        '--disable-warning=ExperimentalWarning',
        path.join(root, 'scripts/testing/mochaChild.ts'),
        JSON.stringify(request),
      ],
      boundMs: run.boundMs,
      output: run.output,
      ...(run.env === undefined ? {} : { env: run.env }),
    });
    return { ...judge(run, ended, readReport(request.reportFile)), output: ended.output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(run: MochaRun, ended: Ended, report: ChildReport | undefined): Outcome {
  const how = ended.timedOut
    ? `not finished after ${run.boundMs / 1000} s, stopped`
    : `ended with ${ended.signal ?? `exit ${ended.status ?? ''}`}`;
  if (report === undefined) {
    console.log(`${run.name}: ${how}, without results`);
    return brokenOutcome(run.name, ended.seconds, how);
  }
  if (report.passed + report.failures.length + report.skipped === 0) return nothing(run.name);
  const isBroken = report.failures.length === 0 && ended.status !== 0;
  if (isBroken) console.log(`${run.name}: ${how}, after its tests`);
  return {
    name: run.name,
    passed: report.passed,
    failures: isBroken ? [{ title: 'ends by itself after its tests', detail: how }] : report.failures,
    skipped: report.skipped,
    seconds: ended.seconds,
    noMatch: false,
    golden: report.golden,
  };
}

function readReport(file: string): ChildReport | undefined {
  try {
    return childReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function nothing(name: string): Outcome {
  return { name, passed: 0, failures: [], skipped: 0, seconds: 0, noMatch: true, golden: [] };
}
