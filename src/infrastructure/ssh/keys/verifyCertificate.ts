import type { Certificate } from '../../../domain/keys/certificate.ts';
import { isSignatureBy } from './verifySignature.ts';

declare const verified: unique symbol;

/** A certificate that its authority has signed. Whether that authority is trusted, and for what, is another question. */
export type VerifiedCertificate = Certificate & { readonly [verified]: true };

export type CertificateVerdict =
  | { readonly k: 'verified'; readonly certificate: VerifiedCertificate }
  /** The authority signed with an algorithm that is not allowed. */
  | { readonly k: 'algorithm-not-allowed'; readonly algorithm: string }
  /** The signature is not the authority's, or not well formed. */
  | { readonly k: 'not-signed' };

/**
 * The algorithms that authorities may sign with when nothing else is configured, the default of `CASignatureAlgorithms`. None uses SHA-1.
 * Source: ssh_config(5); ssh.md 3.3.
 */
export const authorityAlgorithms: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** What `verifyCertificate` found, in one word. */
export function authorityVerdict(
  certificate: Certificate,
  allowed: readonly string[],
): 'signed' | 'not-signed' | 'algorithm-not-allowed' {
  const verdict = verifyCertificate(certificate, allowed);
  return verdict.k === 'verified' ? 'signed' : verdict.k;
}

/**
 * Checks the authority's signature. `allowed` may take algorithms away from {@link authorityAlgorithms} and cannot add any: SHA-1 is
 * refused whatever it says. Never throws.
 */
export function verifyCertificate(
  certificate: Certificate,
  allowed: readonly string[] = authorityAlgorithms,
): CertificateVerdict {
  const { signatureAlgorithm: algorithm, authority, signedBytes, signature } = certificate;
  if (!allowed.includes(algorithm) || !authorityAlgorithms.includes(algorithm))
    return { k: 'algorithm-not-allowed', algorithm };
  if (!isSignatureBy(authority, signedBytes, signature)) return { k: 'not-signed' };
  return { k: 'verified', certificate: certificate as VerifiedCertificate };
}
