import type { LogPort } from '../../application/ports/prompts.ts';
import type { KeptPassphrasesPort } from '../../application/ports/transport.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import type { KeyFile } from './keys/keyFile.ts';

export type EncryptedFile = KeyFile & { readonly k: 'encrypted' };

/**
 * The kept passphrases as an attempt uses them. A secret store that fails is noted and never ends an attempt: the person is asked then.
 * None of the calls rejects. Source: ssh.md 2.4.
 */
export class AttemptPassphrases {
  readonly #kept: KeptPassphrasesPort;
  readonly #log: LogPort;

  constructor(kept: KeptPassphrasesPort, log: LogPort) {
    this.#kept = kept;
    this.#log = log;
  }

  find(file: EncryptedFile): Promise<string | undefined> {
    return this.#attempt('read', () => this.#kept.find(nameOf(file)));
  }

  async keep(file: EncryptedFile, passphrase: string): Promise<void> {
    await this.#attempt('kept', () => this.#kept.keep(nameOf(file), passphrase));
  }

  /** It does not open the file any more. */
  async forget(file: EncryptedFile): Promise<void> {
    await this.#attempt('removed', () => this.#kept.forget(nameOf(file)));
  }

  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const name = error instanceof Error ? error.name : 'error';
      this.#log.warn('ssh', `a passphrase cannot be ${what}: ${name}`);
      return undefined;
    }
  }
}

/** The key where it is known, so that a copy of the file needs no second entry. */
function nameOf({ blob, path }: EncryptedFile): string {
  return blob === undefined ? path : fingerprintOf(blob);
}
