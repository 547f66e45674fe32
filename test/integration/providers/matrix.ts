import {
  anthropicModel,
  geminiModel,
  openAiChatModel,
  openAiResponsesModel,
  type ModelCapabilities,
  type ModelStreamPort,
  type NativeSearchOption,
  type ProviderOptions,
} from '../../../src/agentkit/index.ts';
import type { ProviderKind } from '../../../src/application/providerKinds.ts';
import { sse } from '../../lab/chatCompletions.ts';
import { startModelServer, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { anthropicSse, anthropicWire } from '../../lab/wires/anthropicWire.ts';
import { chatWire } from '../../lab/wires/chatWire.ts';
import { geminiSse, geminiWire } from '../../lab/wires/geminiWire.ts';
import { responsesSse, responsesWire } from '../../lab/wires/responsesWire.ts';
import type { Wire } from '../../lab/wires/wire.ts';
import { anthropicFixtures } from './fixtures/anthropicFixtures.ts';
import { chatFixtures } from './fixtures/chatFixtures.ts';
import type { Fixtures } from './fixtures/fixture.ts';
import { geminiFixtures } from './fixtures/geminiFixtures.ts';
import { responsesFixtures } from './fixtures/responsesFixtures.ts';

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** What a test may ask of any adapter; those that have no such thing ignore it. */
export type AdapterOptions = Partial<
  ProviderOptions & NativeSearchOption & { readonly sendsCacheKey: boolean }
>;

/** One adapter, and the server that speaks its protocol. A new provider joins by a row in `providers`. */
export interface ProviderUnderTest<Body = unknown> {
  readonly name: string;
  /** As a person's settings name it. */
  readonly kind: ProviderKind;
  readonly wire: Wire<Body>;
  readonly start: () => Promise<ScriptedModel<Body>>;
  readonly model: (baseUrl: string, options?: AdapterOptions) => ModelStreamPort;
  readonly fixtures: Fixtures;
  /** The member of a posted body that grows with the conversation. */
  readonly history: 'messages' | 'input' | 'contents';
  /**
   * An answer with these calls that comes to its end or to the output limit. Text as arguments is sent as it is, where arguments are text
   * on the wire.
   */
  readonly calls: (calls: readonly WireCall[], end: 'whole' | 'cutOff') => readonly string[];
  readonly hasArgumentsAsText: boolean;
}

export const capabilities: ModelCapabilities = { tools: true, images: true, reasoning: ['low', 'high'] };

function underTest<Body>(
  row: Omit<ProviderUnderTest<Body>, 'start' | 'model'> & {
    readonly make: (options: ProviderOptions & AdapterOptions) => ModelStreamPort;
  },
): ProviderUnderTest<Body> {
  return {
    ...row,
    start: () => startModelServer(row.wire),
    model: (baseUrl, options = {}) =>
      row.make({
        providerId: 'lab',
        model: 'lab-1',
        baseUrl,
        apiKey: () => Promise.resolve(undefined),
        capabilities,
        ...options,
      }),
  };
}

export const chat = underTest({
  name: 'Chat Completions',
  kind: 'openai-chat',
  wire: chatWire,
  make: openAiChatModel,
  fixtures: chatFixtures,
  history: 'messages',
  calls: (calls, end) => [
    sse.begin(),
    ...calls.map((call, index) => sse.toolCall(call, { index })),
    sse.end(end === 'whole' ? 'tool_calls' : 'length'),
  ],
  hasArgumentsAsText: true,
});

export const responses = underTest({
  name: 'Responses',
  kind: 'openai-responses',
  wire: responsesWire,
  make: openAiResponsesModel,
  fixtures: responsesFixtures,
  history: 'input',
  calls: (calls, end) => [
    ...calls.map((call, at) => responsesSse.toolCall(call, at)),
    end === 'whole' ? responsesSse.end() : responsesSse.incomplete('max_output_tokens'),
  ],
  hasArgumentsAsText: true,
});

export const anthropic = underTest({
  name: 'Anthropic Messages',
  kind: 'anthropic',
  wire: anthropicWire,
  make: anthropicModel,
  fixtures: anthropicFixtures,
  history: 'messages',
  calls: (calls, end) => [
    anthropicSse.begin(),
    ...calls.map((call, at) => anthropicSse.toolCall(call, at)),
    anthropicSse.end(end === 'whole' ? 'tool_use' : 'max_tokens'),
  ],
  hasArgumentsAsText: true,
});

export const gemini = underTest({
  name: 'Gemini',
  kind: 'gemini',
  wire: geminiWire,
  make: geminiModel,
  fixtures: geminiFixtures,
  history: 'contents',
  calls: (calls, end) => [
    ...calls.map((call) => geminiSse.toolCall(call)),
    geminiSse.end(end === 'whole' ? 'STOP' : 'MAX_TOKENS'),
  ],
  hasArgumentsAsText: false,
});

/** Calls `define` once for each provider. */
export function forEachProvider(define: <Body>(provider: ProviderUnderTest<Body>) => void): void {
  define(chat);
  define(responses);
  define(anthropic);
  define(gemini);
}
