import type {
  EditorAnswerPart,
  EditorConsent,
  EditorModel,
  EditorModelRequest,
} from '../../../../src/application/ports/editorModels.ts';

/** A model of the editor that answers from memory and keeps what it was asked. */
export class MemoryEditorModel implements EditorModel {
  readonly key: string;
  readonly name = 'Memory';
  readonly maxInputTokens = 64_000;
  readonly asked: EditorModelRequest[] = [];
  readonly #answers: (readonly EditorAnswerPart[])[];
  readonly #failure: Error | undefined;
  #consent: EditorConsent;

  constructor(
    parts: {
      readonly key?: string;
      /** One a request; the last is given again. */
      readonly answers?: readonly (readonly EditorAnswerPart[])[];
      readonly failure?: Error;
      readonly consent?: EditorConsent;
    } = {},
  ) {
    this.key = parts.key ?? 'vendor/one';
    this.#answers = [...(parts.answers ?? [[{ kind: 'text', text: 'Low.' } as const]])];
    this.#failure = parts.failure;
    this.#consent = parts.consent ?? 'given';
  }

  consent(): EditorConsent {
    return this.#consent;
  }

  async *send(request: EditorModelRequest): AsyncGenerator<EditorAnswerPart, void, undefined> {
    this.#consent = 'given';
    this.asked.push(request);
    await Promise.resolve();
    yield* (this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]) ?? [];
    if (this.#failure !== undefined) throw this.#failure;
  }
}
