import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import { nonBlank } from '../../schemas.ts';
import type { FullText, Tool, ToolOutcome } from '../../tool.ts';
import type { SearchHit, SearchPort } from './webPorts.ts';

/** Its name; a model that searches by itself does without it. */
export const webSearchTool = 'web_search';

const mostHits = 5;

/** Asks the search service that is set up. Source: tool contract, `web_search`; agent runtime contract, section 9. */
export function webSearch(port: SearchPort): Tool {
  return defineTool({
    input: z.strictObject({
      query: nonBlank(1_024),
      count: z.int().min(1).max(mostHits).optional().describe(`Hits wanted; ${mostHits} when absent.`),
    }),
    descriptor: {
      name: webSearchTool,
      summary:
        'Searches the web with the service that the user has set up and returns titles, addresses and what the service says of each page. It reads no page itself: use fetch for that.',
      target: 'network',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      body: { field: 'results', kind: 'records', textField: 'markdown' },
      presentation: {
        symbol: 'search',
        activity: 'Searching the web for',
        presenterId: 'webSearch',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute({ query: asked, count = mostHits }, { signal, redactor }): Promise<ToolOutcome> {
      const query = redactor.redact(asked);
      const { engine, hits } = await port.search({ query, count }, signal);
      const content = hits.map(({ title, url, markdown, isCut }) => ({
        title,
        url,
        markdown,
        text_truncated: isCut,
      }));
      const full = savedHits(redactor.redactJson(hits));
      return { kind: 'success', fields: { query, engine }, body: { content, full } };
    },
  });
}

/** One hit behind the other as title, URL, blank line, text. Source: agent runtime contract, section 9. */
function savedHits(hits: readonly SearchHit[]): FullText {
  const text = hits.map(({ title, url, markdown }) => `${title}\n${url}\n\n${markdown}\n`).join('\n');
  return { isWhole: true, save: (capture, signal) => capture.save(Buffer.from(text, 'utf8'), signal) };
}
