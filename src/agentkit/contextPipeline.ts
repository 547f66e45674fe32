import { compactedItems } from './compaction/compactedItems.ts';
import { compactionView } from './compaction/compactionView.ts';
import { contextBlocks } from './contextBlocks.ts';
import { uuidFromDigest } from './ids.ts';
import type { Message } from './message.ts';
import type { ModelItem } from './model.ts';
import { pairCalls } from './pairing.ts';
import type { CompactionRecord } from './runStore.ts';

export interface PipelineInput {
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionRecord[];
  /** Of the model that is asked; provider items of another tag stay out. */
  readonly tag: string;
  readonly contextBlock: (field: string, text: string) => string;
}

/**
 * Shapes the messages of one request: pairing, compaction view, context blocks, provider items, in this order. Pure: the same history
 * gives the same items, and a history that only grew gives a longer list with the same start. Stored history keeps everything.
 * Source: agent runtime contract, section 7; seed 1, "AgentContextPipeline".
 */
export function buildItems(input: PipelineInput): readonly ModelItem[] {
  const { contextBlock } = input;
  const { record, context, messages } = compactionView(pairCalls(input.messages), input.compactions);
  const items: ModelItem[] = record === undefined ? [] : [...compactedItems(record, context, contextBlock)];
  let before = context;
  for (const message of messages) {
    if (message.role === 'user') {
      for (const block of contextBlocks(message, before, contextBlock))
        items.push({ role: 'user', id: block.id, text: block.text, images: [] });
      before = message.context;
    }
    const item = toItem(message, input.tag);
    if (item !== undefined) items.push(item);
  }
  return items;
}

/**
 * A name that every provider takes in a history: that of the call, unless the model made up one that no tool can have. Providers refuse the
 * whole request for such a name, and the conversation could never go on.
 */
function sendableName(name: string): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)) return name;
  return `unknown_tool_${uuidFromDigest(`tool-name:${name}`).slice(0, 8)}`;
}

/** One message at the model boundary. Undefined for an answer that came to nothing: providers refuse empty ones. */
export function toItem(message: Message, tag: string): ModelItem | undefined {
  switch (message.role) {
    case 'user':
      return { role: 'user', id: message.id, text: message.text, images: message.images };
    case 'tool': {
      const { id, callId, toolName, text, isError } = message;
      return { role: 'tool', id, callId, toolName: sendableName(toolName), text, isError };
    }
    case 'assistant': {
      const { id, text, reasoning } = message;
      const calls = message.calls.map((call) => ({ ...call, name: sendableName(call.name) }));
      const providerItems = message.providerItems.filter((item) => item.tag === tag);
      if (text === '' && calls.length === 0 && providerItems.length === 0) return undefined;
      return { role: 'assistant', id, text, reasoning, calls, providerItems };
    }
  }
}
