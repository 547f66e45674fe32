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
 * Judges a presented host key against every source. Precedence: revoked anywhere, then the exact key, then changed, then the exact key
 * under the name without port, then known under other types, then unknown. A host certificate is refused: its evaluation needs the
 * whole blob, which the transport does not hand over. Source: ssh.md 3.1 and 3.2.
 */
export function decideTrust(
  presented: PresentedKey,
  trust: TrustName,
  sources: readonly TrustSource[],
): TrustDecision {
  const name = searchedName(trust);
  const fallback = fallbackName(trust);
  const kept = keptRecords(sources, name);
  const keptWithoutPort = fallback === undefined ? [] : keptRecords(sources, fallback);

  const revoked = [...kept, ...keptWithoutPort].find(
    ({ record }) => record.marker === 'revoked' && isSameBlob(record.blob, presented.blob),
  );
  if (revoked !== undefined) return { k: 'revoked', at: sourceLineOf(revoked.record) };
  if (presented.keyType.includes('-cert-v'))
    return { k: 'cert-refused', reason: 'host certificates are not evaluated' };

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

interface Kept {
  readonly record: TrustRecord;
  readonly kind: TrustSource['kind'];
}

function keptRecords(sources: readonly TrustSource[], name: string): readonly Kept[] {
  return sources.flatMap(({ kind, records }) =>
    records.filter((record) => isKeptFor(record, name)).map((record) => ({ record, kind })),
  );
}

function accept(kept: Kept): TrustDecision {
  return { k: 'accept', by: kept.kind, at: sourceLineOf(kept.record) };
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
