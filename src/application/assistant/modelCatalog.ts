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
import type { EditorModel, EditorModelsPort } from '../ports/editorModels.ts';
import type { SecretStorePort } from '../ports/prompts.ts';
import { capabilitiesOf, type ProviderConfig } from '../providerConfig.ts';
import { providerKey, type ProviderKind } from '../providerKinds.ts';
import type { ModelChoice } from './assistantLibrary.ts';
import type { EditorModelMarks } from './editorMessages.ts';
import {
  editorModelRef,
  editorModelStream,
  isEditorModelRef,
  withdrawnModel,
  type ModelUse,
} from './editorModelStream.ts';

export interface ModelCatalogOptions {
  /** As the settings stand. */
  readonly providers: () => readonly ProviderConfig[];
  readonly secrets: Pick<SecretStorePort, 'get'>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: ClockPort;
  /** Absent = the editor has none. */
  readonly editorModels?: EditorModelsPort;
  /** By `EditorModel.key`; a model without a row can neither call tools nor see images. */
  readonly editorModelMarks?: () => Readonly<Record<string, Partial<EditorModelMarks>>>;
}

/**
 * The models that the person has set up, and behind them those of the editor. Keys are read from the secret storage for each request.
 * Source: vscode.md 13.
 */
export class ModelCatalog {
  readonly #options: ModelCatalogOptions;

  constructor(options: ModelCatalogOptions) {
    this.#options = options;
  }

  /** In the order of the settings. An endpoint may do without a key, so a missing one is no problem yet. */
  choices(): readonly ModelChoice[] {
    const { providers, editorModels } = this.#options;
    return [
      ...providers().map((config) => ({ ref: refOf(config), label: config.label })),
      ...(editorModels?.list() ?? []).map((model) => ({ ref: editorModelRef(model), label: model.name })),
    ].map((choice) => ({ ...choice, ready: true, problem: undefined }));
  }

  /**
   * The model of this reference. One that is set up no more is replaced by the first that is, one that the editor does not offer by none:
   * asking it fails, because what a person wrote goes to nobody they have not chosen. Undefined when nothing is set up.
   */
  open(ref: string, use: ModelUse = 'person'): ModelStreamPort | undefined {
    const { providers, editorModels } = this.#options;
    if (isEditorModelRef(ref)) {
      const model = editorModels?.list().find((candidate) => editorModelRef(candidate) === ref);
      return model === undefined ? withdrawnModel(ref) : this.#openEditorModel(model, use);
    }
    const configured = providers();
    const config = configured.find((candidate) => refOf(candidate) === ref) ?? configured[0];
    return config === undefined ? undefined : this.#openProvider(config);
  }

  /**
   * Exactly the model of this reference, for work that a person gave to it and to no other; undefined when it is not there. A model of the
   * editor is never asked for consent here.
   */
  openExactly(ref: string): ModelStreamPort | undefined {
    const { providers, editorModels } = this.#options;
    if (isEditorModelRef(ref)) {
      const model = editorModels?.list().find((candidate) => editorModelRef(candidate) === ref);
      return model && this.#openEditorModel(model, 'background');
    }
    const config = providers().find((candidate) => refOf(candidate) === ref);
    return config && this.#openProvider(config);
  }

  #openProvider(config: ProviderConfig): ModelStreamPort {
    const { secrets, fetch, clock } = this.#options;
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

  #openEditorModel(model: EditorModel, use: ModelUse): ModelStreamPort {
    const marks = this.#options.editorModelMarks?.()[model.key];
    const { tools = false, images = false } = marks ?? {};
    return editorModelStream({ model, marks: { tools, images }, use });
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
