import type { FleetReading } from '../../src/application/trust/fleetTrustReader.ts';
import type { FleetHost, FleetKey, FleetPlace } from '../../src/domain/trust/fleetTrust.ts';
import type { FleetCertificate } from '../../src/domain/trust/seenCertificate.ts';
import { fleetDocument } from './plainEditor.ts';

const file = '/home/op/.ssh/known_hosts';
const dayMs = 86_400_000;
const host = (label: string): FleetHost => ({
  label,
  trust: { name: `${label}.example.com`, isAlias: false, port: 22 },
});
const fingerprint = (letter: string): string => `SHA256:${letter.repeat(43)}`;
const inFile = (line: number): FleetPlace => ({ k: 'file', path: file, line });
const inStore = (origin: string, lastUsedAt?: number): FleetPlace => ({
  k: 'store',
  origin,
  addedAt: 3 * dayMs,
  lastUsedAt,
});
const key = (rest: Partial<FleetKey>): FleetKey => ({
  marker: 'key',
  names: ['web-1.example.com'],
  keyType: 'ssh-ed25519',
  fingerprint: fingerprint('a'),
  place: inFile(1),
  hosts: [],
  ...rest,
});
const many = Array.from({ length: 20 }, (_, index) => host(`node-${String(index)}`));
const change = (at: number, name: string, newKey: string | undefined) => ({
  at,
  name,
  oldKey: `ssh-ed25519 ${fingerprint('o')}`,
  newKey,
  actor: 'person' as const,
  reason: undefined,
});
const together = [
  change(5 * dayMs, 'web-1.example.com', `ssh-ed25519 ${fingerprint('n')}`),
  change(5 * dayMs, '[db.example.com]:2222', `ssh-ed25519 ${fingerprint('m')}`),
];

const certificate = (rest: Partial<FleetCertificate>): FleetCertificate => ({
  name: 'web-1.example.com',
  port: 22,
  machines: ['web-1'],
  keyType: 'ssh-ed25519',
  serial: '7',
  keyId: 'web 2026',
  principals: ['web-1.example.com', 'web.example.com'],
  validFrom: 2 * dayMs,
  validUntil: 9 * dayMs,
  authority: fingerprint('c'),
  seenAt: 6 * dayMs,
  expiry: 'soon',
  ...rest,
});

const everything: FleetReading = {
  certificates: [
    certificate({ validUntil: 3 * dayMs, expiry: 'expired', machines: ['[db.example.com]:2222'] }),
    certificate({}),
    certificate({ validFrom: undefined, validUntil: undefined, expiry: 'valid', keyId: 'odd\u202eid' }),
  ],
  trust: {
    keys: [
      key({ names: undefined, fingerprint: fingerprint('h'), place: inFile(7) }),
      key({ names: ['*'], marker: 'revoked', keyType: 'ssh-rsa', place: inFile(9) }),
      key({ hosts: [host('web-1')], place: inStore('asked', 6 * dayMs) }),
      key({ names: ['[db.example.com]:2222'], hosts: [host('db')], place: inStore('rotation') }),
      key({ names: ['odd\u202eman.example.com'], place: inStore('someday') }),
    ],
    authorities: [
      key({ marker: 'cert-authority', names: ['*.example.com', '!db.example.com'], hosts: many }),
      key({ marker: 'cert-authority', names: ['*.example.org'], place: inFile(12) }),
      key({ marker: 'cert-authority', names: ['*.example.net', '[db]:2222'], place: inStore('trusted') }),
    ],
    shared: [
      {
        keyType: 'ssh-ed25519',
        fingerprint: fingerprint('s'),
        machines: ['web-1', 'backup.example.com, 192.0.2.9'],
      },
    ],
    together: [together],
    problems: [
      { source: 'store', line: undefined, message: 'the row of bad is damaged' },
      { source: file, line: 14, message: 'the key is not base64' },
    ],
    changes: [
      { ...change(6 * dayMs, 'old.example.com', undefined), reason: 'taken out of service' },
      { ...change(5.5 * dayMs, 'web-2.example.com', `ssh-rsa ${fingerprint('r')}`), actor: 'server' },
      ...together,
    ],
    areHashesCompared: false,
  },
  files: [
    { path: file, keys: 5, isUnreadable: false },
    { path: '/etc/ssh/ssh_known_hosts', keys: 0, isUnreadable: true },
  ],
  unreadFiles: 3,
};

const nothing: FleetReading = {
  certificates: [],
  trust: {
    keys: [],
    authorities: [],
    shared: [],
    together: [],
    problems: [],
    changes: [],
    areHashesCompared: true,
  },
  files: [],
  unreadFiles: 0,
};

const show = (reading: FleetReading): ReturnType<typeof fleetDocument> =>
  fleetDocument({
    reading,
    day: (at) => new Date(at).toISOString().slice(0, 10),
    shorten: (path) => path.replace('/home/op', '~'),
  });

/** The page about all host keys, with everything it can say and with nothing. */
export const fleetPages = { everything: show(everything), nothing: show(nothing) };

/** The page of a fleet with so many keys. */
export const fleetOf = (keys: number): ReturnType<typeof fleetDocument> =>
  show({
    ...nothing,
    trust: { ...nothing.trust, keys: Array.from({ length: keys }, () => key({})) },
  });
