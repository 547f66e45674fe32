import type { PageDocument } from '../../domain/page/pageDocument.ts';

/** Both sides count it up together. */
export const pagesProtocol = 1;

/** Most bytes of a message of the page. Source: vscode.md 5. */
export const mostBytesFromPage = 64 * 1024;

/** Words of the page itself; it has no localisation of its own. */
export interface PageStrings {
  readonly copy: string;
  readonly copyAsText: string;
  readonly reload: string;
  readonly loading: string;
  readonly filter: string;
  /** `{0}` rows of `{1}`. */
  readonly shown: string;
  readonly nothingFound: string;
  readonly showMore: string;
}

export type ToPage =
  | { readonly kind: 'loading'; readonly strings: PageStrings }
  | { readonly kind: 'show'; readonly document: PageDocument; readonly strings: PageStrings }
  /** What was asked for is done; said to a screen reader. */
  | { readonly kind: 'say'; readonly text: string };

export type FromPage =
  | { readonly kind: 'hello'; readonly protocol: number }
  | { readonly kind: 'reload' }
  /** The whole page as text. */
  | { readonly kind: 'copyAll' }
  /** The n-th block of code of the document. */
  | { readonly kind: 'copyCode'; readonly index: number }
  /** A button or link; `action` is one that the shown document holds. */
  | { readonly kind: 'act'; readonly action: string };
