import type { ConfigFile, ConfigProblem, MatchCriterion, SourceRef, Statement } from './configFile.ts';
import { isLiteralPattern, matchesHostList } from './hostPattern.ts';

/** Under which condition lines count. `enclosing` is the block that an included file stands in: it must hold as well. */
export interface Scope {
  readonly at: SourceRef;
  readonly test:
    | { readonly k: 'always' }
    | { readonly k: 'never' }
    | { readonly k: 'host'; readonly patterns: readonly string[] }
    | { readonly k: 'match'; readonly criteria: readonly MatchCriterion[] };
  readonly enclosing: Scope | undefined;
}

/** Lines that stand together under one scope, in the order in which OpenSSH reads them. */
export interface Segment {
  readonly scope: Scope;
  readonly settings: readonly Setting[];
  /** Which of the files that are read on their own it belongs to: equal key files of two of them are two. */
  readonly root: number;
}

export interface Setting {
  readonly at: SourceRef;
  /** A keyword, or one of `secondSlot`. */
  readonly keyword: string;
  readonly values: readonly string[];
}

/** A configuration with its includes put in place. */
export interface ParsedConfig {
  readonly segments: readonly Segment[];
  readonly problems: readonly ConfigProblem[];
  /** Segments by the literal name of their `Host` line, and those that need a look for every name; both in order. */
  readonly byName: ReadonlyMap<string, readonly number[]>;
  readonly forAnyName: readonly number[];
  /** A `Match final` anywhere makes `ssh` read everything a second time, even where its block cannot hold. */
  readonly asksForFinalPass: boolean;
  /** Every `Match exec` in any file, whether or not it could apply. */
  readonly programs: readonly { readonly at: SourceRef; readonly command: string }[];
  /** Lines that OpenSSH obeys whatever block they stand in, in order. */
  readonly unscoped: readonly Setting[];
}

/** The files an `Include` argument stands for, in lexical order; none when the pattern matches nothing. */
export type IncludeResolver = (pattern: string, from: SourceRef) => readonly ConfigFile[];

/** A file that is read on its own: the user's, the system's. Relative includes mean different directories in each. */
export interface ConfigRoot {
  readonly file: ConfigFile;
  readonly includes: IncludeResolver;
}

/** Source: ssh_config(5), Include. */
const deepestInclude = 16;
/** More files than anybody writes; without it a handful of files that include each other twice would be thousands. */
const mostFiles = 5_000;

/** Source: OpenSSH reads these two without asking whether their block is active. */
const unscopedKeywords: ReadonlySet<string> = new Set(['streamlocalbindmask', 'syslogfacility']);

/**
 * Puts files together as OpenSSH reads them: the user's file before the system's, an include in place of its line and scoped to the
 * block it stands in, `Host` lines of the included file too. Pure; the resolver is called synchronously.
 * Source: ssh.md 4.2, CFG-12 and CFG-13.
 */
export function assembleConfig(roots: readonly ConfigRoot[]): ParsedConfig {
  const assembly = new Assembly();
  for (const [root, { file, includes }] of roots.entries())
    assembly.append(file, { root, includes, enclosing: undefined, chain: [] });
  const { segments, problems } = assembly;
  const matches = matchScopes(segments);
  return {
    segments,
    problems,
    ...indexed(segments),
    asksForFinalPass: matches.some(({ criteria }) =>
      criteria.some((criterion) => criterion.kind === 'final'),
    ),
    programs: matches.flatMap(({ at, criteria }) =>
      criteria.filter(({ kind }) => kind === 'exec').map(({ argument }) => ({ at, command: argument })),
    ),
    unscoped: unscopedSettings(segments),
  };
}

interface Place {
  readonly root: number;
  readonly includes: IncludeResolver;
  readonly enclosing: Scope | undefined;
  /** The files that lead here, outermost first. */
  readonly chain: readonly string[];
}

