import type { ClockPort } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type {
  ProgramConsent,
  ProgramConsentPromptPort,
  ProgramConsentStorePort,
  ProgramFile,
} from '../ports/hosts.ts';

export interface ProgramConsentsOptions {
  readonly store: ProgramConsentStorePort;
  readonly prompt: ProgramConsentPromptPort;
  /** False in an untrusted workspace, where nobody is asked and nothing runs. */
  readonly mayRunPrograms: () => boolean;
  readonly clock: Pick<ClockPort, 'now'>;
}

/**
 * Which files of the OpenSSH configuration may run programs. Consent belongs to the content of a file: changed by one byte, it is asked
 * for again. Source: ssh.md 4.3.
 */
export class ProgramConsents {
  readonly #options: ProgramConsentsOptions;
  /** Questions come one after the other, so that an answer serves everybody who waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ProgramConsentsOptions) {
    this.#options = options;
  }

  /** What was decided about this very content; undefined when nobody was asked yet. Never true in an untrusted workspace. */
  decided(file: ProgramFile): boolean | undefined {
    if (!this.#options.mayRunPrograms()) return false;
    return this.known(file)?.isAllowed;
  }

  /** The decision about this very content, whether or not it counts here. */
  known(file: ProgramFile): ProgramConsent | undefined {
    const known = this.#options.store.get(file.path);
    return known?.contentHash === file.contentHash ? known : undefined;
  }

  /**
   * Whether its programs may run; asks when nothing is decided. Rejects with `config-consent` when the question was closed without an
   * answer, so that nobody connects on half a configuration by accident.
   */
  async settle(file: ProgramFile, host: string, signal: AbortSignal): Promise<boolean> {
    const decided = this.decided(file);
    if (decided !== undefined) return decided;
    const turn = this.#turn.then(async () => {
      signal.throwIfAborted();
      return this.decided(file) ?? this.#ask(file, { host, signal });
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #ask(
    file: ProgramFile,
    { host, signal }: { readonly host: string; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { prompt, store, clock } = this.#options;
    const answer = await prompt.ask({ file, host }, signal);
    signal.throwIfAborted();
    if (answer === undefined) {
      const [first] = file.commands;
      throw localFault('config-consent', {
        path: file.path,
        line: String(first?.line ?? 1),
        command: first?.command ?? '',
      });
    }
    const isAllowed = answer === 'allow';
    await store.put({ path: file.path, contentHash: file.contentHash, isAllowed, at: clock.now() });
    return isAllowed;
  }
}

/** Where nobody can be asked: nothing is allowed and nothing is kept. */
export const nobodyToAsk: Pick<ProgramConsentsOptions, 'store' | 'prompt'> = {
  store: { get: () => undefined, list: () => [], put: async () => {}, remove: async () => {} },
  prompt: { ask: () => Promise.resolve(undefined) },
};
