import type { Marker, NameField, TrustRecord } from './trustRecord.ts';

/** A name that means exactly itself in a known_hosts file: no list, pattern, hash, marker, comment or bracket. Source: sshd(8). */
export function isPlainName(name: string): boolean {
  return /^[^\s,*?!|@#[\]]+$/u.test(name);
}

const markers: Record<Marker, string> = {
  key: '',
  'cert-authority': '@cert-authority ',
  revoked: '@revoked ',
};

/**
 * A record as a line of a known_hosts file, without line break. Undefined for what the format cannot say exactly: a copy for others must
 * never accept more than the original. Source: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
 */
export function knownHostsLine({ marker, names, keyType, blob }: TrustRecord): string | undefined {
  const field = nameText(names);
  const key = Buffer.from(blob).toString('base64');
  return field === undefined ? undefined : `${markers[marker]}${field} ${keyType} ${key}`;
}

function nameText(names: NameField): string | undefined {
  switch (names.k) {
    case 'list':
      return names.patterns;
    case 'hashed':
      return [
        '',
        '1',
        ...[names.salt, names.digest].map((part) => Buffer.from(part).toString('base64')),
      ].join('|');
    case 'exact': {
      const bare = /^\[([^\]]*)\]:\d+$/.exec(names.name)?.[1] ?? names.name;
      return isPlainName(bare) ? names.name : undefined;
    }
    case 'any':
      return undefined;
  }
}
