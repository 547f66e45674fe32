import { advance, withoutAnswer, type SaveState } from '../../../domain/files/saveMachine.ts';
import type { SaveTrace } from '../../../domain/files/keptSave.ts';
import type { KeptSave, KeptSavesPort } from '../../ports/keptSaves.ts';

/** How far one kept save is, and what is written down about it. It writes down what a step may leave on the server before that step. */
export class SaveProgress {
  readonly #store: Pick<KeptSavesPort, 'note'>;
  #save: KeptSave;
  #state: SaveState;

  /** A save with a trace was begun before, and has to be examined first. */
  constructor(save: KeptSave, store: Pick<KeptSavesPort, 'note'>) {
    this.#save = save;
    this.#store = store;
    this.#state = save.trace === undefined ? 'kept' : 'unknown';
  }

  get save(): KeptSave {
    return this.#save;
  }

  get state(): SaveState {
    return this.#state;
  }

  get trace(): SaveTrace | undefined {
    return this.#save.trace;
  }

  enter(state: SaveState): void {
    this.#state = advance(this.#state, state);
  }

  /** From the beginning: the server holds what it held before, and nothing else is left there. */
  restart(): void {
    this.#state = 'kept';
  }

  /** No answer came to a step. */
  lose(): void {
    this.#state = withoutAnswer(this.#state);
  }

  /** Resolves when it is on this machine's disk. */
  async note(trace: SaveTrace | undefined): Promise<void> {
    const { trace: _before, ...rest } = this.#save;
    const save: KeptSave = trace === undefined ? rest : { ...rest, trace };
    await this.#store.note(save);
    this.#save = save;
  }
}
