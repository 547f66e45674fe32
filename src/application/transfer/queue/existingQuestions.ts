import { fileError } from '../../../domain/files/fileFault.ts';
import { showPlace } from '../engine/place.ts';
import type { ExistingPolicy, ExistingTarget, FileFacts } from '../engine/transfer.ts';

/** A target that is there, and nobody has said what is to become of it. Paths are for people, without the host. */
export interface ExistingQuestion {
  readonly from: string;
  readonly to: string;
  readonly source: FileFacts;
  readonly target: FileFacts;
}

export interface ExistingAnswer {
  readonly policy: ExistingPolicy;
  /** Also for every later target of this transfer. */
  readonly isForAll: boolean;
}

interface Waiting {
  readonly question: ExistingQuestion;
  readonly settle: (policy: ExistingPolicy) => void;
}

/** The questions of one transfer, one after the other, however many files ask at a time. */
export class ExistingQuestions {
  readonly #onChange: () => void;
  readonly #waiting: Waiting[] = [];
  #forAll: ExistingPolicy | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The one that waits for an answer now; another object for each question. */
  get current(): ExistingQuestion | undefined {
    return this.#waiting[0]?.question;
  }

  /** What was said for all. */
  get forAll(): ExistingPolicy | undefined {
    return this.#forAll;
  }

  /** Waits as long as nobody answers. Rejects with `cancelled` when the signal aborts. */
  ask({ from, to, source, target }: ExistingTarget, signal: AbortSignal): Promise<ExistingPolicy> {
    if (this.#forAll !== undefined) return Promise.resolve(this.#forAll);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#onChange();
      };
      const onAbort = (): void => {
        leave();
        reject(fileError('cancelled', {}, { outcome: 'not-sent' }));
      };
      const waiting: Waiting = {
        question: { from: showPlace(from), to: showPlace(to), source, target },
        settle: (policy) => {
          leave();
          resolve(policy);
        },
      };
      if (signal.aborted) {
        reject(fileError('cancelled', {}, { outcome: 'not-sent' }));
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
      this.#onChange();
    });
  }

  /** Answers the question that was shown; nothing when it waits no longer. */
  answer(question: ExistingQuestion, { policy, isForAll }: ExistingAnswer): void {
    const waiting = this.#waiting.find((one) => one.question === question);
    if (waiting === undefined) return;
    if (isForAll) {
      this.#forAll = policy;
      for (const one of [...this.#waiting]) one.settle(policy);
    } else waiting.settle(policy);
  }
}
