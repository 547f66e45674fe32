import { passwordPlaceOf } from '../../domain/host/passwordPlace.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import { credentialKey, type SecretStorePort } from '../ports/prompts.ts';
import type { KeptPasswordsPort } from '../ports/transport.ts';
import { replacePassword } from '../vault/replacePassword.ts';

/**
 * Passwords of vault hosts: the secret store has them under a random reference, the record has the reference, and so has the target that
 * was resolved from it. A host that exists only in an OpenSSH configuration has no record, so nothing is kept for it. Keeping one never
 * changes which identities are tried: a server may want a key and the password. Source: ssh.md 10.2.
 */
export class KeptPasswords implements KeptPasswordsPort {
  readonly #hosts: Pick<HostStorePort, 'get' | 'put'>;
  readonly #secrets: SecretStorePort;

  constructor(hosts: Pick<HostStorePort, 'get' | 'put'>, secrets: SecretStorePort) {
    this.#hosts = hosts;
    this.#secrets = secrets;
  }

  async find({ passwordPlace }: Pick<Target, 'passwordPlace'>): Promise<string | undefined> {
    const reference = passwordPlace?.reference;
    return reference === undefined ? undefined : await this.#secrets.get(credentialKey(reference));
  }

  async keep(
    { hostId, passwordPlace }: Pick<Target, 'hostId' | 'passwordPlace'>,
    password: string,
  ): Promise<void> {
    const record = await this.#hosts.get(hostId);
    if (record === undefined || passwordPlace === undefined) return;
    const now = passwordPlaceOf(record);
    if (now.account !== passwordPlace.account || now.reference !== passwordPlace.reference) return;
    await replacePassword(record, password, { hosts: this.#hosts, secrets: this.#secrets });
  }
}
