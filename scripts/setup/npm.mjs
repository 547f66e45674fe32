import { spawn } from 'node:child_process';
import path from 'node:path';
import { SetupFault } from './setupFault.mjs';

/** What npm and its lifecycle leave in the environment for a script; a nested npm would take it for its own. */
const inherited =
  /^(npm_lifecycle_|npm_package_|npm_command$|npm_config_(local_prefix|nodedir|global_prefix|prefix)$|INIT_CWD$)/;

const unreachable =
  /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|network|E40[13]|E50\d|SELF_SIGNED|CERT_/i;

/**
 * Runs npm quietly, without asking anything. Its output is shown only when it fails.
 * @param {object} options
 * @param {readonly string[]} options.args
 * @param {string} options.cwd
 * @param {string} options.wanted what this call gets, for the message of a failure
 * @param {string} [options.nodeFolder] toolchain folder whose Node runs npm and whose headers native modules build with
 * @returns {Promise<void>} rejects with a SetupFault when npm is missing or fails
 */
export async function npm({ args, cwd, wanted, nodeFolder }) {
  /** @type {NodeJS.ProcessEnv} */
  const env = {};
  for (const [name, value] of Object.entries(process.env)) if (!inherited.test(name)) env[name] = value;
  if (nodeFolder !== undefined) {
    env['PATH'] = `${path.join(nodeFolder, 'bin')}${path.delimiter}${env['PATH'] ?? ''}`;
    env['npm_config_nodedir'] = nodeFolder;
  }
  const { status, output } = await run([...args, '--no-audit', '--no-fund', '--loglevel=error'], cwd, env);
  if (status === 0) return;
  if (status === undefined)
    throw new SetupFault(
      `npm (needed for ${wanted})`,
      'install Node.js with npm, then run the same command again',
    );
  const lines = output.trim().split('\n');
  if (unreachable.test(output)) {
    const reason = lines.find((line) => unreachable.test(line)) ?? '';
    throw new SetupFault(
      `${wanted}; the npm registry does not answer (${reason.replace(/^npm (error|ERR!) ?/, '').trim()})`,
      'make a registry reachable (npm ping tells), then run the same command again',
    );
  }
  throw new SetupFault(
    `${wanted}; npm ${args[0]} failed:\n${lines.slice(-15).join('\n')}`,
    `cd ${cwd} && npm ${args.join(' ')}`,
  );
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ status: number | undefined, output: string }>} status undefined: npm could not be started
 */
function run(args, cwd, env) {
  // Under `npm run` the running npm names itself; that is the one to use, whatever the PATH says.
  const self = process.env['npm_execpath'];
  const direct = self !== undefined && path.basename(self) === 'npm-cli.js';
  const windows = process.platform === 'win32';
  const child = direct
    ? spawn('node', [self, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn(windows ? 'npm.cmd' : 'npm', [...args], {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: windows,
      });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => {
    child.once('error', () => resolve({ status: undefined, output }));
    child.once('close', (code) => resolve({ status: code ?? 1, output }));
  });
}
