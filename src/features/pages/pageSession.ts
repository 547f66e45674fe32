import { isAborted, type Disposable } from '../../agentkit/index.ts';
import type { LoadCause, PageOrder } from '../../application/ports/pages.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { pageOffers, type PageOffers } from '../../domain/page/pageActions.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';
import { pageText } from '../../domain/page/pageText.ts';
import type { PageStrings, ToPage } from '../../webview/pages/protocol.ts';
import { decodePageMessage } from './decodePageMessage.ts';

export interface PageSessionOptions {
  readonly post: (message: ToPage) => void;
  readonly copy: (text: string) => Promise<void>;
  readonly strings: PageStrings;
  /** Said when something was copied. */
  readonly copied: string;
  readonly describeError: (error: unknown) => string;
  readonly log: LogPort;
}

/**
 * One open page: loads its document when the page says hello, loads it anew when asked, and gives back only actions that the shown
 * document offers. A load that is overtaken by a later one is dropped. One owner disposes it.
 */
export class PageSession implements Disposable {
  readonly #options: PageSessionOptions;
  #order: PageOrder;
  #changes: Disposable | undefined;
  #loading = new AbortController();
  #document: PageDocument | undefined;
  #offers: PageOffers = { actions: new Set(), codes: [] };
  #hasGreeted = false;
  #isClosed = false;

  constructor(order: PageOrder, options: PageSessionOptions) {
    this.#order = order;
    this.#options = options;
    this.#listen();
  }

  /** The same page is asked for again, perhaps with other things to do. */
  replace(order: PageOrder): void {
    this.#order = order;
    this.#listen();
    void this.reload('asked');
  }

  /** A hidden page is gone: the editor keeps none, and it says hello anew when it is shown. */
  setVisible(isVisible: boolean): void {
    if (!isVisible) this.#hasGreeted = false;
  }

  /** Resolves when the document is posted, or when a later load has taken over. Never rejects. */
  async reload(cause: LoadCause): Promise<void> {
    if (!this.#hasGreeted || this.#isClosed) return;
    this.#loading.abort(new Error('a later load took over'));
    const loading = new AbortController();
    this.#loading = loading;
    const { post, strings } = this.#options;
    post({ kind: 'loading', strings });
    const document = await this.#load(loading.signal, cause);
    if (document === undefined || isAborted(loading.signal)) return;
    this.#document = document;
    this.#offers = pageOffers(document);
    post({ kind: 'show', document, strings });
  }

  /** Takes whatever the page posted. Resolves when it is done. Never rejects. */
  async receive(raw: unknown): Promise<void> {
    const message = decodePageMessage(raw);
    if (message === undefined) return this.#options.log.warn('pages', 'a message of a page was dropped');
    try {
      switch (message.kind) {
        case 'hello':
          this.#hasGreeted = true;
          return await this.reload(this.#document === undefined ? 'asked' : 'again');
        case 'reload':
          return await this.reload('asked');
        case 'copyAll':
          return await this.#copy(this.#document === undefined ? undefined : pageText(this.#document));
        case 'copyCode':
          return await this.#copy(this.#offers.codes[message.index]);
        case 'act':
          if (this.#offers.actions.has(message.action)) await this.#order.act(message.action);
          return;
      }
    } catch (error) {
      this.#options.log.error('pages', 'an action of a page failed', error);
      this.#options.post({ kind: 'say', text: this.#options.describeError(error) });
    }
  }

  dispose(): void {
    this.#isClosed = true;
    this.#loading.abort(new Error('the page was closed'));
    this.#changes?.dispose();
  }

  #listen(): void {
    this.#changes?.dispose();
    this.#changes = this.#order.onDidChange?.(() => void this.reload('again'));
  }

  async #load(signal: AbortSignal, cause: LoadCause): Promise<PageDocument | undefined> {
    try {
      return await this.#order.load(signal, cause);
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#options.log.error('pages', 'a page could not be loaded', error);
      const text = this.#options.describeError(error);
      return { title: this.#order.tabTitle, notices: [{ tone: 'bad', text }], sections: [] };
    }
  }

  async #copy(text: string | undefined): Promise<void> {
    if (text === undefined) return;
    await this.#options.copy(text);
    this.#options.post({ kind: 'say', text: this.#options.copied });
  }
}
