import { randomUUID } from 'node:crypto';
import { passwordRefOf, type HostRecord } from '../../domain/host/host.ts';
import { withPasswordRef } from '../../domain/host/passwordPlace.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import { credentialKey, type SecretStorePort } from '../ports/prompts.ts';

/**
 * Keeps a password for a host in place of the one before, under a reference of its own. The secret comes first: a record never refers to
 * one that was not stored. Rejects when either cannot be written, and the password before is still there then; one that cannot be
 * taken away in the end is left behind, with nothing that refers to it.
 */
export async function replacePassword(
  record: HostRecord,
  password: string,
  stores: { readonly hosts: Pick<HostStorePort, 'put'>; readonly secrets: SecretStorePort },
): Promise<void> {
  const { hosts, secrets } = stores;
  const reference = randomUUID();
  await secrets.set(credentialKey(reference), password);
  try {
    await hosts.put(withPasswordRef(record, reference));
  } catch (error) {
    await secrets.delete(credentialKey(reference));
    throw error;
  }
  const before = passwordRefOf(record);
  if (before !== undefined) await secrets.delete(credentialKey(before)).catch(() => undefined);
}
