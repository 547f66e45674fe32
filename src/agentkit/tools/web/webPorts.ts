import type { ClockPort } from '../../clock.ts';
import type { Disposable } from '../../lifetime.ts';
import type { WebHeader } from './requestHeaders.ts';

/** Source: agent runtime contract, section 19. Milliseconds and bytes. */
export const webLimits = {
  connectMs: 10_000,
  idleMs: 30_000,
  totalMs: 60_000,
  bodyBytes: 8 * 1_024 * 1_024,
  redirects: 10,
} as const;

/** Where names come from. */
export interface NamesPort {
  /** All addresses of a name, as literals. Rejects with `WebError` `nameUnknown`, or the signal's reason. */
  resolve(name: string, signal: AbortSignal): Promise<readonly string[]>;
}

export interface WebRequest {
  /** Absolute, http or https, checked. */
  readonly url: string;
  /** The only addresses that may be connected to; every one of them was judged. */
  readonly addresses: readonly string[];
  /** Already checked; names may repeat. */
  readonly headers: readonly WebHeader[];
  /** What is left of the time for all hops. */
  readonly totalMs: number;
}

/** The head of an answer; whoever got it disposes it, which ends the connection. */
export interface WebResponse extends Disposable {
  readonly status: number;
  /** A header's value, several joined by commas; `name` in lower case. */
  header(name: string): string | undefined;
  /**
   * The body without its content encoding. Rejects with `WebError` `tooLarge` when it is more than 8 MiB packed or unpacked, with
   * `encodingUnknown`, `timedOut` or `connectionFailed`, or with the signal's reason. Once.
   */
  body(signal: AbortSignal): Promise<Uint8Array>;
}

/** One GET on a connection of its own to one of the given addresses: no proxy, no cookies, no redirect, no cache. */
export interface WebRequestPort {
  /** Rejects with `WebError` `connectionFailed` or `timedOut`, or the signal's reason. */
  get(request: WebRequest, signal: AbortSignal): Promise<WebResponse>;
}

export interface ReceivedDocument {
  readonly bytes: Uint8Array;
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** What the header says of the encoding. */
  readonly charset: string | undefined;
  /** Final URL, for links. */
  readonly url: string;
}

export interface DocumentText {
  readonly text: string;
  readonly title: string | undefined;
}

/** What makes text of received bytes. Does not hold up the calling thread. */
export interface DocumentTextPort {
  /**
   * The text as it was written, or a page as Markdown; what is no page is the same in both formats. Rejects with `WebError`
   * `notConverted`, or the signal's reason.
   */
  read(
    document: ReceivedDocument,
    format: 'markdown' | 'original',
    signal: AbortSignal,
  ): Promise<DocumentText>;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  /** What the service says of the page; at most 8 MiB. */
  readonly markdown: string;
  /** The service sent more than that. */
  readonly isCut: boolean;
}

export interface SearchPort {
  /** At most `count` hits. Rejects with `WebError` `searchNotSetUp`, `searchFailed` or `timedOut`, or the signal's reason. */
  search(
    order: { readonly query: string; readonly count: number },
    signal: AbortSignal,
  ): Promise<{ readonly engine: string; readonly hits: readonly SearchHit[] }>;
}

export interface WebPorts {
  readonly names: NamesPort;
  readonly requests: WebRequestPort;
  readonly documents: DocumentTextPort;
  readonly clock: ClockPort;
}
