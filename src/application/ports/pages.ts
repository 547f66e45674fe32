import type { Event } from '../../agentkit/index.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';

/** Read-only pages in an editor tab. A feature brings the document and what its buttons do; everything else is the same for all. */
export interface PagesPort {
  /**
   * Opens a page, or brings the one with the same kind and key to the front and loads it anew. Resolves when the tab is there; what the
   * page shows while it loads, and when loading fails, is not the caller's business.
   */
  open(page: PageOrder): Promise<void>;
}

export interface PageOrder {
  /** Of `PageView` in `ids.ts`. */
  readonly kind: string;
  /** One tab for each, for example the id of a host. */
  readonly key: string;
  /** Of the tab. */
  readonly tabTitle: string;
  /** A codicon for the tab, without `$()`. */
  readonly icon: string;
  /** True for a page that opens by itself: what the person types goes on to where they were. */
  readonly keepsFocus?: boolean;
  /**
   * Builds what is shown. `cause` is `asked` when the person opened the page or pressed "Reload", `again` after `onDidChange` and when a
   * hidden tab is shown again: then nothing may be asked of them. Aborted when the tab closes or a later load takes over.
   */
  load(signal: AbortSignal, cause: LoadCause): Promise<PageDocument>;
  readonly onDidChange?: Event<void>;
  /** A button or link of the document was pressed. `action` is one that the shown document holds. */
  act(action: string): Promise<void>;
}

export type LoadCause = 'asked' | 'again';
