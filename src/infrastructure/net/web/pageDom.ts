import { parseHTML } from 'linkedom';

/** What is used of an element; the types of browsers belong to the webviews. */
export interface PageElement {
  readonly nodeName: string;
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  closest(selectors: string): PageElement | null;
  querySelector(selectors: string): PageElement | null;
  querySelectorAll(selectors: string): Iterable<PageElement>;
}

export interface PageDocument extends PageElement {
  readonly body: PageElement;
  cloneNode(deep: boolean): PageDocument;
}

/** The tree of a page; of a fragment that of a page around it. */
export function parsePage(html: string): PageDocument {
  const window: unknown = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  return (window as { readonly document: PageDocument }).document;
}
