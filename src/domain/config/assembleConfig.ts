import type { ConfigFile, ConfigProblem, MatchCriterion, SourceRef, Statement } from './configFile.ts';
import { isLiteralPattern } from './hostPattern.ts';

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
}

export interface Setting {
  readonly at: SourceRef;
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

/**
 * Puts files together as OpenSSH reads them: the user's file before the system's, an include in place of its line and scoped to the
 * block it stands in, `Host` lines of the included file too. Pure; the resolver is called synchronously.
 * Source: ssh.md 4.2, CFG-12 and CFG-13.
 */
export function assembleConfig(roots: readonly ConfigRoot[]): ParsedConfig {
  const segments: Segment[] = [];
  const problems: ConfigProblem[] = [];
  for (const root of roots) appendFile({ ...root, enclosing: undefined, depth: 0 });
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
  };

  function appendFile(input: {
    readonly file: ConfigFile;
    readonly includes: IncludeResolver;
    readonly enclosing: Scope | undefined;
    readonly depth: number;
  }): void {
    const { file, includes, enclosing, depth } = input;
    problems.push(...file.problems);
    let scope: Scope = { at: { path: file.path, line: 0 }, test: { k: 'always' }, enclosing };
    let settings: Setting[] = [];
    const flush = (): void => {
      if (settings.length > 0 || scope.test.k === 'match' || scope.test.k === 'host')
        segments.push({ scope, settings });
      settings = [];
    };
    for (const statement of file.statements) {
      if (statement.k === 'set') {
        settings.push(statement);
        continue;
      }
      flush();
      if (statement.k === 'include') {
        if (depth >= deepestInclude)
          problems.push({ ...statement.at, message: 'includes are nested too deeply' });
        else
          for (const included of statement.patterns.flatMap((pattern) => includes(pattern, statement.at)))
            appendFile({ file: included, includes, enclosing: scope, depth: depth + 1 });
        continue;
      }
      scope = { at: statement.at, test: testOf(statement), enclosing };
    }
    flush();
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
    for (const name of new Set(names)) {
      const list = byName.get(name);
      if (list === undefined) byName.set(name, [index]);
      else list.push(index);
    }
  }
  return { byName, forAnyName };
}

function matchScopes(
  segments: readonly Segment[],
): readonly { readonly at: SourceRef; readonly criteria: readonly MatchCriterion[] }[] {
  return [...new Set(segments.map(({ scope }) => scope))].flatMap(({ at, test }) =>
    test.k === 'match' ? [{ at, criteria: test.criteria }] : [],
  );
}
