import { l10n } from 'vscode';
import type { FleetReading } from '../../application/trust/fleetTrustReader.ts';
import { openLineAction } from '../../domain/page/openLineAction.ts';
import type {
  PageBlock,
  PageDocument,
  PageLine,
  PageNotice,
  PageRow,
  PageSection,
  PageText,
} from '../../domain/page/pageDocument.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { FleetChange, FleetKey, FleetPlace, SharedKey } from '../../domain/trust/fleetTrust.ts';
import type { FleetCertificate } from '../../domain/trust/seenCertificate.ts';
import { forgetAction } from './forgetAction.ts';

export interface ShownFleet {
  readonly reading: FleetReading;
  /** A moment (milliseconds UTC) as a day, for people. */
  readonly day: (at: number) => string;
  /** Shortens a path for people. */
  readonly shorten: (path: string) => string;
}

/** The actions of the page besides links to lines and to forget an authority. */
export const exportAction = 'export';
export const authorityAction = 'trustAuthority';

/** A page stays usable; the exported file and the files themselves have everything. */
const mostRows = 5_000;
/** Names and hosts in one cell. */
const mostNames = 8;

/** The page about the host keys of all hosts. Source: ssh.md 3.5; decisions 25. */
export function fleetDocument(shown: ShownFleet): PageDocument {
  const { keys, authorities } = shown.reading.trust;
  return {
    title: l10n.t('Known Host Keys'),
    subtitle: l10n.t('{0} key(s), {1} certificate authority line(s)', keys.length, authorities.length),
    notices: noticesOf(shown),
    sections: [
      keysSection(shown),
      authoritiesSection(shown),
      ...certificateSections(shown),
      ...sharedSections(shown.reading.trust.shared),
      ...changeSections(shown),
      ...problemSections(shown),
      ...fileSections(shown),
    ],
  };
}

function noticesOf({ reading, shorten, day }: ShownFleet): readonly PageNotice[] {
  const { trust, certificates, files, unreadFiles } = reading;
  const ending = certificates.filter(({ expiry }) => expiry !== 'valid');
  const unreadable = files.filter(({ isUnreadable }) => isUnreadable).map(({ path }) => shorten(path));
  const longest = Math.max(trust.keys.length, trust.changes.length, trust.problems.length);
  const texts: readonly (readonly [boolean, PageNotice['tone'], () => string])[] = [
    [
      unreadable.length > 0,
      'bad',
      () => l10n.t('Cannot be read, so hosts that use it are refused: {0}', unreadable.join(', ')),
    ],
    [
      trust.together.length > 0,
      'warning',
      () =>
        l10n.t(
          'Keys of several hosts changed within a day ({0}). Unless these machines were renewed together, somebody may be in between.',
          trust.together.map((group) => day(group[0]?.at ?? 0)).join(', '),
        ),
    ],
    [
      ending.length > 0,
      'warning',
      () =>
        l10n.t(
          'Host certificates that have expired or expire within 7 days: {0}',
          shortList(ending.flatMap(({ machines }) => machines)),
        ),
    ],
    [
      !trust.areHashesCompared,
      'plain',
      () => l10n.t('There are too many hashed names to say which hosts they belong to.'),
    ],
    [unreadFiles > 0, 'plain', () => l10n.t('{0} more file(s) were not read.', unreadFiles)],
    [
      longest > mostRows,
      'plain',
      () => l10n.t('Tables show the first {0} rows. The exported file holds every key.', mostRows),
    ],
  ];
  const said = texts.filter(([holds]) => holds).map(([, tone, text]): PageNotice => ({ tone, text: text() }));
  if (trust.keys.length + trust.authorities.length === 0) return said;
  const label = l10n.t('Export as known_hosts…');
  const text = l10n.t('All of it can be saved as one known_hosts file.');
  return [...said, { tone: 'plain', text, buttons: [{ label, action: exportAction }] }];
}

function keysSection(shown: ShownFleet): PageSection {
  const { keys } = shown.reading.trust;
  const title = l10n.t('Keys');
  if (keys.length === 0)
    return { title, blocks: [{ k: 'text', line: [l10n.t('No host key is known yet.')] }] };
  return {
    title,
    blocks: [
      table(title, {
        columns: [l10n.t('Host'), l10n.t('Key'), l10n.t('From'), l10n.t('Age')],
        filter: l10n.t('Filter keys'),
        rows: [...keys]
          .sort(byHost)
          .map((key) =>
            row([
              [...hostLines(key), ...nameLines(key)],
              keyLines(key),
              placeLines(key.place, shown),
              ageLines(key.place, shown),
            ]),
          ),
      }),
    ],
  };
}

