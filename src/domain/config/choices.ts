import { understands, type Release } from './release.ts';
import { readCNumber, readInteger } from './scalars.ts';

/** Words a keyword takes, and how `ssh -G` prints each. Compared without case. Source: OpenSSH `multistate` tables. */
type Choice = ReadonlyMap<string, string>;

const choice = (...groups: readonly string[]): Choice =>
  new Map(
    groups.flatMap((group) => {
      const [printed = '', ...others] = group.split(' ');
      return [printed, ...others].map((word) => [word.toLowerCase(), printed] as const);
    }),
  );

const trueFalse = ['true yes', 'false no'] as const;
const trueFalseAsk = choice(...trueFalse, 'ask');
export const flagChoice = choice('yes true', 'no false');

const choices: ReadonlyMap<string, Choice> = new Map([
  ['addressfamily', choice('inet', 'inet6', 'any')],
  ['canonicalizehostname', choice(...trueFalse, 'always')],
  ['compression', choice('yes', 'no')],
  ['controlmaster', choice(...trueFalse, 'auto', 'ask', 'autoask')],
  ['fingerprinthash', choice('MD5', 'SHA1', 'SHA256', 'SHA384', 'SHA512')],
  [
    'loglevel',
    choice('SILENT QUIET', 'FATAL', 'ERROR', 'INFO', 'VERBOSE', 'DEBUG DEBUG1', 'DEBUG2', 'DEBUG3'),
  ],
  ['pubkeyauthentication', choice(...trueFalse, 'unbound', 'host-bound')],
  ['requesttty', choice(...trueFalse, 'force', 'auto')],
  ['sessiontype', choice('none', 'subsystem', 'default')],
  ['stricthostkeychecking', choice('true yes', 'false no off', 'ask', 'accept-new')],
  [
    'syslogfacility',
    choice(
      ...['DAEMON', 'USER', 'AUTH', 'AUTHPRIV', 'LOCAL0', 'LOCAL1', 'LOCAL2', 'LOCAL3'],
      ...['LOCAL4', 'LOCAL5', 'LOCAL6', 'LOCAL7'],
    ),
  ],
  ['tunnel', choice('ethernet', 'point-to-point true yes', 'false no')],
  ['updatehostkeys', trueFalseAsk],
  ['verifyhostkeydns', trueFalseAsk],
  ['warnweakcrypto', choice('yes true', 'no false no-pq-kex')],
]);

/** Undefined for a keyword that takes no fixed words. */
export function choiceOf(keyword: string): Choice | undefined {
  return choices.get(keyword);
}

/** The first name of each code point is the one that is printed. Source: OpenSSH `ipqos` table; RFC 2474, RFC 8622. */
const codePoints: readonly (readonly [name: string, value: number])[] = [
  ...[1, 2, 3, 4].flatMap((level) =>
    [1, 2, 3].map((drop) => [`af${String(level)}${String(drop)}`, level * 32 + drop * 8] as const),
  ),
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((level) => [`cs${String(level)}`, level * 32] as const),
  ['ef', 0xb8],
  ['le', 0x04],
  ['lowdelay', 0x10],
  ['throughput', 0x08],
  ['reliability', 0x04],
];

/** Since this release numbers are decimal; before, a leading 0 made them octal and 0x hexadecimal. */
const decimalSince = 908;
/** Since this release words of the time before code points mean the system's default. */
const withoutOldWordsSince = 1000;
const oldWords: ReadonlySet<string> = new Set(['lowdelay', 'throughput', 'reliability']);

/** A quality-of-service word as `ssh -G` prints it; undefined when it is none. */
export function readQos(word: string, release: Release): string | undefined {
  const lower = word.toLowerCase();
  if (lower === 'none') return lower;
  if (oldWords.has(lower) && understands(release, withoutOldWordsSince)) return 'none';
  const value =
    codePoints.find(([name]) => name === lower)?.[1] ??
    (understands(release, decimalSince) ? readInteger(lower, 0, 255) : readCNumber(lower));
  if (value === undefined || value > 255) return undefined;
  return codePoints.find(([, known]) => known === value)?.[0] ?? `0x${value.toString(16).padStart(2, '0')}`;
}
