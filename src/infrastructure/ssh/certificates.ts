import fs from 'node:fs/promises';
import {
  certificateTime,
  parseCertificate,
  type Certificate,
  type CertificateProblem,
} from '../../domain/keys/certificate.ts';
import { parsePublicLine } from '../../domain/keys/publicLine.ts';
import type { IdentityProblem } from '../../domain/ssh/describeAuth.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';

/** A user certificate that may be offered now. */
export interface UsableCertificate {
  readonly certificate: Certificate;
  /** The file, or the comment of the agent. */
  readonly path: string;
  /** It names nobody of the user's name; the server may know better. */
  readonly warning: string | undefined;
}

/** For whom and when a certificate is to count. */
export interface CertificateUse {
  readonly user: string;
  /** Since 1970. */
  readonly nowSeconds: bigint;
}

const maxFileBytes = 256 * 1024;

/** Reads a certificate from its file; undefined when there is no such file. Never rejects. Source: ssh.md 2.5. */
export async function readCertificateFile(
  path: string,
  use: CertificateUse,
): Promise<UsableCertificate | IdentityProblem | undefined> {
  try {
    const { size } = await fs.stat(path);
    if (size > maxFileBytes) return { path, reason: 'it is too large to be a certificate' };
    const line = parsePublicLine(await fs.readFile(path, 'utf8'));
    return line === undefined
      ? { path, reason: 'it is no certificate' }
      : judgeCertificate(line.blob, path, use);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    return code === 'ENOENT' ? undefined : { path, reason: code };
  }
}

/**
 * A certificate that has expired, is not valid yet or is not for users is not offered, and neither is one that cannot be read; each with
 * its reason. Source: ssh.md 2.5.
 */
export function judgeCertificate(
  blob: Uint8Array,
  path: string,
  { user, nowSeconds }: CertificateUse,
): UsableCertificate | IdentityProblem {
  const parsed = parseCertificate(blob);
  if (parsed.k === 'unreadable') return { path, reason: unreadable[parsed.problem] };
  const { certificate } = parsed;
  if (certificate.role !== 'user') return { path, reason: 'it is a certificate for hosts' };
  switch (certificateTime(certificate, nowSeconds)) {
    case 'expired':
      return { path, reason: `it expired at ${timeOf(certificate.validBefore)}` };
    case 'not-yet-valid':
      return { path, reason: `it is not valid before ${timeOf(certificate.validAfter)}` };
    case 'valid':
      return { certificate, path, warning: warningOf(certificate.principals, user) };
  }
}

const unreadable: Readonly<Record<CertificateProblem, string>> = {
  'not-a-certificate': 'it is no certificate',
  damaged: 'it is damaged',
  'unknown-role': 'it is neither for users nor for hosts',
  'unknown-authority': 'its authority has a key of an unknown kind',
};

function warningOf(principals: readonly string[], user: string): string | undefined {
  if (principals.includes(user)) return undefined;
  const names = principals.length === 0 ? 'nobody' : principals.map((name) => showUntrusted(name)).join(', ');
  return `the certificate is for ${names}, not for ${user}`;
}

/** Times of a certificate go further than a date of the language. */
function timeOf(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? `second ${String(seconds)}` : date.toISOString().slice(0, 19) + 'Z';
}
