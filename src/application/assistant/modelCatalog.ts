import {
  anthropicModel,
  geminiModel,
  openAiChatModel,
  openAiResponsesModel,
  type ClockPort,
  type ModelStreamPort,
  type NativeSearchOption,
  type ProviderOptions,
} from '../../agentkit/index.ts';
import type { SecretStorePort } from '../ports/prompts.ts';
import { capabilitiesOf, type ProviderConfig } from '../providerConfig.ts';
import { providerKey, type ProviderKind } from '../providerKinds.ts';
import type { ModelChoice } from './assistantLibrary.ts';

export interface ModelCatalogOptions {
  /** As the settings stand. */
  readonly providers: () => readonly ProviderConfig[];
  readonly secrets: Pick<SecretStorePort, 'get'>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: ClockPort;
}

/** The models that the person has set up. Keys are read from the secret storage for each request. */
export class ModelCatalog {
  readonly #options: ModelCatalogOptions;

  constructor(options: ModelCatalogOptions) {
    this.#options = options;
  }

  /** In the order of the settings. An endpoint may do without a key, so a missing one is no problem yet. */
  choices(): readonly ModelChoice[] {
    return this.#options
      .providers()
      .map((config) => ({ ref: refOf(config), label: config.label, ready: true, problem: undefined }));
  }

  /** The model of this reference, or the first one when it is gone; undefined when none is set up. */
  open(ref: string): ModelStreamPort | undefined {
    const { providers, secrets, fetch, clock } = this.#options;
    const configured = providers();
    const config = configured.find((candidate) => refOf(candidate) === ref) ?? configured[0];
    if (config === undefined) return undefined;
    return adapters[config.kind]({
      providerId: config.id,
      model: config.model,
      baseUrl: config.baseUrl,
      apiKey: () => secrets.get(providerKey(config.id)),
      capabilities: capabilitiesOf(config),
      nativeSearch: config.nativeSearch ?? false,
      fetch,
      now: () => clock.now(),
    });
  }
}

const adapters: Readonly<
  Record<ProviderKind, (options: ProviderOptions & NativeSearchOption) => ModelStreamPort>
> = {
  'openai-chat': openAiChatModel,
  'openai-responses': openAiResponsesModel,
  anthropic: anthropicModel,
  gemini: geminiModel,
};

function refOf(config: ProviderConfig): string {
  return `${config.id}/${config.model}`;
}
