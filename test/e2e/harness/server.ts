import { execFile, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Editor } from '../../../scripts/setup/editor.ts';
import { quietSettings } from './editorSettings.ts';
import { descendants, signal } from './processTree.ts';
import { until } from './until.ts';

export interface ServerOptions {
  readonly editor: Editor;
  /** VSIX files to install. */
  readonly vsix?: readonly string[];
  /** User settings on top of the quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A profile folder to use again, which the caller removes. A fresh one without it, removed at `stop`. */
  readonly profile?: string;
  /** The same port with the same profile keeps what the browser stores for the page: secrets and mementos. */
  readonly port?: number;
  /** More environment variables; extension hosts inherit them. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface EditorServer {
  readonly editor: Editor;
  readonly url: string;
  readonly authority: string;
  readonly port: number;
  /** The profile folder. Home and temporary folder of the server are inside. */
  readonly profile: string;
  readonly home: string;
  /** Storage of an extension, `publisher.name`, on disk. */
  globalStorage(extensionId: string): string;
  /** Address of a window. `payload` are pairs that the workbench reads, such as `extensionTestsPath`. */
  windowUrl(options?: WindowOptions): string;
  /** Changes user settings. A window reads them when it loads: call its `reload` after this. */
  changeSettings(settings: Readonly<Record<string, unknown>>): void;
  /** Extension hosts that run now, oldest window first. */
  extensionHosts(): number[];
  /** Everything that extension hosts of this profile have logged, output channels included. */
  extensionHostLog(): string;
  /** What the server itself printed. */
  output(): string;
  /** Ends the server and all it started. */
  stop(): Promise<void>;
}

export interface WindowOptions {
  readonly folder?: string;
  readonly payload?: readonly (readonly [string, string])[];
}

/** Against hangs alone. */
const startDeadlineMs = 120_000;
const stopDeadlineMs = 5_000;

/** Starts a real editor on loopback. The caller stops it; when this process ends first, it ends too. */
export async function startServer(options: ServerOptions): Promise<EditorServer> {
  const profile = options.profile ?? mkdtempSync(path.join(tmpdir(), 'termind-editor-'));
  const home = path.join(profile, 'home');
  const userData = path.join(profile, 'user-data');
  const extensions = path.join(profile, 'extensions');
  const config = path.join(profile, 'config.yaml');
  const settingsFile = path.join(userData, 'User/settings.json');
  for (const folder of [home, path.join(profile, 'tmp'), extensions, path.dirname(settingsFile)]) {
    mkdirSync(folder, { recursive: true });
  }
  let settings: Readonly<Record<string, unknown>> = { ...quietSettings, ...options.settings };
  writeFileSync(settingsFile, JSON.stringify(settings, undefined, 2));
  writeFileSync(config, 'auth: none\n');

  const { node, entry } = options.editor;
  const folders = ['--user-data-dir', userData, '--extensions-dir', extensions, '--config', config];
  const env = serverEnvironment(profile, options.env);
  for (const vsix of options.vsix ?? []) {
    await promisify(execFile)(node, [entry, ...folders, '--install-extension', vsix], {
      env,
      timeout: startDeadlineMs,
    });
  }

  const port = options.port ?? (await freePort());
  const authority = `127.0.0.1:${port}`;
  const child = spawn(node, [entry, ...folders, '--bind-addr', authority, ...quietFlags], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const removeProfile = () => {
    if (options.profile === undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  const onOwnEnd = () => {
    killTree(child.pid);
    removeProfile();
  };
  process.once('exit', onOwnEnd);

  const server: EditorServer = {
    editor: options.editor,
    url: `http://${authority}`,
    authority,
    port,
    profile,
    home,
    globalStorage: (extensionId) => path.join(userData, 'User/globalStorage', extensionId),
    windowUrl: ({ folder, payload } = {}) => {
      const query = new URLSearchParams(folder === undefined ? { ew: 'true' } : { folder });
      if (payload !== undefined) query.set('payload', JSON.stringify(payload));
      return `http://${authority}/?${query.toString()}`;
    },
    changeSettings: (changes) => {
      settings = { ...settings, ...changes };
      writeFileSync(settingsFile, JSON.stringify(settings, undefined, 2));
    },
    extensionHosts: () =>
      descendants(child.pid ?? -1)
        .filter((entry) => entry.command.includes('--type=extensionHost'))
        .map((entry) => entry.pid),
    extensionHostLog: () =>
      globSync('logs/*/exthost*/**/*.log', { cwd: userData })
        .map((file) => readFileSync(path.join(userData, file), 'utf8'))
        .join('\n'),
    output: () => output,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const family = descendants(child.pid ?? -1);
        child.kill('SIGTERM');
        const killer = setTimeout(() => killTree(child.pid), stopDeadlineMs);
        await closed;
        clearTimeout(killer);
        for (const entry of family) signal(entry.pid, 'SIGKILL');
      }
      process.off('exit', onOwnEnd);
      removeProfile();
    },
  };
  await until({
    what: `the editor at ${server.url}`,
    deadlineMs: startDeadlineMs,
    probe: async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the editor ended:\n${output}`);
      return fetch(`${server.url}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      );
    },
  }).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return server;
}

const quietFlags = [
  ...['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
  ...['--disable-proxy', '--disable-getting-started-override', '--ignore-last-opened'],
];

/** A home and a temporary folder of its own: the editor leaves sockets, caches and ids in both. */
function serverEnvironment(profile: string, more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const dropped = /^(VSCODE_|ELECTRON_|XDG_|NODE_OPTIONS$|npm_|SSH_AUTH_SOCK$)/;
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: path.join(profile, 'home'),
    TMPDIR: path.join(profile, 'tmp'),
    // No look-ups in a marketplace.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...more,
  };
}

function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const family = descendants(pid);
  signal(pid, 'SIGKILL');
  for (const entry of family) signal(entry.pid, 'SIGKILL');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
