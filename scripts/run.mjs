/**
 * The one entry of every npm script: `node scripts/run.mjs <task> [arguments]`. Plain JavaScript for any Node from 18 on.
 * It makes sure that the project's own Node 24 and `node_modules` are there, then hands the task to that Node.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './setup/dependencies.mjs';
import { PlainFailure, runCommand } from './setup/setupFault.mjs';
import { ensureNode, nodeBinary } from './setup/toolchain.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Task to module and its first arguments. */
const tasks = new Map([
  ['start', ['scripts/start.mjs']],
  ['lab', ['test/lab/main.ts']],
  ['test', ['scripts/tasks/test.ts']],
  ['test:unit', ['scripts/tasks/test.ts', 'unit']],
  ['test:integration', ['scripts/tasks/test.ts', 'integration']],
  ['test:host', ['scripts/tasks/test.ts', 'host']],
  ['test:e2e', ['scripts/tasks/test.ts', 'e2e']],
  ['bench', ['scripts/tasks/bench.ts']],
  ['check', ['scripts/tasks/test.ts', 'check']],
  ['build', ['esbuild.mjs']],
  ['package', ['scripts/tasks/package.ts']],
  ['format', ['scripts/tasks/format.ts']],
  ['setup', ['scripts/tasks/setup.ts']],
]);

async function main() {
  const [name = '', ...rest] = process.argv.slice(2);
  const task = tasks.get(name);
  if (task === undefined) {
    throw new PlainFailure(`There is no task "${name}". There are: ${[...tasks.keys()].join(', ')}`);
  }
  const nodeFolder = await ensureNode(24);
  await ensureDependencies(root, nodeFolder);
  const [script, ...first] = task;
  return execute(nodeFolder, [path.join(root, /** @type {string} */ (script)), ...first, ...rest]);
}

/**
 * @param {string} nodeFolder
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit status of the task
 */
function execute(nodeFolder, args) {
  const PATH = `${path.join(nodeFolder, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(nodeBinary(nodeFolder), [...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH },
  });
  // Ctrl-C reaches the child by itself; waiting for it lets it end its own processes first.
  process.on('SIGINT', () => undefined);
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

await runCommand(main);
