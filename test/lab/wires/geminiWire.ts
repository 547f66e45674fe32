import { z } from 'zod';
import {
  streamPieces,
  type ModelAnswer,
  type PostedConversation,
  type PostedMessage,
  type TokenFigures,
} from '../modelConversation.ts';
import { plainResponse, type ScriptedResponse } from '../scriptedResponse.ts';
import { checkBody } from './checkBody.ts';
import { CallWalk } from './pairing.ts';
import { toolViolations } from './toolRules.ts';
import type { AnswerForm, Wire } from './wire.ts';

/** The Gemini wire, as Google's API reference describes `streamGenerateContent`: bodies that come in, and streams that go out. */

const signed = { thoughtSignature: z.base64url().min(1).optional() };

const part = z.union([
  z.strictObject({ text: z.string().min(1), thought: z.literal(true).optional(), ...signed }),
  z.strictObject({
    inlineData: z.strictObject({ mimeType: z.string().startsWith('image/'), data: z.string() }),
  }),
  z.strictObject({
    functionCall: z.strictObject({
      id: z.string().min(1),
      name: z.string(),
      args: z.record(z.string(), z.unknown()),
    }),
    ...signed,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().min(1),
      name: z.string(),
      response: z.union([z.strictObject({ output: z.string() }), z.strictObject({ error: z.string() })]),
    }),
  }),
  z.strictObject({ toolCall: z.looseObject({}), ...signed }),
  z.strictObject({ toolResponse: z.looseObject({}), ...signed }),
]);
type Part = z.output<typeof part>;

const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });
type Content = z.output<typeof content>;

const tool = z.union([
  z.strictObject({
    functionDeclarations: z
      .array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          parametersJsonSchema: z.record(z.string(), z.unknown()),
        }),
      )
      .min(1),
  }),
  z.strictObject({ googleSearch: z.strictObject({}) }),
]);

export const geminiRequest = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().regex(/\S/) })).length(1) })
    .optional(),
  tools: z.array(tool).min(1).optional(),
  toolConfig: z.strictObject({ includeServerSideToolInvocations: z.literal(true) }).optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.number().int().optional(),
      responseMimeType: z.literal('application/json').optional(),
      responseJsonSchema: z.record(z.string(), z.unknown()).optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.literal(true).optional(),
          thinkingBudget: z.number().int().optional(),
          thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type GeminiRequest = z.output<typeof geminiRequest>;

function violations(request: GeminiRequest): string[] {
  const declared = (request.tools ?? []).flatMap((one) =>
    'functionDeclarations' in one ? one.functionDeclarations : [],
  );
  const searches = (request.tools ?? []).some((one) => 'googleSearch' in one);
  const found = historyViolations(request.contents);
  if (searches !== (request.toolConfig !== undefined))
    found.push('toolConfig: belongs to a search beside functions');
  return [
    ...found,
    ...toolViolations(
      declared.map(({ name, parametersJsonSchema }) => ({ name, parameters: parametersJsonSchema })),
    ),
  ];
}

function historyViolations(contents: readonly Content[]): string[] {
  const found: string[] = [];
  let place = 'contents.0';
  const say = (problem: string): void => void found.push(`${place}: ${problem}`);
  const walk = new CallWalk(say);
  const names = new Map<string, string>();
  contents.forEach(({ role, parts }, at) => {
    place = `contents.${at}`;
    if (at === 0 && role !== 'user') say('the first turn is not the user’s');
    if (role === 'model' && contents[at - 1]?.role === 'model') say('two turns of the model are neighbours');
    const results = parts.filter((one) => 'functionResponse' in one);
    if (results.length > 0 && results.length < parts.length) say('results stand among other parts');
    if (role === 'model') answerViolations(parts, say);
    for (const one of parts) {
      if ('functionResponse' in one) {
        const { id, name } = one.functionResponse;
        walk.result(id);
        if (names.get(id) !== name) say(`the result for ${id} names ${name}`);
      } else if ('functionCall' in one) {
        walk.call(one.functionCall.id, one.functionCall.name);
        names.set(one.functionCall.id, one.functionCall.name);
      } else walk.other(Object.keys(one)[0] ?? 'a part');
    }
    if (role === 'user') walk.other('the end of the turn');
  });
  place = 'contents';
  if (contents.at(-1)?.role !== 'user') say('the last turn is not the user’s');
  walk.end();
  return found;
}

