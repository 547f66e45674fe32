import type * as genai from '@google/genai/web';
import type {
  Content,
  GenerateContentConfig,
  GenerateContentParameters,
  Part,
  ThinkingConfig,
  Tool,
} from '@google/genai/web';
import type { ModelItem, ModelRequest, ReasoningLevel } from '../../model.ts';
import { clampReasoning } from '../reasoningLevel.ts';
import { asTurns } from '../turnOrder.ts';
import { wireInput } from '../wireCalls.ts';
import { blankText, isBlank, userText } from '../wireText.ts';
import { replayedItems } from './geminiItems.ts';

export interface GeminiDialect {
  readonly model: string;
  readonly images: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  readonly maxOutputTokens: number | undefined;
  readonly nativeSearch: boolean;
}

/** What a request is made with. The SDK is loaded by whoever asks. */
export type GeminiSdk = Pick<typeof genai, 'ThinkingLevel' | 'createPartFromFunctionResponse'>;

/** One streamed request as the SDK takes it. Source: agent runtime contract, section 21. */
export function geminiRequest(
  request: ModelRequest,
  dialect: GeminiDialect,
  sdk: GeminiSdk,
): GenerateContentParameters {
  const { responseSchema } = request;
  const thinkingConfig = thinking(clampReasoning(request.reasoning, dialect.reasoning), dialect, sdk);
  const config: GenerateContentConfig = {
    // One request is one attempt: the SDK would go on by itself, and again after a broken line.
    automaticContinuation: false,
    automaticFunctionCalling: { disable: true },
    ...(!isBlank(request.system) && { systemInstruction: { parts: [{ text: request.system }] } }),
    ...requestTools(request, dialect),
    ...(thinkingConfig && { thinkingConfig }),
    ...(dialect.maxOutputTokens !== undefined && { maxOutputTokens: dialect.maxOutputTokens }),
    ...(responseSchema && {
      responseMimeType: 'application/json',
      responseJsonSchema: responseSchema.schema,
    }),
  };
  return { model: dialect.model, contents: toContents(asTurns(request.items), dialect, sdk), config };
}

function requestTools(
  request: ModelRequest,
  dialect: GeminiDialect,
): Pick<GenerateContentConfig, 'tools' | 'toolConfig'> {
  if (request.tools.length === 0) return {};
  const functions: Tool = {
    functionDeclarations: request.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parametersJsonSchema: inputSchema,
    })),
  };
  if (!dialect.nativeSearch) return { tools: [functions] };
  return {
    tools: [functions, { googleSearch: {} }],
    toolConfig: { includeServerSideToolInvocations: true },
  };
}

/** Generations before the third take a budget of tokens, later ones a level. */
function thinking(
  level: ReasoningLevel | undefined,
  dialect: GeminiDialect,
  sdk: GeminiSdk,
): ThinkingConfig | undefined {
  if (dialect.reasoning.length === 0) return undefined;
  if (level === undefined) return { includeThoughts: true };
  if (level === 'off') return { thinkingBudget: 0 };
  if (/(^|\/)gemini-[12]\b/.test(dialect.model))
    return { includeThoughts: true, thinkingBudget: budgets[level] };
  return { includeThoughts: true, thinkingLevel: sdk.ThinkingLevel[levels[level]] };
}

type Effort = Exclude<ReasoningLevel, 'off'>;

/** Within what every model of those generations takes. */
const budgets: Readonly<Record<Effort, number>> = { minimal: 512, low: 2_048, medium: 8_192, high: 24_576 };

const levels = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
} as const satisfies Record<Effort, keyof GeminiSdk['ThinkingLevel']>;

/** Results that follow each other are one turn, because there must be as many as there were calls. */
function toContents(items: readonly ModelItem[], dialect: GeminiDialect, sdk: GeminiSdk): Content[] {
  const contents: { role: 'user' | 'model'; parts: Part[] }[] = [];
  items.forEach((item, at) => {
    const before = contents.at(-1);
    if (item.role === 'tool' && items[at - 1]?.role === 'tool' && before !== undefined)
      before.parts.push(...toParts(item, dialect, sdk));
    else
      contents.push({
        role: item.role === 'assistant' ? 'model' : 'user',
        parts: toParts(item, dialect, sdk),
      });
  });
  return contents;
}

function toParts(item: ModelItem, dialect: GeminiDialect, sdk: GeminiSdk): Part[] {
  switch (item.role) {
    case 'user':
      return userParts(item, dialect.images);
    case 'tool':
      return [
        sdk.createPartFromFunctionResponse(
          item.callId,
          item.toolName,
          item.isError ? { error: item.text } : { output: item.text },
        ),
      ];
    case 'assistant':
      return answerParts(item);
  }
}

function userParts(item: Extract<ModelItem, { role: 'user' }>, seesImages: boolean): Part[] {
  const text = userText(item, seesImages);
  const images = (seesImages ? item.images : []).map(({ mediaType, base64 }): Part => ({
    inlineData: { mimeType: mediaType, data: base64 },
  }));
  if (images.length > 0 && isBlank(text)) return images;
  return [...images, { text: isBlank(text) ? blankText : text }];
}

/**
 * Google's own value for calls that no Gemini model made: of the calls of an answer the first has to be signed, and those of other providers
 * are not.
 * Source: Gemini API, "Thought signatures".
 */
const foreignSignature = 'skip_thought_signature_validator';

function answerParts(item: Extract<ModelItem, { role: 'assistant' }>): Part[] {
  const { parts, textSignature, callSignatures } = replayedItems(item.providerItems);
  const text: Part[] = isBlank(item.text)
    ? []
    : [{ text: item.text, ...(textSignature !== undefined && { thoughtSignature: textSignature }) }];
  const calls = item.calls.map((call, at): Part => {
    const thoughtSignature = callSignatures.get(at) ?? (at === 0 ? foreignSignature : undefined);
    return {
      functionCall: { id: call.id, name: call.name, args: wireInput(call.argumentsText) },
      ...(thoughtSignature !== undefined && { thoughtSignature }),
    };
  });
  return [...parts, ...text, ...calls];
}
