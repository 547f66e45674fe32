import { createHash } from 'node:crypto';
import type { SecretStorePort } from '../ports/prompts.ts';
import type { KeptPassphrasesPort } from '../ports/transport.ts';

/** Passphrases in the secret store, under a digest of the name of their key: neither a path nor a fingerprint is stored. Source: ssh.md 2.4. */
export class KeptPassphrases implements KeptPassphrasesPort {
  readonly #secrets: SecretStorePort;

  constructor(secrets: SecretStorePort) {
    this.#secrets = secrets;
  }

  find(key: string): Promise<string | undefined> {
    return this.#secrets.get(storedName(key));
  }

  keep(key: string, passphrase: string): Promise<void> {
    return this.#secrets.set(storedName(key), passphrase);
  }

  forget(key: string): Promise<void> {
    return this.#secrets.delete(storedName(key));
  }
}

function storedName(key: string): string {
  return `passphrase:${createHash('sha256').update(key).digest('hex')}`;
}
