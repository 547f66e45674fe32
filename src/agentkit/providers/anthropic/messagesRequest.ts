import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { ModelItem, ModelRequest, ModelTool, ReasoningLevel } from '../../model.ts';
import { clampReasoning } from '../reasoningLevel.ts';
import { sortedBody } from '../sortedBody.ts';
import { asTurns } from '../turnOrder.ts';
import { wireCallId, wireInput } from '../wireCalls.ts';
import { blankText, isBlank, userText } from '../wireText.ts';
import { claudeModel } from './claudeModel.ts';
import { replayedBlocks } from './messagesItems.ts';
import { thinkingParts } from './thinking.ts';

export interface MessagesDialect {
  readonly model: string;
  readonly images: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  readonly maxOutputTokens: number | undefined;
  readonly nativeSearch: boolean;
}

/** This protocol wants a limit with every request. Source: agent runtime contract, section 21. */
const defaultMaxTokens = 4_096;
const maxSearches = 8;

/**
 * The body of one streamed Messages request, with sorted keys at every level. Apart from its cache marks, which move on, the messages of a
 * request are a byte prefix of those of the next. Source: agent runtime contract, sections 2 and 21.
 */
export function messagesBody(request: ModelRequest, dialect: MessagesDialect): MessageCreateParamsStreaming {
  const maxTokens = dialect.maxOutputTokens ?? claudeModel(dialect.model).maxOutputTokens ?? defaultMaxTokens;
  const level = clampReasoning(request.reasoning, dialect.reasoning);
  const turns = asTurns(request.items);
  const { thinking, output_config } = thinkingParts({ ...dialect, level, maxTokens, turns });
  const { responseSchema } = request;
  const format = responseSchema && {
    type: 'json_schema' as const,
    schema: { ...responseSchema.schema },
  };
  const body: MessageCreateParamsStreaming = {
    model: dialect.model,
    max_tokens: maxTokens,
    stream: true,
    ...(!isBlank(request.system) && {
      system: [{ type: 'text', text: request.system, cache_control: mark }],
    }),
    messages: withCacheMarks(toMessages(turns, dialect)),
    ...requestTools(request, dialect),
    ...(thinking && { thinking }),
    ...((output_config ?? format) && { output_config: { ...output_config, ...(format && { format }) } }),
  };
  return sortedBody(body);
}

const mark = { type: 'ephemeral' } as const;

/** Marks the last block of the last two messages: what this request wrote into the cache, and what the one before did. */
function withCacheMarks(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  return messages.map((message, at) => {
    const last = message.content.at(-1);
    if (at < messages.length - 2 || last === undefined || !isMarkable(last)) return message;
    return { ...message, content: [...message.content.slice(0, -1), { ...last, cache_control: mark }] };
  });
}

function isMarkable(
  block: ContentBlockParam,
): block is Extract<ContentBlockParam, { cache_control?: unknown }> {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}

interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/** Results that follow each other are one message, or the calls count as unanswered. */
function toMessages(items: readonly ModelItem[], dialect: MessagesDialect): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  items.forEach((item, at) => {
    const before = messages.at(-1);
    if (item.role === 'tool' && items[at - 1]?.role === 'tool' && before !== undefined)
      before.content.push(...toBlocks(item, dialect));
    else
      messages.push({
        role: item.role === 'assistant' ? 'assistant' : 'user',
        content: toBlocks(item, dialect),
      });
  });
  return messages;
}

const callIds = /^[a-zA-Z0-9_-]{1,64}$/;

function toBlocks(item: ModelItem, dialect: MessagesDialect): ContentBlockParam[] {
  switch (item.role) {
    case 'user':
      return userBlocks(item, dialect.images);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: wireCallId(item.callId, callIds),
          content: item.text,
          is_error: item.isError,
        },
      ];
    case 'assistant':
      return [
        ...replayedBlocks(item.providerItems),
        ...(isBlank(item.text) ? [] : [{ type: 'text' as const, text: item.text }]),
        ...item.calls.map((call): ContentBlockParam => ({
          type: 'tool_use',
          id: wireCallId(call.id, callIds),
          name: call.name,
          input: wireInput(call.argumentsText),
        })),
      ];
  }
}

function userBlocks(item: Extract<ModelItem, { role: 'user' }>, seesImages: boolean): ContentBlockParam[] {
  const text = userText(item, seesImages);
  const images = (seesImages ? item.images : []).flatMap(({ mediaType, base64 }): ContentBlockParam[] => {
    const known = imageType.safeParse(mediaType);
    if (!known.success) return [{ type: 'text', text: `[An image of the type ${mediaType} is left out.]` }];
    return [{ type: 'image', source: { type: 'base64', media_type: known.data, data: base64 } }];
  });
  if (images.length > 0 && isBlank(text)) return images;
  return [...images, { type: 'text', text: isBlank(text) ? blankText : text }];
}

const imageType = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** A history with calls needs tools, also when none may be called now: they are named, and calling is switched off. */
function requestTools(
  request: ModelRequest,
  dialect: MessagesDialect,
): Pick<MessageCreateParamsStreaming, 'tools' | 'tool_choice'> {
  const offered = request.tools.map(toTool);
  if (offered.length > 0) {
    const search: ToolUnion[] = dialect.nativeSearch
      ? [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxSearches }]
      : [];
    return { tools: [...offered, ...search] };
  }
  const called = new Set(
    request.items.flatMap((item) => (item.role === 'assistant' ? item.calls.map(({ name }) => name) : [])),
  );
  if (called.size === 0) return {};
  return {
    tools: [...called].sort().map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'none' },
  };
}

function toTool({ name, description, inputSchema }: ModelTool): ToolUnion {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } };
}
