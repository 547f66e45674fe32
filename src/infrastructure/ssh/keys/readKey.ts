import crypto from 'node:crypto';
import { neverAborted } from '../../../agentkit/index.ts';
import {
  isEncrypted,
  openHalfOf,
  recogniseKey,
  wipeContainer,
  type KeyContainer,
  type OpenHalf,
} from '../../../domain/keys/keyContainer.ts';
import { keyProblem, type KeyProblem } from '../../../domain/keys/keyProblem.ts';
import { keyTextOf } from '../../../domain/keys/keyText.ts';
import { openKey } from './openKey.ts';
import type { PrivateKey } from './privateKey.ts';
import { publicKeyOf } from './publicKeyObject.ts';

/** What bytes turned out to be, found out without a passphrase. */
export type ReadKey =
  | { readonly k: 'plain'; readonly key: PrivateKey }
  /** `openKey` opens it. What it says in the clear is undefined where the format says nothing. */
  | { readonly k: 'encrypted'; readonly container: KeyContainer; readonly open: OpenHalf | undefined }
  /** A public half or a certificate, as a plain or a certificate blob. */
  | { readonly k: 'public'; readonly blob: Uint8Array; readonly isCertificate: boolean }
  /** The handle of a security key, as its plain public blob. Only an agent can sign with it. */
  | { readonly k: 'security-key'; readonly blob: Uint8Array }
  | { readonly k: 'unreadable'; readonly problem: KeyProblem };

/** Larger than any key. */
export const maxKeyBytes = 1024 * 1024;
/** Far more than a key and the text around it; taking more lines apart would be felt. */
const maxLines = 10_000;

/** Takes a key of any container apart. Never rejects. Source: ssh.md 2.4. */
export async function readKey(bytes: Uint8Array): Promise<ReadKey> {
  if (bytes.length > maxKeyBytes || lineCount(bytes) > maxLines)
    return { k: 'unreadable', problem: keyProblem('too-large') };
  const text = keyTextOf(bytes);
  const recognised = recogniseKey(text);
  switch (recognised.k) {
    case 'unusable':
      return { k: 'unreadable', problem: recognised.problem };
    case 'security-key':
      return recognised;
    case 'public': {
      const blob = recognised.blob ?? publicBlobOfPem(text);
      return blob === undefined
        ? { k: 'unreadable', problem: keyProblem('unsupported', 'this is the public half of a key') }
        : { k: 'public', blob, isCertificate: recognised.isCertificate };
    }
    case 'private': {
      const { container } = recognised;
      if (isEncrypted(container)) return { k: 'encrypted', container, open: openHalfOf(container) };
      // Nothing is derived for a key in the clear, so there is nothing to end.
      const opened = await openKey(container, undefined, neverAborted);
      wipeContainer(container);
      return opened.k === 'key'
        ? { k: 'plain', key: opened.key }
        : { k: 'unreadable', problem: opened.problem };
    }
  }
}

function lineCount(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 0x0a || byte === 0x0d) count += 1;
  return count;
}

function publicBlobOfPem(text: string): Uint8Array | undefined {
  try {
    return publicKeyOf(crypto.createPublicKey(text))?.blob;
  } catch {
    return undefined;
  }
}
