import { parseCertificate, type Certificate } from '../keys/certificate.ts';
import { judgeHostCertificate, type CertificateRules } from './hostCertificate.ts';
import { isSameBlob, type PresentedKey } from './hostKey.ts';
import type { TrustDecision } from './trust.ts';
import {
  fallbackName,
  isKeptFor,
  searchedName,
  sourceLineOf,
  type TrustName,
  type TrustRecord,
  type TrustSource,
} from './trustRecord.ts';

/**
 * Judges a presented host key against every source. Precedence: revoked anywhere, then a certificate by the authorities that are kept
 * for the name, then the exact key, then changed, then the exact key under the name without port, then known under other types, then
 * unknown. A certificate of a host without an authority counts for nothing: the key inside it is judged as a plain key. Under the name
 * without port a certificate can only be accepted. Source: ssh.md 3.1 to 3.3.
 */
export function decideTrust(
  key: PresentedKey,
  { trust, sources }: { readonly trust: TrustName; readonly sources: readonly TrustSource[] },
  rules: CertificateRules,
): TrustDecision {
  const certificate = certificateIn(key);
  if (certificate === 'damaged') return { k: 'cert-refused', reason: 'damaged' };
  const presented = certificate?.key ?? key;
  const name = searchedName(trust);
  const fallback = fallbackName(trust);
  const kept = keptRecords(sources, name);
  const keptWithoutPort = fallback === undefined ? [] : keptRecords(sources, fallback);

  const revoked = (blob: Uint8Array | undefined): Kept | undefined =>
    [...kept, ...keptWithoutPort].find(
      ({ record }) => blob !== undefined && record.marker === 'revoked' && isSameBlob(record.blob, blob),
    );
  const itself = revoked(presented.blob);
  if (itself !== undefined) return { k: 'revoked', what: 'key', at: sourceLineOf(itself.record) };
  const authority = revoked(certificate?.authority.blob);
  if (authority !== undefined) return { k: 'revoked', what: 'authority', at: sourceLineOf(authority.record) };
  if (certificate !== undefined) {
    const judge = (records: readonly Kept[]): TrustDecision | undefined =>
      decideCertificate(certificate, { name: trust.name, authorities: authoritiesOf(records), rules });
    const decision = judge(kept) ?? acceptedOnly(judge(keptWithoutPort));
    if (decision !== undefined) return decision;
  }

  const plain = kept.filter(({ record }) => record.marker === 'key');
  const exact = plain.find(({ record }) => isSameBlob(record.blob, presented.blob));
  if (exact !== undefined) return accept(exact);
  const ofSameType = plain.filter(({ record }) => record.keyType === presented.keyType);
  if (ofSameType.length > 0) return { k: 'changed', known: linesOf(ofSameType) };
  const exactWithoutPort = keptWithoutPort.find(
    ({ record }) => record.marker === 'key' && isSameBlob(record.blob, presented.blob),
  );
  if (exactWithoutPort !== undefined) return accept(exactWithoutPort);
  if (plain.length > 0) return { k: 'ask', why: 'other-type-known', known: linesOf(plain) };
  return { k: 'ask', why: 'unknown', known: [] };
}

/** The key that a person knows and that is kept: of a certificate the one inside. */
export function plainKeyOf(presented: PresentedKey): PresentedKey {
  const certificate = certificateIn(presented);
  return certificate === undefined || certificate === 'damaged' ? presented : certificate.key;
}

/** Undefined for a plain key. */
function certificateIn({ keyType, blob }: PresentedKey): Certificate | 'damaged' | undefined {
  if (!keyType.includes('-cert-v')) return undefined;
  const parsed = parseCertificate(blob);
  return parsed.k === 'certificate' ? parsed.certificate : 'damaged';
}

/** Undefined when no authority is kept for the name. */
function decideCertificate(
  certificate: Certificate,
  about: Parameters<typeof judgeHostCertificate>[1],
): TrustDecision | undefined {
  if (about.authorities.length === 0) return undefined;
  const judged = judgeHostCertificate(certificate, about);
  return typeof judged === 'string'
    ? { k: 'cert-refused', reason: judged }
    : { k: 'accept', by: 'ca', at: sourceLineOf(judged) };
}

function acceptedOnly(decision: TrustDecision | undefined): TrustDecision | undefined {
  return decision?.k === 'accept' ? decision : undefined;
}

function authoritiesOf(kept: readonly Kept[]): readonly TrustRecord[] {
  return kept.map(({ record }) => record).filter((record) => record.marker === 'cert-authority');
}

interface Kept {
  readonly record: TrustRecord;
  readonly kind: TrustSource['kind'];
}

function keptRecords(sources: readonly TrustSource[], name: string): readonly Kept[] {
  return sources.flatMap(({ kind, records }) =>
    records.filter((record) => isKeptFor(record, name)).map((record) => ({ record, kind })),
  );
}

function accept({ kind, record }: Kept): TrustDecision {
  // A list of revoked keys holds nothing that could be accepted.
  if (kind === 'revoked-list') return { k: 'revoked', what: 'key', at: sourceLineOf(record) };
  return { k: 'accept', by: kind, at: sourceLineOf(record) };
}

function linesOf(kept: readonly Kept[]): readonly ReturnType<typeof sourceLineOf>[] {
  return kept.map(({ record }) => sourceLineOf(record));
}

/** What is to be done about a decision. */
export type TrustAction = 'accept' | 'ask' | 'record' | 'refuse';

/**
 * What `StrictHostKeyChecking` makes of a decision. `record` accepts and keeps an unknown key without a question; `off` is treated like
 * `accept-new`. A host known under other key types only is never accepted silently, and no mode accepts a changed or revoked key.
 * Source: ssh.md 3.1.
 */
export function actOnTrust(decision: TrustDecision, mode: 'yes' | 'ask' | 'accept-new' | 'off'): TrustAction {
  if (decision.k === 'accept') return 'accept';
  if (decision.k !== 'ask' || mode === 'yes') return 'refuse';
  return mode !== 'ask' && decision.why === 'unknown' ? 'record' : 'ask';
}
