import { randomUUID } from 'node:crypto';
import { passwordRefOf, type HostRecord } from '../../domain/host/host.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import { credentialKey, type SecretStorePort } from '../ports/prompts.ts';
import type { KeptPasswordsPort } from '../ports/transport.ts';

/**
 * Passwords of vault hosts: the secret store has them under a random reference, the record has the reference. A host that exists only
 * in an OpenSSH configuration has no record, so nothing is kept for it. Keeping one never changes which identities are tried: a server
 * may want a key and the password. Source: ssh.md 10.2.
 */
export class KeptPasswords implements KeptPasswordsPort {
  readonly #hosts: Pick<HostStorePort, 'get' | 'put'>;
  readonly #secrets: SecretStorePort;

  constructor(hosts: Pick<HostStorePort, 'get' | 'put'>, secrets: SecretStorePort) {
    this.#hosts = hosts;
    this.#secrets = secrets;
  }

  async find(
    target: Pick<Target, 'hostId'>,
  ): Promise<{ readonly password: string | undefined; readonly canKeep: boolean }> {
    const record = await this.#hosts.get(target.hostId);
    if (record === undefined) return { password: undefined, canKeep: false };
    const reference = passwordRefOf(record);
    const password = reference === undefined ? undefined : await this.#secrets.get(credentialKey(reference));
    return { password, canKeep: true };
  }

  /** The secret comes first: a record never refers to one that was not stored. Rejects when either cannot be written. */
  async keep(target: Pick<Target, 'hostId'>, password: string): Promise<void> {
    const record = await this.#hosts.get(target.hostId);
    if (record === undefined) return;
    const known = passwordRefOf(record);
    const reference = known ?? randomUUID();
    await this.#secrets.set(credentialKey(reference), password);
    if (known !== undefined) return;
    try {
      await this.#hosts.put(referringTo(record, reference));
    } catch (error) {
      await this.#secrets.delete(credentialKey(reference));
      throw error;
    }
  }
}

function referringTo(record: HostRecord, reference: string): HostRecord {
  return record.identity.kind === 'password'
    ? { ...record, identity: { kind: 'password', credentialId: reference } }
    : { ...record, signIn: { ...record.signIn, passwordRef: reference } };
}
