/** A line of a configuration file, for people and for provenance. Lines count from 1. */
export interface SourceRef {
  readonly path: string;
  readonly line: number;
}

/** Why a line is not used. It never hides what follows. */
export interface ConfigProblem extends SourceRef {
  readonly message: string;
  /** The `ssh` of this machine refuses the whole configuration because of it. */
  readonly isRefusedBySsh: boolean;
}

/** One test of a `Match` line. A kind this parser does not know is kept, so that it can be reported. */
export interface MatchCriterion {
  readonly kind: string;
  readonly isNegated: boolean;
  readonly argument: string;
}

/** One line of a file, read but not evaluated. */
export type Statement =
  | { readonly k: 'host'; readonly at: SourceRef; readonly patterns: readonly string[] }
  | { readonly k: 'match'; readonly at: SourceRef; readonly criteria: readonly MatchCriterion[] }
  | { readonly k: 'include'; readonly at: SourceRef; readonly patterns: readonly string[] }
  | {
      readonly k: 'set';
      readonly at: SourceRef;
      readonly keyword: string;
      readonly values: readonly string[];
    }
  /** A keyword that is not known, unless an IgnoreUnknown before it names it. */
  | { readonly k: 'unknown'; readonly at: SourceRef; readonly keyword: string; readonly message: string }
  /** A `Host` or `Match` line that cannot be read: what follows it belongs to nobody. */
  | { readonly k: 'nobody'; readonly at: SourceRef };

/** A file read line by line, without its includes. */
export interface ConfigFile {
  readonly path: string;
  readonly statements: readonly Statement[];
  readonly problems: readonly ConfigProblem[];
}