function authoritiesSection(shown: ShownFleet): PageSection {
  const { authorities } = shown.reading.trust;
  const title = l10n.t('Certificate authorities');
  const link = { linkText: l10n.t('Trust a Certificate Authority…'), action: authorityAction };
  const offer: PageBlock = { k: 'text', line: [link] };
  if (authorities.length === 0) return { title, blocks: [offer] };
  const columns = [l10n.t('For'), l10n.t('Key'), l10n.t('From'), l10n.t('Covers')];
  const rows = authorities.map((authority) => {
    const hosts = hostLines(authority);
    return row([
      nameLines(authority),
      keyLines(authority),
      [...placeLines(authority.place, shown), ...forgetLines(authority)],
      hosts.length === 0 ? [[{ quiet: l10n.t('none of the listed hosts') }]] : hosts,
    ]);
  });
  return { title, blocks: [table(title, { columns, rows }), offer] };
}

function certificateSections({ reading, day }: ShownFleet): readonly PageSection[] {
  if (reading.certificates.length === 0) return [];
  const title = l10n.t('Host certificates');
  const columns = [l10n.t('Host'), l10n.t('Certificate'), l10n.t('Valid'), l10n.t('Signed by')];
  const rows = reading.certificates.map((certificate) => {
    const { machines, keyType, keyId, serial, principals, authority, seenAt } = certificate;
    return row([
      [
        ...someLines(machines.map((machine): PageLine => [showUntrusted(machine)])),
        ...someLines(principals.map((name): PageLine => [{ code: showUntrusted(name) }])),
      ],
      [[{ code: showUntrusted(keyId) }], [l10n.t('number {0}', serial)], [{ quiet: keyType }]],
      validityLines(certificate, day),
      [[{ code: authority }], [{ quiet: l10n.t('seen {0}', day(seenAt)) }]],
    ]);
  });
  return [{ title, blocks: [table(title, { columns, rows })] }];
}

function validityLines(
  { validFrom, validUntil, expiry }: FleetCertificate,
  day: ShownFleet['day'],
): readonly PageLine[] {
  const badges: Record<FleetCertificate['expiry'], readonly PageLine[]> = {
    valid: [],
    soon: [[{ badge: l10n.t('expires soon'), tone: 'warning' }]],
    expired: [[{ badge: l10n.t('expired'), tone: 'bad' }]],
  };
  return [
    ...badges[expiry],
    ...(validFrom === undefined ? [] : [[l10n.t('since {0}', day(validFrom))]]),
    [validUntil === undefined ? l10n.t('without end') : l10n.t('until {0}', day(validUntil))],
  ];
}

