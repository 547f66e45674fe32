import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Who may be asked without a decision: everybody, nobody, or nobody ever. From the least to the most strict. */
const classes = ['public', 'restricted', 'refused'] as const;
export type AddressClass = (typeof classes)[number];

export interface JudgedAddress {
  /** In its shortest usual form, without a zone. */
  readonly address: string;
  readonly class: AddressClass;
  /** What kind of address it is, in words for a card; empty when public. */
  readonly range: string;
}

/**
 * Judges one literal address as a resolver or `URL.hostname` gives it (without brackets). Public is only what is public unicast; an
 * address that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) is restricted at least, and refused where the inner one
 * is. Undefined for what is no address. Source: agent runtime contract, section 19.
 */
export function judgeAddress(text: string): JudgedAddress | undefined {
  // The library also takes short and octal forms, which no resolver writes.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return undefined;
  const parsed = ipaddr.parse(text);
  if (parsed instanceof ipaddr.IPv4) return judgeFour(parsed);
  const address = new ipaddr.IPv6(parsed.parts).toString();
  const own = judgeSix(parsed);
  const inner = innerAddresses(parsed).map(judgeFour);
  const strictest = inner.reduce((worst, { class: other }) => stricter(worst, other), own.class);
  const carried = inner.map((one) => one.address).join(', ');
  return { address, class: strictest, range: carried === '' ? own.range : `${own.range} ${carried}` };
}

/** The stricter of two. */
export function stricter(a: AddressClass, b: AddressClass): AddressClass {
  return classes.indexOf(a) >= classes.indexOf(b) ? a : b;
}

/** Of the cloud Azure: answers inside of it only, and looks public. Source: Microsoft, "What is IP address 168.63.129.16?". */
const azurePlatform = '168.63.129.16';

function judgeFour(parsed: ipaddr.IPv4): JudgedAddress {
  if (parsed.toString() === azurePlatform)
    return { address: azurePlatform, class: 'restricted', range: 'the platform of a cloud, inside of it' };
  const range = parsed.range();
  return { address: parsed.toString(), class: classOf(range), range: words(range) };
}

/** IPv4 addresses in the notation of IPv6, which the library does not tell from others below `::/96`. */
const compatible: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('::'), 96];
/** All that is given out as public unicast. Source: RFC 4291, section 2.4; IANA IPv6 global unicast registry. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

function judgeSix(parsed: ipaddr.IPv6): { readonly class: AddressClass; readonly range: string } {
  const range = parsed.range();
  if (range === 'unicast' && parsed.match(compatible)) return { class: 'restricted', range: 'a form of' };
  if (range === 'unicast' && !parsed.match(globalUnicast))
    return { class: 'restricted', range: words('reserved') };
  return { class: classOf(range), range: words(range) };
}

function classOf(range: string): AddressClass {
  if (range === 'unicast') return 'public';
  return range === 'multicast' || range === 'unspecified' || range === 'broadcast' ? 'refused' : 'restricted';
}

/** Loopback and unspecified lie in `::/96` as well and carry nothing. */
function innerAddresses(parsed: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const bytes = parsed.toByteArray();
  const at = (start: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(start, start + 4));
  switch (parsed.range()) {
    case 'ipv4Mapped':
    case 'rfc6145':
    case 'rfc6052':
      return [at(12)];
    case '6to4':
      return [at(2)];
    case 'teredo':
      // The server, then the client with its bits turned over (RFC 4380, section 4).
      return [at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))];
    case 'unicast':
      return parsed.match(compatible) ? [at(12)] : [];
    default:
      return [];
  }
}

const rangeWords: Readonly<Record<string, string>> = {
  unicast: '',
  loopback: 'this machine itself',
  private: 'a private network',
  uniqueLocal: 'a private network',
  linkLocal: 'the local link, where cloud metadata is',
  deprecatedSiteLocal: 'a private network',
  carrierGradeNat: "a carrier's internal network",
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  unspecified: 'an unspecified address',
  ipv4Mapped: 'a form of',
  rfc6145: 'a form of',
  rfc6052: 'a translation (NAT64) of',
  '6to4': 'a tunnel (6to4) to',
  teredo: 'a tunnel (Teredo) to',
  benchmarking: 'a benchmarking range',
};

function words(range: string): string {
  return rangeWords[range] ?? 'a range for special use';
}
