import { parseCertificate } from '../keys/certificate.ts';
import { parsePublicLine } from '../keys/publicLine.ts';
import { parsePublicKey } from '../keys/publicKey.ts';
import type { PresentedKey } from './hostKey.ts';
import type { TrustRecord } from './trustRecord.ts';

export interface RevokedKeys {
  readonly records: readonly TrustRecord[];
  /** The first line that is no public key. What it was meant to revoke is not known, so that no host can be trusted by such a list. */
  readonly unusableLine: number | undefined;
}

/**
 * Reads a text list of revoked keys, one public key a line with an optional comment; a certificate revokes the key inside it. Never throws.
 * Source: ssh_config(5), RevokedHostKeys; OpenSSH `sshkey_in_file`, which refuses every host for one unusable line.
 */
export function parseRevokedKeys(source: string, text: string): RevokedKeys {
  const records: TrustRecord[] = [];
  let unusableLine: number | undefined;
  for (const [index, content] of text.split('\n').entries()) {
    if (/^[ \t\r]*(?:#|$)/.test(content)) continue;
    const line = index + 1;
    const key = keyOf(content);
    if (key === undefined) unusableLine ??= line;
    else records.push({ marker: 'revoked', names: { k: 'any' }, ...key, source, line });
  }
  return { records, unusableLine };
}

function keyOf(content: string): PresentedKey | undefined {
  const read = parsePublicLine(content);
  if (read === undefined) return undefined;
  const { keyType, blob } = read;
  if (keyType.includes('-cert-v')) {
    const parsed = parseCertificate(blob);
    return parsed.k === 'certificate' ? parsed.certificate.key : undefined;
  }
  return parsePublicKey(blob);
}
