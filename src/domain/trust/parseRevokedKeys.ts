import { parsePublicLine } from '../keys/publicLine.ts';
import type { TrustRecord } from './trustRecord.ts';

/**
 * The keys of a text list of revoked keys, one public key a line with an optional comment. A line that is no key is passed over, as by
 * `ssh`. Never throws. Source: ssh_config(5), RevokedHostKeys.
 */
export function parseRevokedKeys(source: string, text: string): readonly TrustRecord[] {
  return text.split('\n').flatMap((line, index): readonly TrustRecord[] => {
    const key = parsePublicLine(line);
    if (key === undefined) return [];
    return [
      {
        marker: 'revoked',
        names: { k: 'any' },
        keyType: key.keyType,
        blob: key.blob,
        source,
        line: index + 1,
      },
    ];
  });
}
