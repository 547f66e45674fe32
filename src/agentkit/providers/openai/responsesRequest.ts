import type {
  ResponseCreateParamsStreaming,
  ResponseInputContent,
  ResponseInputItem,
  Tool,
} from 'openai/resources/responses/responses';
import type { ModelItem, ModelRequest, ReasoningLevel } from '../../model.ts';
import { clampReasoning } from '../reasoningLevel.ts';
import { sortedBody } from '../sortedBody.ts';
import { wireArguments, wireCallId } from '../wireCalls.ts';
import { isBlank, userText } from '../wireText.ts';
import { messagePhase, replayedItems } from './responsesItems.ts';

export interface ResponsesDialect {
  readonly model: string;
  readonly images: boolean;
  /** Empty = the model does not reason, and is not asked for encrypted reasoning either, which it would refuse. */
  readonly reasoning: readonly ReasoningLevel[];
  readonly maxOutputTokens: number | undefined;
  readonly sendsCacheKey: boolean;
  readonly nativeSearch: boolean;
}

/**
 * The body of one streamed Responses request, with sorted keys at every level. Nothing is kept by the provider: the whole history goes along,
 * and reasoning comes back encrypted to be sent again. Source: agent runtime contract, sections 2 and 21.
 */
export function responsesBody(
  request: ModelRequest,
  dialect: ResponsesDialect,
): ResponseCreateParamsStreaming {
  const { responseSchema } = request;
  const tools = requestTools(request, dialect);
  const body: ResponseCreateParamsStreaming = {
    model: dialect.model,
    ...(request.system !== '' && { instructions: request.system }),
    input: request.items.flatMap((item) => toInput(item, dialect)),
    stream: true,
    store: false,
    ...reasoningParts(request, dialect),
    ...(tools.length > 0 && { tools }),
    ...(dialect.maxOutputTokens !== undefined && { max_output_tokens: dialect.maxOutputTokens }),
    ...(dialect.sendsCacheKey && { prompt_cache_key: request.cacheKey }),
    ...(responseSchema && {
      text: {
        format: {
          type: 'json_schema',
          name: responseSchema.name,
          schema: { ...responseSchema.schema },
          strict: true,
        },
      },
    }),
  };
  return sortedBody(body);
}

function reasoningParts(
  request: ModelRequest,
  dialect: ResponsesDialect,
): Pick<ResponseCreateParamsStreaming, 'reasoning' | 'include'> {
  if (dialect.reasoning.length === 0) return {};
  const level = clampReasoning(request.reasoning, dialect.reasoning);
  return {
    reasoning: { summary: 'auto', ...(level !== undefined && { effort: level === 'off' ? 'none' : level }) },
    include: ['reasoning.encrypted_content'],
  };
}

function requestTools(request: ModelRequest, dialect: ResponsesDialect): Tool[] {
  const functions = request.tools.map((tool): Tool => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema },
    strict: false,
  }));
  return dialect.nativeSearch && functions.length > 0 ? [...functions, { type: 'web_search' }] : functions;
}

/** Ids of calls are at most 64 characters on this wire. */
const callIds = /^.{1,64}$/s;

function toInput(item: ModelItem, dialect: ResponsesDialect): ResponseInputItem[] {
  switch (item.role) {
    case 'user':
      return [{ role: 'user', content: userContent(item, dialect.images) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: wireCallId(item.callId, callIds), output: item.text }];
    case 'assistant': {
      if (isBlank(item.text) && item.calls.length === 0) return [];
      const phase = messagePhase(item.providerItems);
      return [
        ...replayedItems(item.providerItems),
        ...(isBlank(item.text)
          ? []
          : [{ role: 'assistant' as const, content: item.text, ...(phase && { phase }) }]),
        ...item.calls.map((call): ResponseInputItem => ({
          type: 'function_call',
          call_id: wireCallId(call.id, callIds),
          name: call.name,
          arguments: wireArguments(call.argumentsText),
        })),
      ];
    }
  }
}

function userContent(
  item: Extract<ModelItem, { role: 'user' }>,
  seesImages: boolean,
): string | ResponseInputContent[] {
  const text = userText(item, seesImages);
  if (item.images.length === 0 || !seesImages) return text;
  const images = item.images.map(({ mediaType, base64 }): ResponseInputContent => ({
    type: 'input_image',
    detail: 'auto',
    image_url: `data:${mediaType};base64,${base64}`,
  }));
  return text === '' ? images : [{ type: 'input_text', text }, ...images];
}
