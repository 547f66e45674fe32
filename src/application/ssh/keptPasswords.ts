import { randomUUID } from 'node:crypto';
import type { IdentityRef } from '../../domain/host/host.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import { credentialKey, type SecretStorePort } from '../ports/prompts.ts';
import type { KeptPasswordsPort } from '../ports/transport.ts';

/**
 * Passwords of vault hosts: the secret store has them under a random reference, the record has the reference. A host that exists only
 * in an OpenSSH configuration has no record, so nothing is kept for it. Source: ssh.md 10.2.
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
    const credentialId = credentialOf(record.identity);
    const password =
      credentialId === undefined ? undefined : await this.#secrets.get(credentialKey(credentialId));
    return { password, canKeep: record.identity.kind === 'password' || record.identity.kind === 'default' };
  }

  /** The secret comes first: a record never refers to one that was not stored. Rejects when either cannot be written. */
  async keep(target: Pick<Target, 'hostId'>, password: string): Promise<void> {
    const record = await this.#hosts.get(target.hostId);
    if (record === undefined) return;
    const known = credentialOf(record.identity);
    const credentialId = known ?? randomUUID();
    await this.#secrets.set(credentialKey(credentialId), password);
    if (known !== undefined) return;
    try {
      await this.#hosts.put({ ...record, identity: { kind: 'password', credentialId } });
    } catch (error) {
      await this.#secrets.delete(credentialKey(credentialId));
      throw error;
    }
  }
}

function credentialOf(identity: IdentityRef): string | undefined {
  return identity.kind === 'password' ? identity.credentialId : undefined;
}
