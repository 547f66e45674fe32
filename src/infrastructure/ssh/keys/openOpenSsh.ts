import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import { readOpenSshSection, type OpenSshContainer } from '../../../domain/keys/openSshContainer.ts';
import { parsePublicKey, publicKeyBlob } from '../../../domain/keys/publicKey.ts';
import { deriveKey } from './deriveKey.ts';
import { importParts, type KeyMaterial } from './privateKey.ts';
import { sectionCipher } from './sectionCipher.ts';

/** Opens OpenSSH's own container. Rejects with `KeyUnusable`, or with the signal's reason. Source: ssh.md 2.4; PROTOCOL.key. */
export async function openOpenSsh(
  container: OpenSshContainer,
  passphrase: Buffer,
  signal: AbortSignal,
): Promise<KeyMaterial> {
  const stated = parsePublicKey(container.publicBlob);
  if (stated === undefined) throw new KeyUnusable('damaged');
  const section = await decryptSection(container, passphrase, signal);
  try {
    const { keyType, open, secret, comment } = readOpenSshSection(container, section);
    if (!publicKeyBlob(keyType, open).equals(container.publicBlob)) throw new KeyUnusable('damaged');
    return { key: importParts(stated, secret), stated, comment };
  } finally {
    section.fill(0);
  }
}

/** The caller wipes it. */
async function decryptSection(
  { cipher: name, kdf, section, tag }: OpenSshContainer,
  passphrase: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  if (kdf === undefined) return Buffer.from(section);
  const cipher = sectionCipher(name);
  const { keyBytes, ivBytes, blockBytes, tagBytes } = cipher;
  if (section.length === 0 || section.length % blockBytes !== 0 || tag.length !== tagBytes)
    throw new KeyUnusable('damaged');
  const bytes = keyBytes + ivBytes;
  const derived = await deriveKey({ kind: 'bcrypt', ...kdf, passphrase, bytes }, signal);
  const opened = cipher.open({
    key: derived.subarray(0, keyBytes),
    iv: derived.subarray(keyBytes),
    section,
    tag,
  });
  derived.fill(0);
  if (opened === undefined) throw new KeyUnusable('wrong-passphrase-or-damaged');
  return opened;
}
