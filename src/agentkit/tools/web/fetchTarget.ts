import { isIP } from 'node:net';
import { judgeAddress, stricter, type AddressClass, type JudgedAddress } from './addressClass.ts';
import { WebError } from './webError.ts';
import type { NamesPort } from './webPorts.ts';

/** A URL whose addresses are known and judged; none of them is refused. */
export interface FetchTarget {
  /** Normalised, without fragment. */
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Name or literal, without brackets. */
  readonly host: string;
  readonly addresses: readonly JudgedAddress[];
  readonly class: Exclude<AddressClass, 'refused'>;
}

/**
 * Parses, against `base` where there is one, as browsers do, so that every spelling of an address becomes the one that is judged.
 * Throws `WebError` `urlRefused`.
 */
export function parseFetchUrl(text: string, base?: string): URL {
  const url = URL.parse(text, base);
  if (url === null) throw new WebError('urlRefused', { reason: 'it cannot be read' });
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebError('urlRefused', { reason: 'only http and https are fetched' });
  if (url.username !== '' || url.password !== '')
    throw new WebError('urlRefused', { reason: 'it names a user; send a header instead' });
  url.hash = '';
  return url;
}

/**
 * Resolves the name anew and judges every address of it: one restricted address makes the target restricted, one refused address
 * refuses it. Rejects with `WebError` `addressRefused` or `nameUnknown`, or the signal's reason. Source: section 19.
 */
export async function findTarget(url: URL, names: NamesPort, signal: AbortSignal): Promise<FetchTarget> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const literals = isIP(host) === 0 ? await names.resolve(host, signal) : [host];
  const addresses = literals.map((literal) => {
    const judged = judgeAddress(literal);
    if (judged === undefined) throw new WebError('nameUnknown', { host });
    return judged;
  });
  if (addresses.length === 0) throw new WebError('nameUnknown', { host });
  const refused = addresses.find((address) => address.class === 'refused');
  if (refused !== undefined)
    throw new WebError('addressRefused', { host, address: refused.address, range: refused.range });
  const strictest = addresses.reduce<AddressClass>((worst, one) => stricter(worst, one.class), 'public');
  const { href, origin } = url;
  return { url: href, origin, host, addresses, class: strictest === 'public' ? 'public' : 'restricted' };
}

/** The addresses of a target that need a decision. */
export function restrictedAddresses(target: FetchTarget): readonly JudgedAddress[] {
  return target.addresses.filter((address) => address.class !== 'public');
}
