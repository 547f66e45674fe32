/**
 * A read-only page as data: what a feature wants to show, without a word about how it looks. The extension host builds it, the page of
 * `webview/pages` draws it, `pageText` writes it as text. All texts are for people and localised by whoever builds it.
 */
export interface PageDocument {
  /** The one heading of the page. */
  readonly title: string;
  readonly subtitle?: string;
  /** Above everything: the cause, the warning, the result. */
  readonly notices: readonly PageNotice[];
  readonly sections: readonly PageSection[];
}

/** Never the only carrier of a meaning: a word stands beside every colour and symbol. */
export type PageTone = 'plain' | 'good' | 'warning' | 'bad';

export interface PageNotice {
  readonly tone: PageTone;
  readonly text: string;
  /** What helps, at most a few. */
  readonly buttons?: readonly PageButton[];
}

export interface PageButton {
  readonly label: string;
  /** Given back to the feature when it is pressed. */
  readonly action: string;
  readonly isPrimary?: boolean;
}

export interface PageSection {
  readonly title: string;
  readonly blocks: readonly PageBlock[];
}

/** A run of text; a line of a cell or a fact is made of runs. */
export type PageText =
  | string
  /** Text of a file or a server: fixed width, kept apart from what surrounds it, blanks and breaks kept. */
  | { readonly code: string }
  /** Looks like a link and is given back to the feature. */
  | { readonly linkText: string; readonly action: string }
  | { readonly badge: string; readonly tone: PageTone }
  /** Less important than the rest. */
  | { readonly quiet: string };

export type PageLine = readonly PageText[];

export type PageBlock =
  | { readonly k: 'text'; readonly line: PageLine }
  /** Names and values, for example `Port` and `22`. */
  | {
      readonly k: 'facts';
      readonly rows: readonly { readonly name: string; readonly lines: readonly PageLine[] }[];
    }
  | PageTable
  /** Text as it is, with a button that copies it. */
  | { readonly k: 'code'; readonly label: string; readonly text: string }
  /** What happened, in order. */
  | { readonly k: 'steps'; readonly steps: readonly PageStep[] }
  /** Folded until somebody wants it. */
  | { readonly k: 'details'; readonly summary: string; readonly blocks: readonly PageBlock[] };

export interface PageTable {
  readonly k: 'table';
  /** Names the table for a screen reader. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly PageRow[];
  /** With these words there is a box that filters the rows. */
  readonly filter?: string;
  /** With these words there is a switch for the quiet rows, which are hidden at first. */
  readonly showQuiet?: string;
}

export interface PageRow {
  /** As many as there are columns; each is a list of lines. */
  readonly cells: readonly (readonly PageLine[])[];
  readonly isQuiet?: boolean;
}

export interface PageStep {
  readonly state: 'done' | 'failed' | 'skipped' | 'running' | 'note';
  /** The state in a word, for whoever sees no symbol. */
  readonly word: string;
  readonly line: PageLine;
  /** When or how long, as text. */
  readonly time?: string;
  readonly blocks?: readonly PageBlock[];
}
