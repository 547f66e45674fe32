import { untilAborted } from '../../../agentkit/index.ts';
import { isEncrypted, type KeyContainer } from '../../../domain/keys/keyContainer.ts';
import { keyProblem, KeyUnusable, type KeyProblem } from '../../../domain/keys/keyProblem.ts';
import { openOpenSsh } from './openOpenSsh.ts';
import { openPem } from './openPem.ts';
import { openPpk } from './openPpk.ts';
import { provenPrivateKey, type KeyMaterial, type PrivateKey } from './privateKey.ts';

export type OpenedKey =
  { readonly k: 'key'; readonly key: PrivateKey } | { readonly k: 'unusable'; readonly problem: KeyProblem };

/**
 * The private key inside a container. The passphrase is the caller's to wipe; what was derived from it is wiped here. Expensive
 * derivations run on threads of their own. Rejects with the signal's reason only. Source: ssh.md 2.4.
 */
export async function openKey(
  container: KeyContainer,
  passphrase: Buffer | undefined,
  signal: AbortSignal,
): Promise<OpenedKey> {
  try {
    if (isEncrypted(container) && (passphrase ?? '').length === 0) throw new KeyUnusable('needs-passphrase');
    const material = await openContainer(container, passphrase ?? Buffer.alloc(0), signal);
    return { k: 'key', key: await provenPrivateKey(material) };
  } catch (error) {
    signal.throwIfAborted();
    // What the run time's crypto refuses is no fault of ours to pass on.
    return { k: 'unusable', problem: error instanceof KeyUnusable ? error.problem : keyProblem('damaged') };
  }
}

async function openContainer(
  container: KeyContainer,
  passphrase: Buffer,
  signal: AbortSignal,
): Promise<KeyMaterial> {
  switch (container.k) {
    case 'openssh':
      return openOpenSsh(container.container, passphrase, signal);
    case 'ppk':
      return openPpk(container.ppk, passphrase, signal);
    case 'pem':
      // Node derives on threads that cannot be stopped; nobody waits for them after an abort.
      return {
        key: await untilAborted(openPem(container, passphrase), signal),
        stated: undefined,
        comment: '',
      };
  }
}
