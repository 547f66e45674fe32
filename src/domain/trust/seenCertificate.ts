import type { Certificate } from '../keys/certificate.ts';
import type { FleetHost } from './fleetTrust.ts';
import { fingerprintOf } from './hostKey.ts';
import { searchedName, storedPlaceOf, type TrustName } from './trustRecord.ts';

/** The certificate by which a host was accepted last. Times are milliseconds UTC. Source: ssh.md 3.5. */
export interface SeenCertificate {
  /** As `storedPlaceOf` gives them. */
  readonly name: string;
  readonly port: number;
  /** Of the key that is certified. */
  readonly keyType: string;
  /** Decimal. */
  readonly serial: string;
  /** What the authority calls it. */
  readonly keyId: string;
  readonly principals: readonly string[];
  /** Undefined when it has always been valid. */
  readonly validFrom: number | undefined;
  /** The first moment at which it is not valid any more; undefined when that never comes. */
  readonly validUntil: number | undefined;
  /** The fingerprint of the authority's key, `SHA256:…`. */
  readonly authority: string;
  readonly seenAt: number;
}

/** What is kept of a certificate that was accepted. */
export function seenCertificate(
  { key, serial, keyId, principals, validAfter, validBefore, authority }: Certificate,
  { trust, at }: { readonly trust: TrustName; readonly at: number },
): SeenCertificate {
  return {
    ...storedPlaceOf(trust),
    keyType: key.keyType,
    serial: serial.toString(),
    keyId,
    principals,
    validFrom: validAfter === 0n ? undefined : momentOf(validAfter),
    validUntil: momentOf(validBefore),
    authority: fingerprintOf(authority.blob),
    seenAt: at,
  };
}

/** The last moment that a date can name, in seconds since 1970. Source: ECMA-262, time values. */
const lastSecond = 8_640_000_000_000n;

/** Milliseconds of a time in seconds; undefined when no date can name it. */
function momentOf(seconds: bigint): number | undefined {
  return seconds > lastSecond ? undefined : Number(seconds) * 1_000;
}

/** A certificate with what people want to know about it. */
export interface FleetCertificate extends SeenCertificate {
  /** Labels of the listed hosts with its trust name; without one the name itself. */
  readonly machines: readonly string[];
  readonly expiry: 'valid' | 'soon' | 'expired';
}

/** When a renewal that has not happened yet deserves a look. */
const soonMs = 7 * 86_400_000;

/** Certificates for people, the one that ends first at the top. */
export function fleetCertificates(
  certificates: readonly SeenCertificate[],
  { hosts, now }: { readonly hosts: readonly FleetHost[]; readonly now: number },
): readonly FleetCertificate[] {
  return certificates
    .map((certificate) => ({
      ...certificate,
      machines: machinesOf(certificate, hosts),
      expiry: expiryOf(certificate, now),
    }))
    .sort((a, b) => (a.validUntil ?? Infinity) - (b.validUntil ?? Infinity) || (a.name < b.name ? -1 : 1));
}

function machinesOf({ name, port }: SeenCertificate, hosts: readonly FleetHost[]): readonly string[] {
  const labels = hosts
    .filter(({ trust }) => {
      const place = storedPlaceOf(trust);
      return place.name === name && place.port === port;
    })
    .map(({ label }) => label);
  return labels.length > 0 ? labels : [searchedName({ name, port, isAlias: false })];
}

function expiryOf({ validUntil }: SeenCertificate, now: number): FleetCertificate['expiry'] {
  if (validUntil === undefined || validUntil > now + soonMs) return 'valid';
  return validUntil > now ? 'soon' : 'expired';
}
