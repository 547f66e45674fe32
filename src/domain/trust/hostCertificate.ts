import { matchesPattern } from '../config/hostPattern.ts';
import { certificateTime, type Certificate } from '../keys/certificate.ts';
import { isSameBlob } from './hostKey.ts';
import type { TrustRecord } from './trustRecord.ts';

/** Why a host certificate is refused, each check by its own name. Source: ssh.md 3.3. */
export type CertReason =
  | 'damaged'
  | 'other-authority'
  | 'not-signed'
  | 'algorithm-not-allowed'
  | 'user-certificate'
  | 'not-yet-valid'
  | 'expired'
  | 'names-no-host'
  | 'other-host'
  | 'unknown-option';

/** What a certificate is judged by. */
export interface CertificateRules {
  /** Seconds since 1970. */
  readonly nowSeconds: bigint;
  /** Whether the authority that the certificate names has signed it, with an algorithm that is allowed. */
  readonly verify: (certificate: Certificate) => 'signed' | 'not-signed' | 'algorithm-not-allowed';
}

/** Critical options of host certificates that are understood: there are none. Source: PROTOCOL.certkeys. */
const knownOptions: readonly string[] = [];

/**
 * Judges a host certificate for a bare name (no port) by the authorities that are kept for it, of which there is at least one. Gives the
 * authority's record, or the first check that failed. Whether something is revoked is not its question. Source: ssh.md 3.3.
 */
export function judgeHostCertificate(
  certificate: Certificate,
  about: {
    readonly name: string;
    readonly authorities: readonly TrustRecord[];
    readonly rules: CertificateRules;
  },
): TrustRecord | CertReason {
  const { name, authorities, rules } = about;
  const authority = authorities.find(({ blob }) => isSameBlob(blob, certificate.authority.blob));
  if (authority === undefined) return 'other-authority';
  const signed = rules.verify(certificate);
  if (signed !== 'signed') return signed;
  if (certificate.role !== 'host') return 'user-certificate';
  const time = certificateTime(certificate, rules.nowSeconds);
  if (time !== 'valid') return time;
  if (certificate.principals.length === 0) return 'names-no-host';
  if (!certificate.principals.some((principal) => matchesPattern(name, principal))) return 'other-host';
  if (certificate.criticalOptions.some((option) => !knownOptions.includes(option.name)))
    return 'unknown-option';
  return authority;
}
