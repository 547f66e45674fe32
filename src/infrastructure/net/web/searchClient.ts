import { z } from 'zod';
import {
  abortReason,
  quoteForeign,
  untilAborted,
  WebError,
  webLimits,
  type ClockPort,
  type SearchHit,
  type SearchPort,
} from '../../../agentkit/index.ts';
import type { SecretStorePort } from '../../../application/ports/prompts.ts';
import { searchKey, type SearchService, type WebSearchConfig } from '../../../application/webSearchConfig.ts';
import { plainPage } from './plainPage.ts';

export interface SearchClientOptions {
  /** As the settings stand. */
  readonly config: () => WebSearchConfig | undefined;
  readonly secrets: Pick<SecretStorePort, 'get'>;
  /** With the proxy and certificates of the editor: the person named the service. */
  readonly fetch: typeof globalThis.fetch;
  readonly clock: ClockPort;
}

interface Order {
  readonly query: string;
  readonly count: number;
}

/** How one service is asked and read. */
interface Protocol {
  readonly needsKey: boolean;
  url(base: string, order: Order): URL;
  headers(key: string): Readonly<Record<string, string>>;
  /** Undefined for what is no answer of this service. */
  hits(answer: unknown): readonly SearchHit[] | undefined;
}

const searxng = z.object({
  results: z.array(
    z.object({ title: z.string().catch(''), url: z.string(), content: z.string().nullish().catch('') }),
  ),
});
const brave = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string().catch(''),
          url: z.string(),
          description: z.string().nullish().catch(''),
          extra_snippets: z.array(z.string()).nullish().catch([]),
        }),
      ),
    })
    .optional(),
});

/** Source: docs.searxng.org, "Search API"; the documentation of the Brave Search API. */
const protocols: Readonly<Record<SearchService, Protocol>> = {
  searxng: {
    needsKey: false,
    url: (base, { query }) => {
      const url = new URL(`${base.replace(/\/+$/, '')}/search`);
      url.searchParams.set('q', query);
      url.searchParams.set('format', 'json');
      return url;
    },
    headers: (key) => (key === '' ? {} : { Authorization: `Bearer ${key}` }),
    hits: (answer) =>
      searxng.safeParse(answer).data?.results.map(({ title, url, content }) => ({
        title,
        url,
        markdown: content ?? '',
        isCut: false,
      })),
  },
  brave: {
    needsKey: true,
    url: (base, { query, count }) => {
      const url = new URL(base);
      url.searchParams.set('q', query);
      url.searchParams.set('count', String(count));
      return url;
    },
    headers: (key) => ({ 'X-Subscription-Token': key }),
    hits: (answer) => {
      const parsed = brave.safeParse(answer);
      if (!parsed.success) return undefined;
      return (parsed.data.web?.results ?? []).map(({ title, url, description, extra_snippets }) => ({
        title: words(title),
        url,
        markdown: [description ?? '', ...(extra_snippets ?? [])].map(words).join('\n'),
        isCut: false,
      }));
    },
  },
};

/** Its texts carry marks and entities of HTML. */
function words(html: string): string {
  return plainPage(html).markdown.trimEnd();
}

/**
 * The search service of the settings. The key is read for each search and goes to the address of the settings alone: a redirect is
 * a failure. Nothing is fetched of the pages that are found. Source: decisions 18; tool contract, `web_search`.
 */
export class SearchClient implements SearchPort {
  readonly #options: SearchClientOptions;

  constructor(options: SearchClientOptions) {
    this.#options = options;
  }

  async search(
    order: Order,
    signal: AbortSignal,
  ): Promise<{ readonly engine: string; readonly hits: readonly SearchHit[] }> {
    const { config, secrets } = this.#options;
    const current = config();
    if (current === undefined) throw new WebError('searchNotSetUp');
    const { service, url } = current;
    const protocol = protocols[service];
    const key = (await secrets.get(searchKey(service))) ?? '';
    if (key === '' && protocol.needsKey) throw failed(noKey);
    const text = await this.#ask(protocol.url(url, order), protocol.headers(key), signal);
    const hits = protocol.hits(parsed(text));
    if (hits === undefined) throw failed('its answer is none of the kind of service that is set up');
    return { engine: service, hits: hits.slice(0, order.count) };
  }

  async #ask(url: URL, own: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string> {
    const { fetch, clock } = this.#options;
    const late = new AbortController();
    const limit = `${webLimits.totalMs / 1_000} seconds were over`;
    const timer = clock.after(webLimits.totalMs, () =>
      late.abort(new WebError('timedOut', { host: url.host, limit })),
    );
    const either = AbortSignal.any([signal, late.signal]);
    const headers = { Accept: 'application/json', ...own };
    try {
      const response = await fetch(url, { headers, redirect: 'manual', signal: either });
      if (!response.ok) throw failed(await refusal(response));
      return await untilAborted(boundedText(response), either);
    } catch (error) {
      if (either.aborted) throw abortReason(either);
      if (error instanceof WebError) throw error;
      throw failed(quoteForeign(causeOf(error)), error);
    } finally {
      timer.dispose();
    }
  }
}

const noKey = 'it needs a key, and none is kept; the user can give it with "Termind: Set Provider Key…"';

/** Lets go of the rest of the answer. */
async function refusal(response: Response): Promise<string> {
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  if (status === 0 || (status >= 300 && status < 400))
    return 'it answered with a redirect, which is not followed';
  if (status === 401) return 'it refused the key';
  if (status === 403) return 'it refused the request (403); a SearXNG has to offer the format json';
  if (status === 429) return 'it takes no more searches for now (429)';
  return `it answered with the status ${status}`;
}

async function boundedText(response: Response): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > webLimits.bodyBytes) throw new WebError('tooLarge', { limit: String(webLimits.bodyBytes) });
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(reason: string, cause?: unknown): WebError {
  return new WebError('searchFailed', { reason }, cause);
}

/** The global `fetch` puts the system's words into the cause of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
