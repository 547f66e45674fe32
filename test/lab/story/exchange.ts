import { z } from 'zod';
import type { PostedConversation, PostedMessage } from '../modelConversation.ts';

/** What a tool message says. Everything but `data` is one plain sentence of the runtime. Source: agent runtime contract, 8.1 and 8.2. */
export type ToolResult =
  | { readonly kind: 'data'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'denied' | 'cancelled' | 'unknown' | 'failed'; readonly sentence: string };

/** One call of this model with its answer. */
export interface AnsweredStep {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
  /** False for a step of an earlier run, which a person has asked to continue. */
  readonly isOfThisRun: boolean;
}

export interface Exchange {
  /** What the person asked, without context blocks. */
  readonly prompt: string;
  readonly steps: readonly AnsweredStep[];
}

const anyObject = z.record(z.string(), z.unknown());
const envelope = /^<untrusted-data>\n([^]*)\n<\/untrusted-data>$/;

/** Reads the text that the model got for one call. */
export function readToolResult(text: string): ToolResult {
  const json = envelope.exec(text)?.[1];
  if (json !== undefined) return { kind: 'data', fields: anyObject.parse(JSON.parse(json)) };
  if (/unknown/i.test(text)) return { kind: 'unknown', sentence: text };
  if (/before it ran/i.test(text)) return { kind: 'cancelled', sentence: text };
  if (/denied this call|not approved/i.test(text)) return { kind: 'denied', sentence: text };
  return { kind: 'failed', sentence: text };
}

/** Words of a person: the runtime's own user-role messages are blocks that begin with a tag. */
function isPrompt(message: PostedMessage): boolean {
  return message.role === 'user' && !message.text.startsWith('<');
}

const continues = /\b(continue|go on|carry on|resume)\b/i;

/**
 * The request that is being worked on with all that was done for it. A person who says "continue" means the newest
 * request that `isRequest` accepts. Undefined when nobody has asked for anything.
 */
export function currentExchange(
  { messages }: PostedConversation,
  isRequest: (prompt: string) => boolean,
): Exchange | undefined {
  const prompts = messages.flatMap((message, at) => (isPrompt(message) ? [at] : []));
  const newest = prompts.at(-1);
  const last = newest === undefined ? undefined : messages[newest];
  if (newest === undefined || last?.role !== 'user') return undefined;
  const meant = continues.test(last.text)
    ? prompts.findLast((at) => isRequest(textAt(messages, at)))
    : newest;
  const start = meant ?? newest;
  return { prompt: textAt(messages, start), steps: stepsSince(messages, { start, newest }) };
}

function textAt(messages: readonly PostedMessage[], at: number): string {
  const message = messages[at];
  return message?.role === 'user' ? message.text : '';
}

function stepsSince(
  messages: readonly PostedMessage[],
  { start, newest }: { readonly start: number; readonly newest: number },
): AnsweredStep[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message.text] as const] : [])),
  );
  return messages.flatMap((message, at) => {
    if (at < start || message.role !== 'assistant') return [];
    return message.calls.map((call) => ({
      name: call.name,
      args: anyObject.parse(JSON.parse(call.argumentsText)),
      result: readToolResult(results.get(call.id) ?? ''),
      isOfThisRun: at > newest,
    }));
  });
}
