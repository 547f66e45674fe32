import path from 'node:path';
import { unshippablePackages } from '../../build/notices.ts';
import { root, tools } from '../../checkout.ts';
import { runBounded } from '../boundedProcess.ts';
import { runMocha } from '../mochaRun.ts';
import { sum } from '../outcome.ts';
import type { Outcome } from '../outcome.ts';

const boundMs = 5 * 60_000;
/** Types and lint fill a core each; the rest is short. */
const concurrency = 2;

interface Step {
  readonly name: string;
  /** What it says is wrong; empty means fine. */
  readonly run: () => Promise<string>;
}

const steps: readonly Step[] = [
  { name: 'types', run: checkTypes },
  {
    name: 'lint',
    run: () => tool([tools.eslint, '.', '--quiet', '--cache', '--cache-location', '.cache/eslint/']),
  },
  {
    name: 'layers',
    run: () => tool([tools.depcruise, 'src', 'test', 'scripts', '--config', '.dependency-cruiser.cjs']),
  },
  { name: 'format', run: () => tool([tools.prettier, '--check', '--log-level', 'warn', '.']) },
  { name: 'manifest', run: checkManifest },
  { name: 'licences', run: async () => unshippablePackages().join('\n') },
];

/** Types, lint, layers, formatting, manifest and licences. Each step counts as one test; `--grep` picks steps by name. */
export async function checkSuite({ grep }: { readonly grep: string | undefined }): Promise<Outcome> {
  const queue = steps.filter((step) => grep === undefined || new RegExp(grep).test(step.name));
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      const startedAt = performance.now();
      const complaint = await step.run();
      const seconds = (performance.now() - startedAt) / 1000;
      const isFine = complaint === '';
      console.log(`${isFine ? '✔' : '✖'} ${step.name} (${seconds.toFixed(1)} s)`);
      if (!isFine) console.log(complaint.replace(/^/gm, '    '));
      outcomes.push({
        name: step.name,
        passed: isFine ? 1 : 0,
        failures: isFine ? [] : [{ title: step.name, detail: complaint }],
        skipped: 0,
        seconds,
        noMatch: false,
        golden: [],
      });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, work));
  return {
    ...sum('check', outcomes),
    noMatch: outcomes.length === 0,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

async function tool(args: readonly string[]): Promise<string> {
  const ended = await runBounded({ command: process.execPath, args, boundMs, output: 'keep' });
  if (ended.timedOut) return `not finished after ${boundMs / 1000} s`;
  return ended.status === 0 ? '' : ended.output.trim() || `exit ${ended.status ?? ended.signal ?? ''}`;
}

/** The two projects with limits of their own first: the root one reads the types that they leave. */
async function checkTypes(): Promise<string> {
  const projects = await tool([tools.tsc, '-b', 'src/agentkit', 'src/webview']);
  const rest = await tool([tools.tsc, '-p', path.join(root, 'tsconfig.json')]);
  return [projects, rest].filter((text) => text !== '').join('\n');
}

async function checkManifest(): Promise<string> {
  const outcome = await runMocha(
    {
      name: 'manifest',
      node: process.execPath,
      pattern: 'test/unit/manifest*.test.ts',
      testTimeoutMs: 10_000,
      boundMs,
      lines: 'group',
      output: 'keep',
    },
    { grep: undefined, files: [] },
  );
  if (outcome.noMatch) return 'test/unit/manifest.test.ts is missing';
  return outcome.failures.length === 0 ? '' : outcome.output.trim();
}
