import { z } from 'zod';

/** The protocols of search services: SearXNG's own, and that of the Brave Search API. Source: agent runtime contract, section 1; tool contract, section 7. */
export const searchServices = ['searxng', 'brave'] as const;
export type SearchService = (typeof searchServices)[number];

/** Of the vendor who made the protocol; a SearXNG is always somebody's own. */
const defaultUrls: Readonly<Record<SearchService, string | undefined>> = {
  searxng: undefined,
  brave: 'https://api.search.brave.com/res/v1/web/search',
};

/** Which service `web_search` asks, and where. The key, if any, is in the secret storage under `searchKey(service)`. */
export interface WebSearchConfig {
  readonly service: SearchService;
  readonly url: string;
}

const setting = z.strictObject({
  service: z.enum(searchServices),
  url: z.url({ protocol: /^https?$/ }).exactOptional(),
});

/** Undefined when nothing is set up, or when it cannot be read, which is reported. */
export function readWebSearch(
  raw: unknown,
  onProblem: (problem: string) => void,
): WebSearchConfig | undefined {
  if (z.strictObject({}).safeParse(raw ?? {}).success) return undefined;
  const parsed = setting.safeParse(raw);
  const url = parsed.data && (parsed.data.url ?? defaultUrls[parsed.data.service]);
  if (parsed.data !== undefined && url !== undefined) return { service: parsed.data.service, url };
  const cause = parsed.error?.issues[0]?.message ?? 'its url is missing';
  onProblem(`termind.webSearch is not usable: ${cause}`);
  return undefined;
}

/** Where the key of a service lives in the secret storage. */
export function searchKey(service: SearchService): string {
  return `search:${service}`;
}
