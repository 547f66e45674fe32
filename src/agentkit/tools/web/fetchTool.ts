import { z } from 'zod';
import { defineTool } from '../../defineTool.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../tool.ts';
import { fetchFields, reviewedTarget, reviewFetch, type FetchArguments } from './fetchInput.ts';
import { receivedBody } from './receivedBody.ts';
import { receiveDocument } from './receiveDocument.ts';
import { checkHeaders } from './requestHeaders.ts';
import type { WebPorts } from './webPorts.ts';

/** Reads a web document. Source: tool contract, `fetch`. */
export function fetchTool(ports: WebPorts): Tool {
  return defineTool({
    input: z.strictObject(fetchFields),
    descriptor: {
      name: 'fetch',
      summary:
        'Reads one document from the web (text, HTML, JSON or XML, at most 8 MiB) with GET, from this computer and not from a host. HTML becomes readable Markdown unless format is original. Any HTTP status is a normal result. Addresses that are not public are decided by the user first.',
      target: 'network',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      editedArgument: 'url',
      body: { field: 'content', kind: 'text' },
      droppable: ['title', 'content_type'],
      presentation: {
        symbol: 'globe',
        activity: 'Reading a web page',
        presenterId: 'fetch',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => reviewFetch(args, ports, context),
    execute: (args, context) => run(args, ports, context),
  });
}

async function run(args: FetchArguments, ports: WebPorts, context: ToolContext): Promise<ToolOutcome> {
  const { signal, redactor } = context;
  const format = args.format ?? 'markdown';
  const order = { target: reviewedTarget(context), headers: checkHeaders(args.headers ?? []) };
  const received = await receiveDocument(order, ports, context);
  const { text, title } = await ports.documents.read(received, format, signal);
  return {
    kind: 'success',
    fields: {
      url: received.url,
      http_status: received.status,
      content_type: received.contentType,
      title: title ?? null,
      format,
      bytes: received.bytes.length,
      redirects: received.redirects,
    },
    body: await receivedBody(text, redactor, signal),
  };
}
