import { asciiLower } from './asciiCase.ts';
import { readCNumber } from './scalars.ts';

/** 4 or 16 bytes. */
type Address = readonly number[];

/** Four decimal parts: canonical already. */
const dotted = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

/**
 * Numeric addresses in the form that `ssh` prints: `127.1` is `127.0.0.1`, `::0001` is `::1`. Undefined for anything else, for an address
 * with a zone, and for one that is not of the wanted family. Source: OpenSSH `resolve_addr`; inet_aton(3), inet_ntop(3).
 */
export function canonicalAddress(name: string, family = 'any'): string | undefined {
  if (!/^\d|:/.test(name)) return undefined;
  if (dotted.test(name)) return family === 'inet6' ? undefined : name;
  const address = name.includes(':') ? parseIpv6(name) : parseIpv4Loose(name);
  if (address === undefined || family === (address.length === 4 ? 'inet6' : 'inet')) return undefined;
  const canonical = address.length === 4 ? address.join('.') : formatIpv6(address);
  // OpenSSH keeps the spelling where only the case of letters differs.
  return asciiLower(name) === canonical ? name : canonical;
}

/** Whether OpenSSH takes a name for an address without looking further. Source: OpenSSH `is_addr_fast`. */
export function looksLikeAddress(name: string): boolean {
  return /[%:]/.test(name) || /^[\d.]*$/.test(name);
}

/** Whether one of the addresses lies in one of the networks, a comma list of `address/bits`. Source: OpenSSH `addr_match_cidr_list`. */
export function isInNetworks(addresses: readonly string[], networks: string): boolean {
  return networks.split(',').some((network) => {
    const [base = '', bits] = network.split('/');
    const first = parseStrict(base);
    if (first === undefined) return false;
    const length = bits === undefined ? first.length * 8 : Number(bits);
    if (!Number.isInteger(length) || length < 0 || length > first.length * 8) return false;
    return addresses.some((text) => {
      const address = parseStrict(text);
      return address?.length === first.length && prefixOf(address, length) === prefixOf(first, length);
    });
  });
}

function prefixOf(address: Address, bits: number): string {
  return address
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .slice(0, bits);
}

function parseStrict(text: string): Address | undefined {
  if (text.includes(':')) return parseIpv6(text);
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) ? parseIpv4Loose(text) : undefined;
}

/** One to four parts, each decimal, octal or hexadecimal; the last one fills what is left. */
function parseIpv4Loose(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const numbers = parts.map((part) => readCNumber(part) ?? NaN);
  const last = numbers.pop() ?? NaN;
  if (numbers.some((part) => !(part <= 255)) || !(last < 256 ** (4 - numbers.length))) return undefined;
  const rest = Array.from(
    { length: 4 - numbers.length },
    (_, index) => Math.floor(last / 256 ** (3 - numbers.length - index)) % 256,
  );
  return [...numbers, ...rest];
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] ?? '');
  const tail = groupsOf(halves[1] ?? '');
  if (head === undefined || tail === undefined) return undefined;
  const groups = [...head, ...tail];
  if (halves.length === 1 ? groups.length !== 8 : groups.length > 7) return undefined;
  const filled = [...head, ...Array.from({ length: 8 - groups.length }, () => 0), ...tail];
  return filled.flatMap((group) => [group >> 8, group & 255]);
}

/** Undefined when a group is malformed. The last one may be an IPv4 address, which is two groups. */
function groupsOf(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1 && part.includes('.')) {
      const [a, b, c, d] = parseStrict(part) ?? [];
      if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function formatIpv6(address: Address): string {
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0),
  );
  const zeros = longestZeros(groups);
  const isMapped = zeros.start === 0 && (zeros.length === 6 || (zeros.length === 5 && groups[5] === 0xffff));
  const words = isMapped
    ? [...groups.slice(0, 6).map((group) => group.toString(16)), address.slice(12).join('.')]
    : groups.map((group) => group.toString(16));
  if (zeros.length < 2) return words.join(':');
  return `${words.slice(0, zeros.start).join(':')}::${words.slice(zeros.start + zeros.length).join(':')}`;
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: -1, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
