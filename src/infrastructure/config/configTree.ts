import fs from 'node:fs/promises';
import path from 'node:path';
import { assembleConfig, type ConfigRoot, type ParsedConfig } from '../../domain/config/assembleConfig.ts';
import type { ConfigFile } from '../../domain/config/configFile.ts';
import { expandHome } from '../../domain/config/expandTokens.ts';
import { parseConfigFile } from '../../domain/config/parseConfigFile.ts';
import type { ReadingRules } from '../../domain/config/readValue.ts';
import { includedFiles } from './includeFiles.ts';

/** A file that is read on its own, and where its relative includes lie. */
export interface RootFile {
  readonly path: string;
  readonly includeDirectory: string;
  /** A missing file is reported instead of being empty. */
  readonly isRequired: boolean;
}

/** A configuration as it is on disk now, with what to watch to know when it is no longer. */
export interface ConfigTree {
  readonly config: ParsedConfig;
  /** Every file that was read or looked for. */
  readonly files: readonly string[];
  /** Directories whose content decides which files belong to it. */
  readonly directories: readonly string[];
}

/** Larger than any configuration; a file beyond it is reported and not read. */
const maxFileBytes = 4 * 1024 * 1024;
const deepestInclude = 16;

/** Whose configuration it is and how it is read. */
export interface ReadingPlace {
  readonly home: string;
  readonly rules: ReadingRules;
}

/** Reads files with all their includes. Never rejects: what cannot be read becomes a problem of the configuration. */
export async function readConfigTree(
  roots: readonly RootFile[],
  { home, rules }: ReadingPlace,
): Promise<ConfigTree> {
  const files = new Map<string, ConfigFile>();
  const directories = new Set<string>();
  const assembled: ConfigRoot[] = [];
  for (const root of roots) {
    const lists = new Map<string, readonly string[]>();
    await readFile(root.path, root.isRequired);
    await readIncludes({ from: root.path, root, lists, depth: 0 });
    const fileAt = (at: string): ConfigFile => files.get(at) ?? { path: at, statements: [], problems: [] };
    assembled.push({
      file: fileAt(root.path),
      includes: (pattern) => (lists.get(pattern) ?? []).map(fileAt),
    });
  }
  for (const file of files.keys()) directories.add(path.dirname(file));
  return { config: assembleConfig(assembled), files: [...files.keys()], directories: [...directories] };

  async function readFile(at: string, isRequired: boolean): Promise<void> {
    if (!files.has(at)) files.set(at, await readConfigFile(at, { isRequired, rules }));
  }

  async function readIncludes(step: {
    readonly from: string;
    readonly root: RootFile;
    readonly lists: Map<string, readonly string[]>;
    readonly depth: number;
  }): Promise<void> {
    if (step.depth >= deepestInclude) return;
    for (const statement of files.get(step.from)?.statements ?? []) {
      if (statement.k !== 'include') continue;
      for (const pattern of statement.patterns) {
        if (step.lists.has(pattern)) continue;
        const absolute = expandHome(pattern, home);
        const found =
          absolute === undefined
            ? { files: [], directories: [] }
            : await includedFiles(path.resolve(step.root.includeDirectory, absolute));
        step.lists.set(pattern, found.files);
        for (const directory of found.directories) directories.add(directory);
        for (const file of found.files) {
          await readFile(file, false);
          await readIncludes({ ...step, from: file, depth: step.depth + 1 });
        }
      }
    }
  }
}

async function readConfigFile(
  at: string,
  { isRequired, rules }: { readonly isRequired: boolean; readonly rules: ReadingRules },
): Promise<ConfigFile> {
  const problem = (message: string): ConfigFile => ({
    path: at,
    statements: [],
    problems: [{ path: at, line: 1, message, isRefusedBySsh: false }],
  });
  try {
    const { size } = await fs.stat(at);
    if (size > maxFileBytes) return problem('the file is too large to be a configuration');
    return parseConfigFile(at, await fs.readFile(at, 'utf8'), rules);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT' && !isRequired) return { path: at, statements: [], problems: [] };
    return problem(`the file cannot be read (${code})`);
  }
}
