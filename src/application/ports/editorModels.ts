import type { CallId, Event, ImagePart, JsonObject, ModelTool } from '../../agentkit/index.ts';

/** One part of a message as models of the editor take it. There are no roles but these two, and no system text. Source: vscode.md 13. */
export type EditorPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly image: ImagePart }
  | { readonly kind: 'call'; readonly id: CallId; readonly name: string; readonly input: JsonObject }
  | { readonly kind: 'result'; readonly callId: CallId; readonly text: string };

export interface EditorMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly EditorPart[];
}

/**
 * What a model of the editor answers with. Parts of any other kind are left out. `input` is what the provider behind the editor gave, which
 * may be anything; id and name are empty where it gave none.
 */
export type EditorAnswerPart =
  | Extract<EditorPart, { kind: 'text' }>
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown };

export interface EditorModelRequest {
  readonly messages: readonly EditorMessage[];
  readonly tools: readonly ModelTool[];
}

/**
 * Whether Termind may use a model: `open` means that the person was never asked, and that the next request asks, which may follow an
 * action of the person only.
 */
export type EditorConsent = 'given' | 'open' | 'refused';

/** One language model that the editor offers. It may be gone at any time. */
export interface EditorModel {
  /** `<vendor>/<id>`, stable over restarts. */
  readonly key: string;
  readonly name: string;
  /** Tokens. */
  readonly maxInputTokens: number;
  /** As of now; asks nobody. */
  consent(): EditorConsent;
  /** One request. Rejects from the iterator with `ProviderError`, or with the signal's reason. */
  send(request: EditorModelRequest, signal: AbortSignal): AsyncIterable<EditorAnswerPart>;
}

/** The language models of the editor: an empty list until they are known, and where there are none. */
export interface EditorModelsPort {
  list(): readonly EditorModel[];
  readonly onDidChange: Event<void>;
}
