import type { LogPort } from '../../application/ports/prompts.ts';
import type { KeptPasswordsPort } from '../../application/ports/transport.ts';
import type { Target } from '../../domain/ssh/target.ts';

export interface AttemptPasswordsOptions {
  readonly kept: KeptPasswordsPort;
  readonly target: Target;
  readonly log: LogPort;
}

/**
 * The passwords of one attempt: the kept one, which is given once in all, and the one that a person wants kept, which waits here until
 * the server has said yes. Disposing forgets both. Source: ssh.md 0.8 and 2.2.
 */
export class AttemptPasswords {
  readonly #options: AttemptPasswordsOptions;
  #stored: string | undefined;
  #isStoredGiven = false;
  #toKeep: Buffer | undefined;

  constructor(options: AttemptPasswordsOptions) {
    this.#options = options;
  }

  /** Looks for a kept one. A secret store that fails is noted, and the person is asked instead. */
  async find(): Promise<void> {
    const { kept, target, log } = this.#options;
    try {
      this.#stored = await kept.find(target);
    } catch (error) {
      log.warn('ssh', `a kept password cannot be read: ${error instanceof Error ? error.name : 'error'}`);
    }
  }

  /** Whether there is a place for a password. */
  get canKeep(): boolean {
    return this.#options.target.passwordPlace !== undefined;
  }

  get hasStored(): boolean {
    return this.#stored !== undefined && !this.#isStoredGiven;
  }

  /** The kept password, once per connection. */
  takeStored(): string | undefined {
    if (this.#isStoredGiven) return undefined;
    this.#isStoredGiven = this.#stored !== undefined;
    return this.#stored;
  }

  /** What was typed last is what may be kept; `remember` is the person's wish. */
  typed(text: string, remember: boolean): void {
    this.forgetTyped();
    if (remember && this.canKeep) this.#toKeep = Buffer.from(text, 'utf8');
  }

  /** The server has refused it, or it has expired. */
  forgetTyped(): void {
    this.#toKeep?.fill(0);
    this.#toKeep = undefined;
  }

  /** Call when the server has said yes. Never rejects: a password that cannot be kept does not end a connection. */
  async keep(): Promise<void> {
    const { kept, target, log } = this.#options;
    if (this.#toKeep === undefined) return;
    const password = this.#toKeep.toString('utf8');
    this.forgetTyped();
    try {
      await kept.keep(target, password);
    } catch (error) {
      log.error('ssh', 'a password could not be kept', error);
    }
  }

  dispose(): void {
    this.forgetTyped();
    this.#stored = undefined;
  }
}