function shortList(machines: readonly string[]): string {
  const shown = machines.slice(0, mostNames).map((machine) => showUntrusted(machine));
  const more = machines.length - shown.length;
  return [...shown, ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join(', ');
}

/** Lines of files are changed in the files only. */
function forgetLines({ place, names, fingerprint }: FleetKey): readonly PageLine[] {
  if (place.k === 'file' || names === undefined) return [];
  const action = forgetAction.of({ names: names.join(','), fingerprint });
  return [[{ linkText: l10n.t('Forget…'), action }]];
}

function sharedSections(shared: readonly SharedKey[]): readonly PageSection[] {
  if (shared.length === 0) return [];
  const title = l10n.t('Keys that several hosts share');
  const columns = [l10n.t('Key'), l10n.t('Hosts')];
  const rows = shared.map(({ keyType, fingerprint, machines }) =>
    row([
      [[keyType], [{ code: fingerprint }]],
      someLines(machines.map((machine): PageLine => [showUntrusted(machine)])),
    ]),
  );
  return [{ title, blocks: [table(title, { columns, rows })] }];
}

function changeSections(shown: ShownFleet): readonly PageSection[] {
  const { changes, together, keys } = shown.reading.trust;
  const learned = keys.filter(({ place }) => place.k === 'store' && place.origin === 'rotation');
  const groups = together.map((group): PageBlock => {
    const summary = l10n.t(
      '{0}: {1} host(s)',
      shown.day(group[0]?.at ?? 0),
      new Set(group.map(({ name }) => name)).size,
    );
    return { k: 'details', summary, blocks: [changeTable(summary, group, shown)] };
  });
  const sections: readonly (readonly [string, readonly PageBlock[]])[] = [
    [l10n.t('Changed within a day'), groups],
    [
      l10n.t('Learned rotations'),
      learned.length === 0
        ? []
        : [
            table(l10n.t('Learned rotations'), {
              columns: [l10n.t('Host'), l10n.t('Key'), l10n.t('Age')],
              rows: learned.map((key) =>
                row([[...hostLines(key), ...nameLines(key)], keyLines(key), ageLines(key.place, shown)]),
              ),
            }),
          ],
    ],
    [
      l10n.t('Replaced and forgotten keys'),
      changes.length === 0 ? [] : [changeTable(l10n.t('Replaced and forgotten keys'), changes, shown)],
    ],
  ];
  return sections.flatMap(([title, blocks]) => (blocks.length === 0 ? [] : [{ title, blocks }]));
}

function changeTable(caption: string, changes: readonly FleetChange[], { day }: ShownFleet): PageBlock {
  return table(caption, {
    columns: [l10n.t('When'), l10n.t('Host'), l10n.t('Old key'), l10n.t('New key'), l10n.t('By')],
    rows: changes.map(({ at, name, oldKey, newKey, actor, reason }) =>
      row([
        [[day(at)]],
        [[{ code: showUntrusted(name) }]],
        [[{ code: oldKey }]],
        [newKey === undefined ? [{ quiet: l10n.t('none') }] : [{ code: newKey }]],
        [
          [actor === 'person' ? l10n.t('a person') : l10n.t('the server')],
          ...(reason === undefined ? [] : [[{ quiet: showUntrusted(reason) }]]),
        ],
      ]),
    ),
  });
}

function problemSections(shown: ShownFleet): readonly PageSection[] {
  const { problems } = shown.reading.trust;
  if (problems.length === 0) return [];
  const title = l10n.t('Lines that are not used');
  const rows = problems.map(({ source, line, message }) =>
    row([
      [line === undefined ? [{ badge: 'Termind', tone: 'plain' }] : [linkTo({ path: source, line }, shown)]],
      [[showUntrusted(message)]],
    ]),
  );
  return [{ title, blocks: [table(title, { columns: [l10n.t('Line'), l10n.t('Why')], rows })] }];
}

function fileSections(shown: ShownFleet): readonly PageSection[] {
  const { files } = shown.reading;
  if (files.length === 0) return [];
  const rows = files.map(({ path, keys, isUnreadable }) => ({
    name: shown.shorten(path),
    lines: [
      isUnreadable
        ? [{ badge: l10n.t('cannot be read'), tone: 'bad' } as const]
        : [l10n.t('{0} key(s)', keys), linkTo({ path, line: 1 }, shown)],
    ],
  }));
  return [{ title: l10n.t('Files'), blocks: [{ k: 'facts', rows }] }];
}

/** Keys of listed hosts first. */
function byHost(a: FleetKey, b: FleetKey): number {
  const [first, second] = [a, b].map(({ hosts, names }) => hosts[0]?.label ?? names?.[0] ?? '');
  return (
    Number(a.hosts.length === 0) - Number(b.hosts.length === 0) || (first ?? '').localeCompare(second ?? '')
  );
}

function hostLines({ hosts }: FleetKey): readonly PageLine[] {
  return someLines(
    [...new Set(hosts.map(({ label }) => label))].map((label): PageLine => [showUntrusted(label)]),
  );
}

function nameLines({ names }: FleetKey): readonly PageLine[] {
  if (names === undefined) return [[{ quiet: l10n.t('hashed name') }]];
  return someLines(names.map((name): PageLine => [{ code: showUntrusted(name) }]));
}

function keyLines({ marker, keyType, fingerprint }: FleetKey): readonly PageLine[] {
  const key: readonly PageLine[] = [[keyType], [{ code: fingerprint }]];
  return marker === 'revoked' ? [[{ badge: l10n.t('revoked'), tone: 'bad' }], ...key] : key;
}

function placeLines(place: FleetPlace, shown: ShownFleet): readonly PageLine[] {
  if (place.k === 'file') return [[linkTo(place, shown)]];
  return [
    [{ badge: 'Termind', tone: 'plain' }],
    [originTexts[place.origin]?.() ?? showUntrusted(place.origin)],
  ];
}

/** By the origin of a row of the store. */
const originTexts: Readonly<Record<string, () => string>> = {
  asked: () => l10n.t('accepted when asked'),
  'accept-new': () => l10n.t('accepted as new without a question'),
  imported: () => l10n.t('imported'),
  replaced: () => l10n.t('put in the place of another key'),
  rotation: () => l10n.t('learned from the server'),
  trusted: () => l10n.t('trusted by a person'),
};

function ageLines(place: FleetPlace, { day }: ShownFleet): readonly PageLine[] {
  if (place.k === 'file') return [[{ quiet: l10n.t('not recorded') }]];
  return [
    [l10n.t('since {0}', day(place.addedAt))],
    [
      {
        quiet:
          place.lastUsedAt === undefined
            ? l10n.t('not seen since')
            : l10n.t('seen {0}', day(place.lastUsedAt)),
      },
    ],
  ];
}

function linkTo(at: { readonly path: string; readonly line: number }, { shorten }: ShownFleet): PageText {
  return { linkText: `${shorten(at.path)}:${String(at.line)}`, action: openLineAction.of(at) };
}

function someLines(lines: readonly PageLine[]): readonly PageLine[] {
  if (lines.length <= mostNames) return lines;
  return [...lines.slice(0, mostNames), [{ quiet: l10n.t('and {0} more', lines.length - mostNames) }]];
}

function row(cells: PageRow['cells']): PageRow {
  return { cells };
}

function table(
  caption: string,
  {
    rows,
    ...rest
  }: { readonly columns: readonly string[]; readonly rows: readonly PageRow[]; readonly filter?: string },
): PageBlock {
  return { k: 'table', caption, ...rest, rows: rows.slice(0, mostRows) };
}
