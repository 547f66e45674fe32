import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cached } from './cache.mjs';
import { npm } from './npm.mjs';
import { ensureSystem } from './systemPackages.ts';
import { ensureNode, nodeBinary } from './toolchain.mjs';

/** The two editor lines everything is tested on: the oldest that the manifest admits, and the newest. Source: vscode.md 1. */
export type EditorLine = 'newest' | 'oldest';

export interface Editor {
  readonly line: EditorLine;
  /** Version of VS Code itself. */
  readonly version: string;
  /** The Node that runs the server and its extension hosts. */
  readonly node: string;
  /** The script which that Node runs to start the server. */
  readonly entry: string;
}

const lines = {
  newest: { codeServer: '4.139.1', version: '1.139.1', node: 24 },
  oldest: { codeServer: '4.112.0', version: '1.112.0', node: 22 },
} as const;

/** Brings ripgrep as files of the package. The old line would download it from a release page instead. */
const ripgrep = '@vscode/ripgrep-universal@1.18.0';

/**
 * Makes sure that an editor line is in the cache: code-server, which is VS Code's own server, web workbench and Node
 * extension host. About a minute once. Rejects with a SetupFault when something cannot be had.
 */
export async function ensureEditor(line: EditorLine): Promise<Editor> {
  const { codeServer, version, node } = lines[line];
  const nodeFolder = await ensureNode(node);
  const folder = await cached(
    `code-server-${codeServer}-${process.platform}-${process.arch}`,
    async (draft) => {
      await ensureSystem(['compiler']);
      console.error(`Setting up code-server ${codeServer} (once, about a minute) …`);
      await install({ folder: draft, codeServer, nodeFolder });
    },
  );
  return {
    line,
    version,
    node: nodeBinary(nodeFolder),
    entry: path.join(folder, 'node_modules/code-server/out/node/entry.js'),
  };
}

interface Installation {
  readonly folder: string;
  readonly codeServer: string;
  readonly nodeFolder: string;
}

/**
 * code-server's own install script would compile kerberos, which needs headers and is loaded by nothing here. Without
 * scripts, node-pty, the file watcher and argon2 work from the prebuilt files in their packages; only spdlog (no log
 * file and no output channel without it) and the watchdog have to be compiled.
 */
async function install({ folder, codeServer, nodeFolder }: Installation): Promise<void> {
  const quiet = ['--ignore-scripts', '--no-package-lock', '--omit=dev'];
  const wanted = `code-server@${codeServer}`;
  const about = { nodeFolder, wanted };
  await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
  await npm({ ...about, cwd: folder, args: ['install', ...quiet, wanted] });

  const vscode = path.join(folder, 'node_modules/code-server/lib/vscode');
  await npm({ ...about, cwd: vscode, args: ['install', ...quiet] });
  await npm({ ...about, cwd: vscode, args: ['rebuild', '@vscode/spdlog', '@vscode/native-watchdog'] });
  await npm({ ...about, cwd: path.join(vscode, 'extensions'), args: ['install', ...quiet] });
  await bringRipgrep(vscode, nodeFolder);
  await trim(vscode);
}

async function bringRipgrep(vscode: string, nodeFolder: string): Promise<void> {
  const old = path.join(vscode, 'node_modules/@vscode/ripgrep');
  if (!existsSync(old)) return;
  const nest = path.join(vscode, 'ripgrep');
  await mkdir(nest);
  await writeFile(path.join(nest, 'package.json'), '{"private":true}\n');
  await npm({
    args: ['install', '--ignore-scripts', '--no-package-lock', ripgrep],
    cwd: nest,
    wanted: ripgrep,
    nodeFolder,
  });
  const binaries = path.join(
    nest,
    'node_modules/@vscode/ripgrep-universal/bin',
    `${process.platform}-${process.arch}`,
  );
  await cp(binaries, path.join(old, 'bin'), { recursive: true });
  await rm(nest, { recursive: true });
}

/** Takes away what no test touches: the bundled chat, other platforms' binaries and what the compiler left, 300 MB. */
async function trim(vscode: string): Promise<void> {
  const unused = ['node_modules/@github', 'node_modules/@microsoft/mxc-sdk', 'extensions/copilot'];
  for (const name of unused) await rm(path.join(vscode, name), { recursive: true, force: true });
  const binaries = path.join(vscode, 'node_modules/@vscode/ripgrep-universal/bin');
  for (const name of existsSync(binaries) ? await readdir(binaries) : []) {
    if (name !== `${process.platform}-${process.arch}`)
      await rm(path.join(binaries, name), { recursive: true });
  }
  for await (const objects of glob('node_modules/**/obj.target', { cwd: vscode })) {
    await rm(path.join(vscode, objects), { recursive: true, force: true });
  }
}
