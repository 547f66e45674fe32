import type { AssistantLibrary } from '../../../application/assistant/assistantLibrary.ts';
import type { AssistantModel } from './assistantModel.ts';

/** The editor's memory of this window, as far as it is needed. */
export interface MementoPort {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void> | PromiseLike<void>;
}

const shownKey = 'termind.assistant.shown';

/** Which conversation this window showed last, so that a person finds it again after a restart. */
export class ShownMemory {
  readonly #memento: MementoPort;
  #preferred: string | undefined;
  #isRestored = false;
  #noted: string | undefined;

  constructor(memento: MementoPort) {
    this.#memento = memento;
  }

  /** A restored panel names the conversation it showed. */
  prefer(conversationId: string): void {
    this.#preferred = conversationId;
  }

  /**
   * Shows the conversation of before. Where none is remembered it is the newest one whose run was interrupted: unfinished work is not
   * left out of sight. Shows nothing else and never changes what a person has chosen meanwhile.
   */
  async restore(model: AssistantModel, library: AssistantLibrary): Promise<void> {
    const remembered = this.#preferred ?? this.#memento.get(shownKey);
    try {
      const id = typeof remembered === 'string' ? remembered : await newestInterrupted(library);
      if (id !== undefined && model.current === undefined) await model.open(id);
    } finally {
      this.#isRestored = true;
      this.note(model);
    }
  }

  /** Remembers what is shown now. */
  note(model: AssistantModel): void {
    const shown = model.current?.session.id;
    if (!this.#isRestored || shown === this.#noted) return;
    this.#noted = shown;
    void this.#memento.update(shownKey, shown);
  }
}

async function newestInterrupted(library: AssistantLibrary): Promise<string | undefined> {
  const [newest] = await library.list();
  return newest?.run?.state === 'interrupted' ? newest.id : undefined;
}