/** Thoughts first, then text, then calls, the first of them signed. */
function answerViolations(parts: readonly Part[], say: (problem: string) => void): void {
  const ranks = parts.map(rankOf);
  if (ranks.some((rank) => rank < 0)) say('a part that no answer has');
  if (ranks.some((rank, at) => rank < (ranks[at - 1] ?? 0))) say('parts out of order');
  if (ranks.at(-1) === 0) say('nothing follows the thoughts');
  const [first] = parts.filter((one) => 'functionCall' in one);
  if (first !== undefined && first.thoughtSignature === undefined) say('the first call is not signed');
}

function rankOf(one: Part): number {
  if ('toolCall' in one || 'toolResponse' in one || ('text' in one && one.thought === true)) return 0;
  if ('text' in one) return 1;
  return 'functionCall' in one ? 2 : -1;
}

function read(request: GeminiRequest, path: string): PostedConversation {
  const declared = (request.tools ?? []).flatMap((one) =>
    'functionDeclarations' in one ? one.functionDeclarations : [],
  );
  return {
    model: /\/models\/([^:]+):/.exec(path)?.[1] ?? '',
    messages: [
      ...(request.systemInstruction?.parts ?? []).map((one): PostedMessage => ({
        role: 'system',
        text: one.text,
      })),
      ...request.contents.flatMap(readContent),
    ],
    toolNames: declared.map(({ name }) => name),
  };
}

function readContent({ role, parts }: Content): PostedMessage[] {
  const said = parts.map((one) => ('text' in one && one.thought !== true ? one.text : '')).join('');
  const results = parts.flatMap((one): PostedMessage[] => {
    if (!('functionResponse' in one)) return [];
    const { id, response } = one.functionResponse;
    return [{ role: 'tool', callId: id, text: 'output' in response ? response.output : response.error }];
  });
  if (results.length > 0) return results;
  if (role === 'user') return [{ role: 'user', text: said }];
  const calls = parts.flatMap((one) =>
    'functionCall' in one
      ? [
          {
            id: one.functionCall.id,
            name: one.functionCall.name,
            argumentsText: JSON.stringify(one.functionCall.args),
          },
        ]
      : [],
  );
  return [{ role: 'assistant', text: said, calls }];
}

function event(value: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify(value)}\r\n\r\n`;
}

/** Builders of server-sent events, each the exact text of one event. A stream is their concatenation. */
export const geminiSse = {
  parts: (...parts: readonly Readonly<Record<string, unknown>>[]): string =>
    event({ candidates: [{ content: { role: 'model', parts } }] }),
  text: (text: string): string => geminiSse.parts({ text }),
  thought: (text: string): string => geminiSse.parts({ text, thought: true }),
  toolCall: (call: { id?: string; name: string; args?: unknown; signature?: string }): string =>
    geminiSse.parts({
      functionCall: { id: call.id, name: call.name, args: call.args },
      thoughtSignature: call.signature,
    }),
  end: (reason: string, figures?: TokenFigures): string =>
    event({
      candidates: [{ finishReason: reason }],
      ...(figures && {
        usageMetadata: {
          promptTokenCount: figures.input,
          candidatesTokenCount: figures.output,
          cachedContentTokenCount: figures.cachedInput,
          totalTokenCount: figures.input + figures.output,
        },
      }),
    }),
  error: (code: number, status: string, message: string): string =>
    event({ error: { code, status, message } }),
} as const;

function answer(given: ModelAnswer, form: AnswerForm): string[] {
  return [
    ...streamPieces(given.reasoning ?? '').map(geminiSse.thought),
    ...streamPieces(given.text ?? '').map(geminiSse.text),
    ...(given.calls ?? []).map((call, index) =>
      geminiSse.toolCall({
        id: `call_${form.turn}_${index}`,
        name: call.name,
        args: call.args,
        ...(index === 0 && { signature: Buffer.from(`signed-${form.turn}`).toString('base64url') }),
      }),
    ),
    geminiSse.end('STOP', form.figures),
  ];
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function error(
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  return plainResponse(code, { error: { code, message, status: statuses[code] ?? 'INTERNAL' } }, headers);
}

export const geminiWire: Wire<GeminiRequest> = {
  basePath: '/v1beta',
  isRequest: (path) => /^\/v1beta\/models\/[^/:]+:streamGenerateContent\?alt=sse$/.test(path),
  keyOf: (headers) => headers['x-goog-api-key']?.toString(),
  check: (body) => checkBody(geminiRequest, body, violations),
  read,
  answer,
  error,
};