class Assembly {
  readonly segments: Segment[] = [];
  readonly problems: ConfigProblem[] = [];
  /** Pattern lists of IgnoreUnknown so far. One of a block that does not hold silences here too: then no line is blamed too early. */
  readonly #ignored: string[] = [];
  #files = 0;

  append(file: ConfigFile, place: Place): void {
    const { root, enclosing } = place;
    this.problems.push(...file.problems);
    let scope: Scope = { at: { path: file.path, line: 0 }, test: { k: 'always' }, enclosing };
    let settings: Setting[] = [];
    const flush = (): void => {
      if (settings.length > 0 || scope.test.k === 'match' || scope.test.k === 'host')
        this.segments.push({ scope, settings, root });
      settings = [];
    };
    for (const statement of file.statements) {
      switch (statement.k) {
        case 'set':
          settings.push(statement);
          if (statement.keyword === 'ignoreunknown') this.#ignored.push(...statement.values);
          break;
        case 'unknown':
          this.#blame(statement);
          break;
        case 'include':
          flush();
          this.#include(statement, { ...place, enclosing: scope, chain: [...place.chain, file.path] });
          break;
        case 'host':
        case 'match':
        case 'nobody':
          flush();
          scope = { at: statement.at, test: testOf(statement), enclosing };
          break;
      }
    }
    flush();
  }

  #blame({ keyword, at, message }: Statement & { k: 'unknown' }): void {
    if (!this.#ignored.some((list) => matchesHostList(keyword, list)))
      this.problems.push({ ...at, message, isRefusedBySsh: true });
  }

  #include({ at, patterns }: Statement & { k: 'include' }, place: Place): void {
    const refuse = (message: string): void =>
      void this.problems.push({ ...at, message, isRefusedBySsh: true });
    for (const file of patterns.flatMap((pattern) => place.includes(pattern, at))) {
      if (place.chain.includes(file.path)) refuse('the file includes itself');
      else if (place.chain.length > deepestInclude) refuse('includes are nested too deeply');
      else if (++this.#files > mostFiles) return refuse('too many files are included');
      else this.append(file, place);
    }
  }
}

function testOf(statement: Statement & { k: 'host' | 'match' | 'nobody' }): Scope['test'] {
  switch (statement.k) {
    case 'host':
      return { k: 'host', patterns: statement.patterns };
    case 'match':
      return { k: 'match', criteria: statement.criteria };
    case 'nobody':
      return { k: 'never' };
  }
}

function indexed(segments: readonly Segment[]): Pick<ParsedConfig, 'byName' | 'forAnyName'> {
  const byName = new Map<string, number[]>();
  const forAnyName: number[] = [];
  for (const [index, { scope }] of segments.entries()) {
    const names = scope.test.k === 'host' ? scope.test.patterns : [];
    if (names.length === 0 || !names.every(isLiteralPattern)) {
      forAnyName.push(index);
      continue;
    }
    for (const name of names) {
      const list = byName.get(name);
      if (list === undefined) byName.set(name, [index]);
      else if (list.at(-1) !== index) list.push(index);
    }
  }
  return { byName, forAnyName };
}

/** Each `Match` line once; what stands under it may be several segments. */
function matchScopes(
  segments: readonly Segment[],
): readonly { readonly at: SourceRef; readonly criteria: readonly MatchCriterion[] }[] {
  const scopes = new Map<Scope, readonly MatchCriterion[]>();
  for (const { scope } of segments) if (scope.test.k === 'match') scopes.set(scope, scope.test.criteria);
  return [...scopes].map(([{ at }, criteria]) => ({ at, criteria }));
}

function unscopedSettings(segments: readonly Segment[]): readonly Setting[] {
  const found: Setting[] = [];
  for (const { settings } of segments)
    for (const setting of settings) if (unscopedKeywords.has(setting.keyword)) found.push(setting);
  return found;
}
