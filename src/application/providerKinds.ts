import type { ReasoningLevel } from '../agentkit/index.ts';

/** The protocols that an endpoint may speak. Source: agent runtime contract, section 21. */
export const providerKinds = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const;
export type ProviderKind = (typeof providerKinds)[number];

interface KindDefaults {
  /** Of the vendor who made the protocol. */
  readonly baseUrl: string;
  readonly images: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  /** What every model behind the vendor's own address can read at least; undefined = it depends. */
  readonly contextWindow: number | undefined;
}

const efforts: readonly ReasoningLevel[] = ['low', 'medium', 'high'];

/** Chat Completions is spoken by servers of every ability, so it assumes the least. */
export const kindDefaults: Readonly<Record<ProviderKind, KindDefaults>> = {
  'openai-chat': {
    baseUrl: 'https://api.openai.com/v1',
    images: false,
    reasoning: [],
    contextWindow: undefined,
  },
  'openai-responses': {
    baseUrl: 'https://api.openai.com/v1',
    images: true,
    reasoning: efforts,
    contextWindow: undefined,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    images: true,
    reasoning: efforts,
    contextWindow: 200_000,
  },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    images: true,
    reasoning: efforts,
    contextWindow: 1_000_000,
  },
};

/** Where the key of a provider lives in the secret storage. */
export function providerKey(providerId: string): string {
  return `provider:${providerId}`;
}
