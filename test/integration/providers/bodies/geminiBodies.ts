import type { Json } from '../../../../src/agentkit/index.ts';
import { everything, listHosts } from '../conversation.ts';
import { geminiTag } from '../fixtures/geminiFixtures.ts';
import { request } from '../support.ts';
import {
  able,
  asksTitle,
  blankUser,
  foreignId,
  fromElsewhere,
  kept,
  titleSchema,
  withoutOrder,
  type BodyRow,
} from './row.ts';

const items = kept(
  geminiTag,
  { kind: 'thought', text: 'Look.', signature: 'b25l' },
  { kind: 'part', part: { toolCall: { id: 's', toolType: 'GOOGLE_SEARCH_WEB' } } },
  { kind: 'part', part: { toolResponse: { id: 's', toolType: 'GOOGLE_SEARCH_WEB' } } },
  { kind: 'textSignature', signature: 'dHdv' },
  { kind: 'callSignature', call: 0, signature: 'dGhyZWU' },
);
const said = (role: 'user' | 'model', text: string): Json => ({ role, parts: [{ text }] });

export const geminiBodies: readonly BodyRow[] = [
  {
    name: 'a conversation with a bit of everything, every signature at the part where it was, both results in one turn',
    asked: everything(items),
    isWhole: true,
    expected: {
      systemInstruction: { parts: [{ text: 'You operate servers.' }] },
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
      contents: [
        {
          role: 'user',
          parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }, { text: 'How busy?' }],
        },
        {
          role: 'model',
          parts: [
            { text: 'Look.', thought: true, thoughtSignature: 'b25l' },
            { toolCall: { id: 's', toolType: 'GOOGLE_SEARCH_WEB' } },
            { toolResponse: { id: 's', toolType: 'GOOGLE_SEARCH_WEB' } },
            { text: 'Looking.', thoughtSignature: 'dHdv' },
            {
              functionCall: {
                id: 'call_1',
                name: 'ssh_exec_run',
                args: { host_id: 'h1', command: 'uptime' },
              },
              thoughtSignature: 'dGhyZWU',
            },
            { functionCall: { id: 'call_2', name: 'list_hosts', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call_1', name: 'ssh_exec_run', response: { output: 'up' } } },
            { functionResponse: { id: 'call_2', name: 'list_hosts', response: { error: 'No host.' } } },
          ],
        },
        said('user', 'And now?'),
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'list_hosts',
              description: 'Hosts the user has.',
              parametersJsonSchema: { type: 'object', properties: {}, additionalProperties: false },
            },
          ],
        },
      ],
    },
  },
  {
    name: 'a call of another provider, with the signature for such calls',
    asked: fromElsewhere,
    expected: {
      systemInstruction: undefined,
      contents: [
        said('user', 'Go'),
        {
          role: 'model',
          parts: [
            {
              functionCall: { id: foreignId, name: 'run', args: { invalid_arguments: '{"c":' } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: foreignId, name: 'run', response: { error: 'Invalid.' } } }],
        },
      ],
    },
  },
  {
    name: 'turns, where a history has none',
    asked: withoutOrder,
    expected: {
      contents: [
        said('user', '[Earlier messages are not shown.]'),
        said('model', 'Earlier.'),
        said('user', 'Go'),
        said('model', 'Half'),
        said('user', 'Continue.'),
        said('model', 'More'),
        said('user', 'Continue.'),
      ],
    },
  },
  {
    name: 'messages without a visible character',
    asked: blankUser,
    expected: {
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        said('user', '(empty message)'),
      ],
    },
  },
  {
    name: 'images for a model that reads text only',
    asked: blankUser,
    options: able({ images: false }),
    expected: {
      contents: [
        said('user', '\n[Images attached here are left out: this model reads text only.]'),
        said('user', '(empty message)'),
      ],
    },
  },
  {
    name: 'thoughts and an output limit, without a level that nobody wants',
    options: able({ maxOutputTokens: 9_000 }),
    expected: {
      generationConfig: { maxOutputTokens: 9_000, thinkingConfig: { includeThoughts: true } },
      tools: undefined,
    },
  },
  {
    name: 'a budget to a generation that thinks within one',
    options: { model: 'gemini-2.5-flash' },
    asked: request({ reasoning: 'low' }),
    expected: { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } } },
  },
  {
    name: 'nothing about reasoning to a model that has none',
    options: able({ reasoning: [] }),
    asked: request({ reasoning: 'high' }),
    expected: { generationConfig: {} },
  },
  {
    name: 'no reasoning where it can be switched off',
    options: able({ reasoning: ['off', 'low'] }),
    asked: request({ reasoning: 'off' }),
    expected: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
  },
  {
    name: 'the search of the provider beside our tools, with its records',
    options: { nativeSearch: true },
    asked: request({ tools: [listHosts] }),
    expected: {
      tools: [
        {
          functionDeclarations: [
            {
              name: 'list_hosts',
              description: listHosts.description,
              parametersJsonSchema: listHosts.inputSchema,
            },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { includeServerSideToolInvocations: true },
    },
  },
  {
    name: 'no search in a request without tools',
    options: { nativeSearch: true },
    expected: { tools: undefined, toolConfig: undefined },
  },
  {
    name: 'one JSON object',
    options: able({ reasoning: [] }),
    asked: asksTitle,
    expected: {
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: titleSchema },
    },
  },
];
