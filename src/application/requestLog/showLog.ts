import { z } from 'zod';
import type { CallSeen, LogEntry, RequestLogPort, RequestSent, ResponseSeen } from '../ports/requestLog.ts';
import { type LoggedConversation, type ReadEntry, readEntries } from './readLog.ts';

/** Requests that are shown, the newest; the export has all. */
const shownRequests = 50;
const shownCharacters = 2_000;

const bodySchema = z.object({
  role: z.string(),
  id: z.string(),
  text: z.string().default(''),
  reasoning: z.string().default(''),
  toolName: z.string().optional(),
  tools: z.array(z.object({ name: z.string() })).default([]),
  calls: z.array(z.object({ id: z.string(), name: z.string(), argumentsText: z.string() })).default([]),
});

/**
 * A log as Markdown to read: the newest 50 requests with what came back, each message under the request that carried it first, cut
 * to 2,000 characters. Never localised. Source: vscode.md section 11.
 */
export async function showLog(log: RequestLogPort, conversation: LoggedConversation): Promise<string> {
  const all = await readEntries(log, conversation.id);
  const requests = all.filter(({ entry }) => entry.kind === 'request').length;
  const first = firstShown(all, requests - shownRequests);
  const lines = [
    `# Request log: ${oneLine(conversation.title)}`,
    '',
    `What was sent to model providers in conversation ${conversation.id} and what came back. Secrets are redacted. ` +
      'A message stands under the request that carried it first; later requests name it by its number.',
    '',
    first === 0
      ? `${requests} requests.`
      : `The newest ${shownRequests} of ${requests} requests; the export has all of them.`,
  ];
  for (const read of all.slice(first)) {
    lines.push('', ...describe(read.entry));
    if (read.parts.length > 0) lines.push(...named(read));
    for (const range of read.fresh)
      for await (const part of log.parts(conversation.id, range)) lines.push('', ...bodyLines(part));
  }
  return `${lines.join('\n')}\n`;
}

function firstShown(entries: readonly ReadEntry[], skipped: number): number {
  if (skipped <= 0) return 0;
  let seen = 0;
  return entries.findIndex(({ entry }) => entry.kind === 'request' && ++seen > skipped);
}

function describe(entry: LogEntry): readonly string[] {
  switch (entry.kind) {
    case 'run':
      return entry.state === 'started'
        ? [`## Run ${entry.runId}`, '', `${time(entry.at)} started`]
        : [`${time(entry.at)} run ${entry.state}${entry.failure === undefined ? '' : `: ${entry.failure}`}`];
    case 'request':
      return [`### Request ${time(entry.at)}`, '', requestLine(entry)];
    case 'response':
      return [`${time(entry.at)} ${responseLine(entry)}`];
    case 'retry':
      return [
        `${time(entry.at)} attempt ${entry.attempt} failed (${entry.reason}), the next one follows after ${entry.delayMs} ms`,
      ];
    case 'answer':
      return [`${time(entry.at)} answer stored as ${entry.messageId} (${entry.stop})`];
    case 'call':
      return callLines(entry);
  }
}

function requestLine({ model, purpose, reasoning, responseSchema }: RequestSent): string {
  return [
    `${model}, ${purpose}`,
    ...(reasoning === undefined ? [] : [`reasoning ${reasoning}`]),
    ...(responseSchema === undefined ? [] : [`answer as ${responseSchema}`]),
  ].join(', ');
}

function responseLine(response: ResponseSeen): string {
  const { outcome, reason, status, detail, firstEventMs, durationMs, usage } = response;
  const figures = [
    `${durationMs} ms`,
    ...(firstEventMs === undefined ? ['nothing arrived'] : [`first piece after ${firstEventMs} ms`]),
    `${response.textLength} characters`,
    ...(response.reasoningLength === 0 ? [] : [`${response.reasoningLength} characters of reasoning`]),
    ...(response.calls.length === 0 ? [] : [`calls ${response.calls.join(', ')}`]),
    ...(response.webSearches === 0 ? [] : [`${response.webSearches} web searches`]),
    ...(usage === undefined
      ? []
      : [
          `tokens in ${usage.inputTokens ?? '?'} (cached ${usage.cachedInputTokens ?? '?'}, written ${usage.cacheWriteTokens ?? '?'}), out ${usage.outputTokens ?? '?'}`,
        ]),
  ];
  const why = [
    reason,
    status === undefined ? undefined : `HTTP ${status}`,
    detail === undefined ? undefined : oneLine(detail),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  return `response ${outcome}${why === '' ? '' : ` (${why})`}: ${figures.join(', ')}`;
}

function callLines({
  at,
  phase,
  callId,
  toolName,
  arguments: changed,
  outcome,
  durationMs,
}: CallSeen): readonly string[] {
  const took = durationMs === undefined ? '' : ` after ${durationMs} ms`;
  const end = outcome === undefined ? '' : `: ${outcome}${took}`;
  const line = `${time(at)} call ${callId} of ${toolName} ${phase}${end}`;
  return changed === undefined ? [line] : [line, '', ...fenced(JSON.stringify(changed, undefined, 2))];
}

function named({ entry, parts }: ReadEntry): readonly string[] {
  const list = parts.map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`)).join(', ');
  return ['', entry.kind === 'request' ? `Carries ${list}.` : `Not carried by a request yet: ${list}.`];
}

function bodyLines({ number, body }: { readonly number: number; readonly body: string }): readonly string[] {
  const parsed = bodySchema.safeParse(JSON.parse(body));
  if (!parsed.success) return [`**#${number}**`, '', ...fenced(body)];
  const { role, id, text, reasoning, toolName, tools, calls } = parsed.data;
  const title = `**#${number} ${role}**${id === role ? '' : ` ${id}`}${toolName === undefined ? '' : ` of ${toolName}`}`;
  return [
    title,
    ...(reasoning === '' ? [] : ['', 'Reasoning:', '', ...fenced(reasoning)]),
    ...(text === '' ? [] : ['', ...fenced(text)]),
    ...(tools.length === 0 ? [] : ['', tools.map(({ name }) => name).join(', ')]),
    ...calls.flatMap((call) => ['', `Call ${call.id} of ${call.name}:`, '', ...fenced(call.argumentsText)]),
  ];
}

/** The text in a fence that nothing in it can close. */
function fenced(text: string): readonly string[] {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const left = text.length - shownCharacters;
  const shown = left > 0 ? text.slice(0, shownCharacters) : text;
  return [`${fence}text`, shown, fence, ...(left > 0 ? [`${left} characters more in the export`] : [])];
}

function time(at: number): string {
  return new Date(at).toISOString();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
