import { keyTypeOf } from './hostKey.ts';
import type { Marker, NameField, TrustRecord } from './trustRecord.ts';

/** Why a line is skipped; it affects nothing else. */
export interface KnownHostsProblem {
  readonly source: string;
  readonly line: number;
  readonly message: string;
}

export interface KnownHosts {
  readonly records: readonly TrustRecord[];
  readonly problems: readonly KnownHostsProblem[];
}

const markers: Readonly<Record<string, Marker>> = {
  '@cert-authority': 'cert-authority',
  '@revoked': 'revoked',
};

/**
 * Reads a known_hosts file: comma lists with `*`, `?` and negation, hashed names, markers, comments. Never throws.
 * Source: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT; ssh.md 3.2.
 */
export function parseKnownHosts(source: string, text: string): KnownHosts {
  const records: TrustRecord[] = [];
  const problems: KnownHostsProblem[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const content = raw.replace(/^[ \t]+/, '').replace(/\r$/, '');
    if (content === '' || content.startsWith('#')) continue;
    const line = index + 1;
    const read = readRecord(content);
    if (typeof read === 'string') problems.push({ source, line, message: read });
    else records.push({ ...read, source, line });
  }
  return { records, problems };
}

/** The record, or why the line is skipped. */
function readRecord(content: string): Omit<TrustRecord, 'source' | 'line'> | string {
  const marked = content.startsWith('@') ? cutMarker(content) : { marker: 'key' as const, rest: content };
  if (marked === undefined) return 'the marker is not known';
  const { marker, rest } = marked;
  const [nameField, keyType, base64] = rest.split(/[ \t]+/).filter(Boolean);
  if (nameField === undefined || keyType === undefined || base64 === undefined)
    return 'the line is too short';
  if (/^\d+$/.test(keyType)) return 'it holds a key of the first SSH protocol';
  const names = readNames(nameField);
  if (names === undefined) return 'the hashed name is damaged';
  const blob = readBase64(base64);
  if (blob === undefined) return 'the key is not base64';
  if (keyTypeOf(blob) !== keyType) return 'the key is not of the type the line names';
  return { marker, names, keyType, blob };
}

/** A marker ends at the first space of the line, at a tab only when there is no space. Source: OpenSSH `check_markers`. */
function cutMarker(content: string): { readonly marker: Marker; readonly rest: string } | undefined {
  const space = content.indexOf(' ');
  const end = space < 0 ? content.indexOf('\t') : space;
  const marker = end < 0 ? undefined : markers[content.slice(0, end)];
  const rest = content.slice(end + 1).replace(/^[ \t]+/, '');
  return marker === undefined || rest.startsWith('@') ? undefined : { marker, rest };
}

function readNames(field: string): NameField | undefined {
  if (!field.startsWith('|')) return { k: 'list', patterns: field };
  const [, version, saltText = '', digestText = '', rest] = field.split('|');
  const salt = readBase64(saltText);
  const digest = readBase64(digestText);
  const isWhole = version === '1' && salt?.length === 20 && digest?.length === 20 && rest === undefined;
  return isWhole ? { k: 'hashed', salt, digest } : undefined;
}

function readBase64(text: string): Buffer | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Buffer.from(text, 'base64')
    : undefined;
}
