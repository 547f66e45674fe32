import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  codePoints,
  defineTool,
  type JsonObject,
  type Tool,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import type { HostFacts, HostListing } from '../../domain/host/host.ts';
import type { ConnectionState } from '../ports/connection.ts';
import { ToolService } from './keys.ts';

const input = z.strictObject({
  query: codePoints(256)
    .optional()
    .describe('Only hosts whose label, address, user or a tag contains this text; case is ignored.'),
  cursor: codePoints(512).optional().describe('The cursor of the page before, unchanged.'),
  limit: z.int().min(1).max(200).optional().describe('Hosts a page; 100 when absent.'),
});

/** The hosts the user has, by label. No credentials, no key paths, no serial devices. Source: tools.md, `list_hosts`. */
export function listHosts(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'list_hosts',
      summary:
        'Lists the hosts the user has, with the host_id that every host tool needs. Read-only; connects to nothing. "os" and "home" are known only after a first connection.',
      target: 'local',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'hosts', kind: 'items', paging: 'cursor' },
      presentation: {
        symbol: 'server',
        activity: 'Listing hosts',
        presenterId: 'hosts',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute(args, context): Promise<ToolOutcome> {
      const { services } = context;
      const query = (args.query ?? '').toLowerCase();
      const listings = await services.get(ToolService.hosts).list();
      const found = listings.filter((host) => matches(host, query)).sort(byLabel);
      const start = startOf(args.cursor, query, found);
      if (start === undefined)
        return {
          kind: 'failure',
          sentence: 'The cursor does not fit this list (any more). Call list_hosts again without it.',
        };
      const page = found.slice(start, start + (args.limit ?? 100));
      const facts = services.get(ToolService.hostFacts);
      const connections = services.get(ToolService.connections);
      const items = await Promise.all(
        page.map(async (host) =>
          describe(host, await facts.facts(host.id).catch(() => ({})), connections.state(host.id)),
        ),
      );
      return {
        kind: 'success',
        fields: {},
        body: {
          content: items,
          firstLine: start + 1,
          totalLines: found.length,
          hasMore: start + page.length < found.length,
          cursorAfter: (kept) =>
            start + kept >= found.length ? null : cursorFor(query, found[start + kept - 1]),
        },
      };
    },
  });
}

function matches(host: HostListing, query: string): boolean {
  if (query === '') return true;
  return [host.label, host.address, host.user, ...host.tags].some((text) =>
    text.toLowerCase().includes(query),
  );
}

function byLabel(a: HostListing, b: HostListing): number {
  const [left, right] = [a.label.toLowerCase(), b.label.toLowerCase()];
  if (left !== right) return left < right ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function describe(host: HostListing, facts: HostFacts, state: ConnectionState): JsonObject {
  return {
    host_id: host.id,
    label: host.label,
    address: host.address,
    port: host.port,
    user: host.user,
    group: host.group ?? null,
    tags: host.tags,
    tier: host.tier ?? null,
    os: facts.os ?? null,
    home: facts.home ?? null,
    connection: connectionWord(state),
    source: host.source,
  };
}

function connectionWord(state: ConnectionState): string {
  switch (state.k) {
    case 'idle':
      return 'disconnected';
    case 'resolving':
    case 'connecting':
    case 'asking':
    case 'waiting':
      return 'connecting';
    case 'ready':
    case 'suspect':
      return 'connected';
    case 'stopped':
      return 'error';
  }
}

/** Names the query, so that a cursor of another list is noticed, and the last host returned. */
function cursorFor(query: string, last: HostListing | undefined): string {
  return Buffer.from(`${queryMark(query)}:${last?.id ?? ''}`, 'utf8').toString('base64url');
}

/** Index of the first host behind the cursor; undefined when the cursor is foreign or its host is gone. */
function startOf(
  cursor: string | undefined,
  query: string,
  found: readonly HostListing[],
): number | undefined {
  if (cursor === undefined) return 0;
  const [mark, last] = Buffer.from(cursor, 'base64url').toString('utf8').split(':');
  if (mark !== queryMark(query)) return undefined;
  if (last === '') return 0;
  const index = found.findIndex((host) => host.id === last);
  return index < 0 ? undefined : index + 1;
}

function queryMark(query: string): string {
  return createHash('sha256').update(query, 'utf8').digest('hex').slice(0, 16);
}
