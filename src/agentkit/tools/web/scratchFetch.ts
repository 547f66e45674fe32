import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import { scratchPath } from '../../scratch/scratchPath.ts';
import type { ScratchWorkspace } from '../../scratch/scratchWorkspace.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';
import { pathHint, scratchPathInput } from '../scratch/scratchTool.ts';
import { fetchFields, reviewedTarget, reviewFetch, type FetchArguments } from './fetchInput.ts';
import { isPage } from './mediaType.ts';
import { receiveDocument } from './receiveDocument.ts';
import { checkHeaders } from './requestHeaders.ts';
import { LineCount, textSlices } from './textSlices.ts';
import { WebError } from './webError.ts';
import type { WebPorts } from './webPorts.ts';

type Arguments = FetchArguments & { readonly scratch_path: string };

/** Downloads a document into scratch. Source: tool contract, `scratch_fetch`. */
export function scratchFetch(ports: WebPorts, scratch: ScratchWorkspace): Tool {
  return defineTool({
    input: z.strictObject({ ...fetchFields, scratch_path: scratchPathInput.describe(pathHint) }),
    descriptor: {
      name: 'scratch_fetch',
      summary:
        'Downloads one document from the web (text, HTML, JSON or XML, at most 8 MiB) into a file in scratch, which it overwrites; its text does not enter the conversation. HTML becomes readable Markdown unless format is original, which saves the bytes as they came. A status outside 2xx is an error. Addresses that are not public are decided by the user first.',
      target: 'network',
      safety: 'locallyContained',
      concurrency: 'parallel',
      editedArgument: 'url',
      droppable: ['title'],
      presentation: {
        symbol: 'cloud-download',
        activity: 'Saving a web page',
        presenterId: 'scratchFetch',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => {
      scratchPath(args.scratch_path);
      return reviewFetch(args, ports, context);
    },
    execute: (args, context) => run(args, { ports, scratch }, context),
  });
}

async function run(
  args: Arguments,
  { ports, scratch }: { readonly ports: WebPorts; readonly scratch: ScratchWorkspace },
  context: ToolContext,
): Promise<ToolOutcome> {
  const { signal } = context;
  const format = args.format ?? 'markdown';
  const savedAs = args.scratch_path;
  const order = { target: reviewedTarget(context), headers: checkHeaders(args.headers ?? []), savedAs };
  const received = await receiveDocument(order, ports, context);
  const { status, url } = received;
  if (status < 200 || status > 299) throw new WebError('statusRefused', { status: String(status) });
  const { text, title } = await ports.documents.read(received, format, signal);
  const isConverted = format === 'markdown' && isPage(received.mediaType);
  const bytes = isConverted ? Buffer.from(text, 'utf8') : received.bytes;
  if (bytes.length === 0) throw new WebError('emptyDocument');
  const count = new LineCount();
  for await (const slice of textSlices(text, signal)) count.add(slice);
  const written = await scratch.write(savedAs, { bytes }, signal);
  return {
    kind: 'success',
    fields: {
      url,
      http_status: status,
      title: title ?? null,
      format,
      scratch_path: written.path,
      bytes: written.bytes,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      lines: count.lines,
      total_bytes: written.totals.bytes,
    },
  };
}
