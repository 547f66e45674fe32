import { createHash } from 'node:crypto';
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { parseJsonObject, sortedJson, toJsonObject } from '../../json.ts';
import type { ModelItem, ModelRequest, ModelTool, ReasoningLevel } from '../../model.ts';
import { clampReasoning } from '../reasoningLevel.ts';

export interface ChatDialect {
  readonly model: string;
  readonly images: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  readonly sendsCacheKey: boolean;
}

/**
 * The body of one streamed Chat Completions request, with sorted keys at every level, so that the messages of a request are a byte prefix
 * of those of the next. Source: agent runtime contract, sections 2 and 21.
 */
export function chatRequestBody(
  request: ModelRequest,
  dialect: ChatDialect,
): ChatCompletionCreateParamsStreaming {
  const effort = clampReasoning(request.reasoning, dialect.reasoning);
  const { responseSchema } = request;
  const body: ChatCompletionCreateParamsStreaming = {
    model: dialect.model,
    messages: [...systemMessage(request.system), ...request.items.map((item) => toMessage(item, dialect))],
    stream: true,
    stream_options: { include_usage: true },
    ...(request.tools.length > 0 && { tools: request.tools.map(toFunction) }),
    ...(effort !== undefined && { reasoning_effort: effort === 'off' ? 'none' : effort }),
    ...(dialect.sendsCacheKey && { prompt_cache_key: request.cacheKey }),
    ...(responseSchema && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: responseSchema.name, schema: { ...responseSchema.schema }, strict: true },
      },
    }),
  };
  return inSortedOrder(body);
}

function systemMessage(system: string): ChatCompletionMessageParam[] {
  return system === '' ? [] : [{ role: 'system', content: system }];
}

function toMessage(item: ModelItem, dialect: ChatDialect): ChatCompletionMessageParam {
  switch (item.role) {
    case 'user':
      return { role: 'user', content: item.images.length === 0 ? item.text : withImages(item, dialect) };
    case 'tool':
      return { role: 'tool', tool_call_id: wireCallId(item.callId), content: item.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: item.text === '' && item.calls.length > 0 ? null : item.text,
        ...(item.calls.length > 0 && {
          tool_calls: item.calls.map((call) => ({
            id: wireCallId(call.id),
            type: 'function',
            function: { name: call.name, arguments: wireArguments(call.argumentsText) },
          })),
        }),
      };
  }
}

function withImages(
  item: Extract<ModelItem, { role: 'user' }>,
  dialect: ChatDialect,
): string | ChatCompletionContentPart[] {
  if (!dialect.images)
    return `${item.text}\n[Images attached here are left out: this model reads text only.]`;
  const images = item.images.map(({ mediaType, base64 }): ChatCompletionContentPart => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${base64}` },
  }));
  return item.text === '' ? images : [{ type: 'text', text: item.text }, ...images];
}

function toFunction(tool: ModelTool): NonNullable<ChatCompletionCreateParamsStreaming['tools']>[number] {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: { ...tool.inputSchema } },
  };
}

/**
 * The arguments as they were made, when they are one JSON object. Several servers parse them and refuse the whole request
 * otherwise, so broken text travels inside an object.
 */
function wireArguments(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  if (parseJsonObject(argumentsText) !== undefined) return argumentsText;
  return JSON.stringify({ invalid_arguments: argumentsText });
}

/** Ids are at most 40 characters on this wire; longer ones come from another provider. */
function wireCallId(id: string): string {
  if (id.length <= 40) return id;
  return `call_${createHash('sha256').update(id, 'utf8').digest('hex').slice(0, 32)}`;
}

function inSortedOrder<T extends object>(body: T): T {
  return JSON.parse(sortedJson(toJsonObject(body))) as T;
}
