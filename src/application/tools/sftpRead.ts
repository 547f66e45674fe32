import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { FileAttributes } from '../../domain/files/fileAttributes.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { closeUnheard } from '../files/closeUnheard.ts';
import { readFile } from '../files/readFile.ts';
import type { RemoteFile, RemoteFiles } from '../ports/remoteFiles.ts';
import { hostId } from './execInput.ts';
import { hostField, onShownHost, pathOf, reviewReading, shownPath, withFiles } from './fileCall.ts';
import { kindText, timeText } from './fileFields.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';
import { LinePage, type FilledPage } from './linePage.ts';
import { RemoteText } from './remoteText.ts';

const pageLines = 2_000;
/** Bytes that one call looks through. Source: tools.md, `sftp_read`. */
const mostScannedBytes = 64 * 1_024 * 1_024;

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  offset: z.int().min(1).max(10_000_000).optional().describe('First line, from 1; 1 when absent.'),
  limit: z.int().min(1).max(pageLines).optional().describe(`Lines; ${pageLines} when absent.`),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_read`. */
export function sftpRead(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_read',
      summary:
        'Reads lines of a UTF-8 text file of a host. Continue with offset = next_offset. total_lines is null unless the end was reached. A line that is too long to be shown is named in skipped_line. Bytes go into scratch with scratch_pull instead.',
      target: 'host',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'content', kind: 'text', paging: 'next_offset' },
      presentation: {
        symbol: 'file',
        activity: 'Reading a file',
        presenterId: 'remoteFiles',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => reviewReading(args, 'Read', context),
    execute: (args, context) => onShownHost(args.host_id, context, (host) => read(args, host, context)),
  });
}

interface ReadPage {
  readonly page: FilledPage;
  readonly attributes: FileAttributes;
  readonly lineEnding: 'lf' | 'crlf';
}

async function read(args: Arguments, host: HostListing, context: ToolContext): Promise<ToolOutcome> {
  const path = pathOf(args.path);
  const { offset = 1 } = args;
  const { page, attributes, lineEnding } = await withFiles(context, { host, isRepeatable: true }, (files) =>
    readPage(files, { path, offset, limit: args.limit ?? pageLines }, context),
  );
  const { content, totalLines, skipped } = page;
  if (totalLines !== undefined && offset > Math.max(1, totalLines))
    throw new FileRefusedError('offsetPastEnd', {
      offset: String(offset),
      total: String(totalLines),
      path: shownPath(path),
    });
  return {
    kind: 'success',
    fields: {
      host: hostField(host),
      path: args.path,
      offset,
      size: attributes.size ?? null,
      modified_at: timeText(attributes.times?.modified),
      line_ending: lineEnding,
    },
    body: {
      content,
      firstLine: offset,
      totalLines: totalLines ?? null,
      hasMore: totalLines === undefined,
      ...(skipped === undefined ? {} : { skippedLine: skipped }),
    },
  };
}

interface PagePlace {
  readonly path: RemotePath;
  readonly offset: number;
  readonly limit: number;
}

async function readPage(files: RemoteFiles, place: PagePlace, context: ToolContext): Promise<ReadPage> {
  const { path } = place;
  const { signal } = context;
  // A pipe would hold the whole channel up, so nothing is opened before its kind is known.
  const kind = kindText(await files.stat(path, signal));
  if (kind === 'directory') throw fileError('is-directory', { path: shownPath(path) });
  if (kind !== 'file')
    throw new FileRefusedError('notRegular', { path: shownPath(path), actual: 'special file' });
  const file = await files.open(path, { access: 'read' }, signal);
  try {
    return await readOpened(file, { place, chunk: files.capabilities.maxRead }, context);
  } finally {
    closeUnheard(file);
  }
}

/**
 * Redacts from the beginning of the file, whatever the page: a block of a key is known by its first line.
 */
async function readOpened(
  file: RemoteFile,
  { place, chunk }: { readonly place: PagePlace; readonly chunk: number },
  { redactor, signal }: ToolContext,
): Promise<ReadPage> {
  const attributes = await file.stat(signal);
  const { size: expectedSize } = attributes;
  const text = new RemoteText();
  const redacted = redactor.stream();
  const page = new LinePage(place);
  const add = (part: string | undefined): void => {
    if (part === undefined) throw new FileRefusedError('notText', { path: shownPath(place.path) });
    page.push(redacted.push(part));
  };
  let scanned = 0;
  const pieces = readFile(file, { chunk, ...(expectedSize === undefined ? {} : { expectedSize }) }, signal);
  for await (const piece of pieces) {
    scanned += piece.length;
    add(text.push(piece));
    if (page.isFull || scanned > mostScannedBytes) break;
  }
  const { lineEnding } = text;
  if (page.isFull) return { page: page.finish(false), attributes, lineEnding };
  if (scanned > mostScannedBytes) {
    if (!page.hasSomething)
      throw new FileRefusedError('lineTooFar', {
        limit: String(mostScannedBytes),
        path: shownPath(place.path),
      });
    return { page: page.finish(false), attributes, lineEnding };
  }
  add(text.end());
  page.push(redacted.end());
  return { page: page.finish(true), attributes, lineEnding };
}
