import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  codePoints,
  defineTool,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import { comparePaths, isShownEscaped, joinPath, type RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { DirectoryEntry, RemoteFiles } from '../ports/remoteFiles.ts';
import { hostId } from './execInput.ts';
import { attributeFields } from './fileFields.ts';
import { hostField, onShownHost, pathOf, reviewReading, shownPath, withFiles } from './fileCall.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';

/** Entries that are read at all. Source: tools.md, `sftp_list`. */
const mostEntries = 20_000;
const pageEntries = 500;

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  cursor: codePoints(512).optional().describe('The cursor of the page before, unchanged.'),
  limit: z.int().min(1).max(1_000).optional().describe(`Entries a page; ${pageEntries} when absent.`),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_list`. */
export function sftpList(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_list',
      summary:
        'Lists a directory of a host, hidden names included, sorted by bytes. Links are not followed. A name with "name_escaped" has other bytes than shown and cannot be addressed by file tools. "incomplete" means that the directory has more than 20000 entries and only those were looked at.',
      target: 'host',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'entries', kind: 'items', paging: 'cursor' },
      presentation: {
        symbol: 'list-tree',
        activity: 'Listing a directory',
        presenterId: 'remoteFiles',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => reviewReading(args, 'List', context),
    execute: (args, context) => onShownHost(args.host_id, context, (host) => list(args, host, context)),
  });
}

async function list(args: Arguments, host: HostListing, context: ToolContext): Promise<ToolOutcome> {
  const path = pathOf(args.path);
  const behind = args.cursor === undefined ? undefined : nameBehind(args.cursor, args);
  return withFiles(context, { host, isRepeatable: true }, async (files) => {
    const { entries, isIncomplete } = await readEntries(files, path, context.signal);
    const start = behind === undefined ? 0 : firstBehind(entries, behind);
    const page = entries.slice(start, start + (args.limit ?? pageEntries));
    const content = await Promise.all(
      page.map(async (entry) => describe(await withKind(files, { path, entry }, context.signal))),
    );
    return {
      kind: 'success',
      fields: { host: hostField(host), path: args.path, ...(isIncomplete ? { incomplete: true } : {}) },
      body: {
        content,
        firstLine: start + 1,
        totalLines: isIncomplete ? null : entries.length,
        hasMore: start + page.length < entries.length,
        cursorAfter: (kept) => {
          const last = entries[start + kept - 1];
          return start + kept >= entries.length ? null : cursorFor(args, last);
        },
      },
    };
  });
}

/** Sorted by bytes. Beyond the limit the first that were read, whichever the server told first. */
async function readEntries(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly DirectoryEntry[]; readonly isIncomplete: boolean }> {
  const entries: DirectoryEntry[] = [];
  for await (const page of files.list(path, signal)) {
    entries.push(...page.entries);
    if (entries.length > mostEntries) break;
  }
  const kept = entries.slice(0, mostEntries).sort((a, b) => comparePaths(a.name, b.name));
  return { entries: kept, isIncomplete: entries.length > mostEntries };
}

/** With the kind asked for where the listing did not tell it. */
async function withKind(
  files: RemoteFiles,
  { path, entry }: { readonly path: RemotePath; readonly entry: DirectoryEntry },
  signal: AbortSignal,
): Promise<DirectoryEntry> {
  if (entry.kind !== undefined) return entry;
  try {
    return { ...entry, attributes: await files.lstat(joinPath(path, entry.name), signal) };
  } catch (error) {
    if (files.isEnded || signal.aborted) throw error;
    return entry; // it is gone, or nobody may look
  }
}

function describe({ name, attributes }: DirectoryEntry): JsonObject {
  return {
    name: shownPath(name),
    ...attributeFields(attributes),
    ...(isShownEscaped(name) ? { name_escaped: true } : {}),
  };
}

/** Names the directory, so that a cursor of another one is noticed, and the last name that was returned. */
function cursorFor(args: Arguments, last: DirectoryEntry | undefined): string {
  return `${directoryMark(args)}.${Buffer.from(last?.name ?? []).toString('base64url')}`;
}

function nameBehind(cursor: string, args: Arguments): Uint8Array {
  const [mark, name, ...more] = cursor.split('.');
  if (mark !== directoryMark(args) || name === undefined || more.length > 0)
    throw new FileRefusedError('foreignCursor');
  return Buffer.from(name, 'base64url');
}

/** An empty name is in front of all. */
function firstBehind(entries: readonly DirectoryEntry[], name: Uint8Array): number {
  const at = entries.findIndex((entry) => comparePaths(entry.name, name) > 0);
  return at < 0 ? entries.length : at;
}

function directoryMark({ host_id: host, path }: Arguments): string {
  return createHash('sha256').update(`${host}\n${path}`, 'utf8').digest('hex').slice(0, 16);
}
