import { createHash } from 'node:crypto';
import {
  type Message,
  type ModelItem,
  type ModelRequest,
  type ModelTool,
  type Redactor,
  sortedJson,
  toJsonObject,
  withExpiredSecrets,
} from '../../agentkit/index.ts';
import type { LogPart } from '../ports/requestLog.ts';

/** What a request is made of. */
export type LogItem =
  | ModelItem
  | { readonly role: 'system'; readonly id: 'system'; readonly text: string }
  | { readonly role: 'tools'; readonly id: 'tools'; readonly tools: readonly ModelTool[] };

/** The parts of a request in their order: system text, tools, messages. */
export function itemsOf(request: ModelRequest): readonly LogItem[] {
  return [
    { role: 'system', id: 'system', text: request.system },
    ...(request.tools.length === 0 ? [] : [{ role: 'tools', id: 'tools', tools: request.tools } as const]),
    ...request.items,
  ];
}

/** A message in the form in which a request carries it. */
export function itemOf(message: Message): LogItem {
  switch (message.role) {
    case 'user': {
      const { role, id, text, images } = message;
      return { role, id, text, images };
    }
    case 'assistant': {
      const { role, id, text, reasoning, calls, providerItems } = message;
      return { role, id, text, reasoning, calls, providerItems };
    }
    case 'tool': {
      const { role, id, callId, toolName, text, isError } = message;
      return { role, id, callId, toolName, text, isError };
    }
  }
}

/**
 * Names an item cheaply. A message does not change under its id; the few that do (an unknown outcome that became known) change their
 * length.
 */
export function fingerprint(item: LogItem): string {
  switch (item.role) {
    case 'system':
      return `system:${item.text}`;
    case 'tools':
      return `tools:${item.tools.map(({ name, description }) => `${name}:${description.length}`).join()}`;
    case 'user':
      return `${item.id}:${item.text.length}:${item.images.length}`;
    case 'assistant':
      return `${item.id}:${item.text.length}:${item.calls.length}:${item.providerItems.length}`;
    case 'tool':
      return `${item.id}:${item.text.length}`;
  }
}

/** How much work an item is, in characters. */
export function sizeOf(item: LogItem): number {
  if (item.role === 'tools') return item.tools.length * 2_000;
  const written = item.role === 'assistant' ? item.calls.map((call) => call.argumentsText.length) : [];
  return item.text.length + written.reduce((sum, length) => sum + length, 0);
}

/**
 * The body of an item: redacted, with sizes in place of images and of what only the provider can read. A handle of a secret is in its
 * expired form, which redaction leaves alone. Source: agent runtime contract, sections 13 and 14.
 */
export function toPart(item: LogItem, redactor: Redactor): LogPart {
  const told = item.role === 'system' || item.role === 'tools' ? item : withExpiredSecrets(item);
  const clean = redactor.redactJson(toJsonObject(withSizes(told)));
  const isSecretResult = told.role === 'tool' && told !== item;
  const body = sortedJson(isSecretResult ? { ...clean, text: told.text } : clean);
  return { itemId: item.id, hash: createHash('sha256').update(body, 'utf8').digest('hex'), body };
}

function withSizes(item: LogItem): object {
  if (item.role === 'user' && item.images.length > 0)
    return {
      ...item,
      images: item.images.map(({ mediaType, base64 }) => ({
        mediaType,
        bytes: Math.floor((base64.length * 3) / 4),
      })),
    };
  if (item.role === 'assistant')
    return {
      ...item,
      providerItems: item.providerItems.map(({ tag, item: opaque }) => ({
        tag,
        bytes: JSON.stringify(opaque).length,
      })),
    };
  return item;
}
