import { z } from 'zod';
import type { ModelCapabilities, ReasoningLevel } from '../agentkit/index.ts';
import { kindDefaults, providerKinds } from './providerKinds.ts';

const reasoningLevels = [
  'off',
  'minimal',
  'low',
  'medium',
  'high',
] as const satisfies readonly ReasoningLevel[];

/** One model behind one endpoint. The key, if any, is in the secret storage under `providerKey(id)`. What is absent has the default of its kind. */
export const providerConfig = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  label: z.string().min(1).max(120),
  kind: z.enum(providerKinds),
  baseUrl: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1).max(256),
  /** Tokens. */
  contextWindow: z.int().min(1_000).exactOptional(),
  /** Tokens. */
  maxOutputTokens: z.int().min(256).exactOptional(),
  reasoning: z.array(z.enum(reasoningLevels)).readonly().exactOptional(),
  images: z.boolean().exactOptional(),
  tools: z.boolean().exactOptional(),
  /** The provider searches the web by itself. Chat Completions has no such thing. */
  nativeSearch: z.boolean().exactOptional(),
});
export type ProviderConfig = z.output<typeof providerConfig>;

/** What the model can do, as it is configured or else as its kind has it. */
export function capabilitiesOf(config: ProviderConfig): ModelCapabilities {
  const defaults = kindDefaults[config.kind];
  const isVendor = config.baseUrl.replace(/\/+$/, '') === defaults.baseUrl;
  const contextWindow = config.contextWindow ?? (isVendor ? defaults.contextWindow : undefined);
  return {
    tools: config.tools ?? true,
    images: config.images ?? defaults.images,
    reasoning: config.reasoning ?? defaults.reasoning,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(config.maxOutputTokens !== undefined && { maxOutputTokens: config.maxOutputTokens }),
    ...(config.nativeSearch === true && config.kind !== 'openai-chat' && { nativeSearch: true }),
  };
}
