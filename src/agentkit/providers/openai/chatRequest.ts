import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelItem, ModelRequest, ModelTool, ReasoningLevel } from '../../model.ts';
import { clampReasoning } from '../reasoningLevel.ts';
import { sortedBody } from '../sortedBody.ts';
import { wireArguments, wireCallId } from '../wireCalls.ts';
import { userText } from '../wireText.ts';

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
  return sortedBody(body);
}

function systemMessage(system: string): ChatCompletionMessageParam[] {
  return system === '' ? [] : [{ role: 'system', content: system }];
}

/** Ids are at most 40 characters on this wire. */
const callIds = /^.{1,40}$/s;

function toMessage(item: ModelItem, dialect: ChatDialect): ChatCompletionMessageParam {
  switch (item.role) {
    case 'user':
      return { role: 'user', content: userContent(item, dialect.images) };
    case 'tool':
      return { role: 'tool', tool_call_id: wireCallId(item.callId, callIds), content: item.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: item.text === '' && item.calls.length > 0 ? null : item.text,
        ...(item.calls.length > 0 && {
          tool_calls: item.calls.map((call) => ({
            id: wireCallId(call.id, callIds),
            type: 'function',
            function: { name: call.name, arguments: wireArguments(call.argumentsText) },
          })),
        }),
      };
  }
}

function userContent(
  item: Extract<ModelItem, { role: 'user' }>,
  seesImages: boolean,
): string | ChatCompletionContentPart[] {
  const text = userText(item, seesImages);
  if (item.images.length === 0 || !seesImages) return text;
  const images = item.images.map(({ mediaType, base64 }): ChatCompletionContentPart => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${base64}` },
  }));
  return text === '' ? images : [{ type: 'text', text }, ...images];
}

function toFunction(tool: ModelTool): NonNullable<ChatCompletionCreateParamsStreaming['tools']>[number] {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: { ...tool.inputSchema } },
  };
}
