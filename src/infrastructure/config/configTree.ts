import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { assembleConfig, type ConfigRoot, type ParsedConfig } from '../../domain/config/assembleConfig.ts';
import type { ConfigFile, ConfigProblem, SourceRef } from '../../domain/config/configFile.ts';
import { expandHome } from '../../domain/config/expandTokens.ts';
import { parseConfigFile } from '../../domain/config/parseConfigFile.ts';
import type { ReadingRules } from '../../domain/config/readValue.ts';
import { includedFiles } from './includeFiles.ts';
import { includePath } from './includePath.ts';

/** A file that is read on its own, and where its relative includes lie. */
export interface RootFile {
  readonly path: string;
  readonly includeDirectory: string;
  /** A missing file is reported instead of being empty. */
  readonly isRequired: boolean;
  /** `ssh` refuses it when others may write to it. It always refuses such included files. */
  readonly isPrivate?: boolean;
  /** Its includes may not begin with `~`. */
  readonly isSystem?: boolean;
}

/** A configuration as it is on disk now, with what to watch to know when it is no longer. */
export interface ConfigTree {
  readonly config: ParsedConfig;
  /** Every file that was read or looked for. */
  readonly files: readonly string[];
  /** SHA-256 of the bytes of each file that was read, in hexadecimal. */
  readonly hashes: ReadonlyMap<string, string>;
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
export async function readConfigTree(roots: readonly RootFile[], place: ReadingPlace): Promise<ConfigTree> {
  const reader = new TreeReader(place);
  const assembled: ConfigRoot[] = [];
  for (const root of roots) assembled.push(await reader.read(root));
  return reader.tree(assembleConfig(assembled));
}

interface Step {
  readonly from: string;
  readonly root: RootFile;
  readonly lists: Map<string, readonly string[]>;
  readonly chain: readonly string[];
}

class TreeReader {
  readonly #place: ReadingPlace;
  readonly #files = new Map<string, ConfigFile>();
  readonly #hashes = new Map<string, string>();
  readonly #directories = new Set<string>();
  readonly #problems: ConfigProblem[] = [];

  constructor(place: ReadingPlace) {
    this.#place = place;
  }

  async read(root: RootFile): Promise<ConfigRoot> {
    const lists = new Map<string, readonly string[]>();
    await this.#readFile(root.path, {
      isRequired: root.isRequired,
      isPrivate: root.isPrivate === true,
      isNeeded: root.isRequired,
    });
    await this.#readIncludes({ from: root.path, root, lists, chain: [] });
    return {
      file: this.#file(root.path),
      includes: (pattern) => (lists.get(pattern) ?? []).map((at) => this.#file(at)),
    };
  }

  tree(config: ParsedConfig): ConfigTree {
    for (const file of this.#files.keys()) this.#directories.add(path.dirname(file));
    return {
      config: { ...config, problems: [...config.problems, ...this.#problems] },
      files: [...this.#files.keys()],
      hashes: this.#hashes,
      directories: [...this.#directories],
    };
  }

  #file(at: string): ConfigFile {
    return this.#files.get(at) ?? { path: at, statements: [], problems: [] };
  }

  async #readIncludes(step: Step): Promise<void> {
    if (step.chain.length > deepestInclude || step.chain.includes(step.from)) return;
    for (const statement of this.#file(step.from).statements) {
      if (statement.k !== 'include') continue;
      for (const pattern of statement.patterns) {
        if (step.lists.has(pattern)) continue;
        const found = await this.#filesOf(pattern, { root: step.root, at: statement.at });
        step.lists.set(pattern, found);
        for (const file of found) {
          await this.#readFile(file, { isRequired: false, isPrivate: true, isNeeded: true });
          await this.#readIncludes({ ...step, from: file, chain: [...step.chain, step.from] });
        }
      }
    }
  }

  async #filesOf(
    pattern: string,
    { root, at }: { readonly root: RootFile; readonly at: SourceRef },
  ): Promise<readonly string[]> {
    const { home, rules } = this.#place;
    const wanted = includePath(pattern, { home, rules, isSystem: root.isSystem === true });
    if (!wanted.ok) {
      this.#problems.push({ ...at, ...wanted.problem });
      return [];
    }
    const absolute = expandHome(wanted.path, home);
    if (absolute === undefined) return [];
    const found = await includedFiles(path.resolve(root.includeDirectory, absolute));
    for (const directory of found.directories) this.#directories.add(directory);
    return found.files;
  }

  async #readFile(
    at: string,
    options: { readonly isRequired: boolean; readonly isPrivate: boolean; readonly isNeeded: boolean },
  ): Promise<void> {
    if (this.#files.has(at)) return;
    const empty: ConfigFile = { path: at, statements: [], problems: [] };
    const problem = (message: string, isRefusedBySsh: boolean): ConfigProblem => ({
      path: at,
      line: 1,
      message,
      isRefusedBySsh,
    });
    try {
      const stat = await fs.stat(at);
      if (stat.isDirectory()) return void this.#files.set(at, empty);
      if (stat.size > maxFileBytes) {
        const tooLarge = problem('the file is too large to be a configuration', false);
        return void this.#files.set(at, { ...empty, problems: [tooLarge] });
      }
      const bytes = await fs.readFile(at);
      this.#hashes.set(at, createHash('sha256').update(bytes).digest('hex'));
      const file = parseConfigFile(at, bytes.toString('utf8'), this.#place.rules);
      const isOpen = options.isPrivate && othersMayWrite(stat);
      const why = 'ssh refuses this file: it belongs to somebody else or others may write to it';
      this.#files.set(at, isOpen ? { ...file, problems: [problem(why, true), ...file.problems] } : file);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      const isMissing = code === 'ENOENT' && !options.isRequired;
      const problems = isMissing ? [] : [problem(`the file cannot be read (${code})`, options.isNeeded)];
      this.#files.set(at, { ...empty, problems });
    }
  }
}

/** Source: OpenSSH `read_config_file_depth`, SSHCONF_CHECKPERM. */
function othersMayWrite({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = process.getuid?.();
  return own !== undefined && ((uid !== 0 && uid !== own) || (mode & 0o022) !== 0);
}
