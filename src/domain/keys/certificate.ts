import { parsePublicKey, plainKeyTypes, publicKeyBlob, readKeyParts, type PublicKey } from './publicKey.ts';
import { WireReader } from './wire.ts';

/** One critical option or extension. Most carry nothing or one string; `value` is that string, undefined where it is not exactly one. */
export interface CertificateOption {
  readonly name: string;
  readonly data: Uint8Array;
  readonly value: string | undefined;
}

/**
 * An OpenSSH certificate whose fields are well formed. Nothing in it has been verified: whether its authority really signed it is for
 * `verifyCertificate`, whether its time has come for {@link certificateTime}. Texts are from outside and not fit to be shown as they
 * are. Source: PROTOCOL.certkeys.
 */
export interface Certificate {
  /** The whole certificate as it goes over the wire. */
  readonly blob: Uint8Array;
  /** The type name inside the blob, `ssh-ed25519-cert-v01@openssh.com` and so on. */
  readonly certificateType: string;
  readonly role: 'user' | 'host';
  readonly serial: bigint;
  readonly keyId: string;
  /** Empty when the authority named none; OpenSSH takes such a user certificate for nobody. */
  readonly principals: readonly string[];
  /** Seconds since 1970, the first at which it is valid; 0 is "always". */
  readonly validAfter: bigint;
  /** Seconds since 1970, the first at which it is not valid any more; {@link forever} never comes. */
  readonly validBefore: bigint;
  readonly criticalOptions: readonly CertificateOption[];
  readonly extensions: readonly CertificateOption[];
  /** The plain key that is certified. */
  readonly key: PublicKey;
  /** The plain key of the authority. */
  readonly authority: PublicKey;
  /** The algorithm that the authority names in its signature, `rsa-sha2-512` and so on. */
  readonly signatureAlgorithm: string;
  /** The authority's whole signature blob. */
  readonly signature: Uint8Array;
  /** What the authority signed. */
  readonly signedBytes: Uint8Array;
}

/** Why something is not read as a certificate. */
export type CertificateProblem =
  /** Not a certificate of a type in {@link certificateTypes}. */
  | 'not-a-certificate'
  /** Cut off, a field that is not well formed, or bytes after the end. */
  | 'damaged'
  /** Neither user nor host. */
  | 'unknown-role'
  /** The authority is a certificate itself or a key of a kind that we do not read, DSA among them. */
  | 'unknown-authority';

export type ParsedCertificate =
  | { readonly k: 'certificate'; readonly certificate: Certificate }
  | { readonly k: 'unreadable'; readonly problem: CertificateProblem };

/** "Never expires". */
export const forever = 0xffff_ffff_ffff_ffffn;

const suffix = '-cert-v01@openssh.com';

/** The type name of a certificate for a plain key type: `sk-ssh-ed25519@openssh.com` becomes `sk-ssh-ed25519-cert-v01@openssh.com`. */
export function certificateTypeOf(keyType: string): string {
  return `${keyType.replace(/@openssh\.com$/, '')}${suffix}`;
}

/** Every certificate type that we read. */
export const certificateTypes: readonly string[] = plainKeyTypes.map(certificateTypeOf);

/** OpenSSH reads no certificate with more. */
const maxPrincipals = 256;
const roles: Readonly<Record<number, Certificate['role']>> = { 1: 'user', 2: 'host' };

/** Reads a certificate to its last byte. Never throws. */
export function parseCertificate(blob: Uint8Array): ParsedCertificate {
  const unreadable = (problem: CertificateProblem): ParsedCertificate => ({ k: 'unreadable', problem });
  try {
    const reader = new WireReader(blob);
    const certificateType = reader.text();
    const keyType = plainKeyTypes.find((plain) => certificateTypeOf(plain) === certificateType);
    if (keyType === undefined) return unreadable('not-a-certificate');
    reader.string(); // the nonce, which only makes what is signed unpredictable
    const parts = readKeyParts(reader, keyType);
    const serial = reader.uint64();
    const role = roles[reader.uint32()];
    const keyId = reader.text();
    const principals = readPrincipals(reader.string());
    const validAfter = reader.uint64();
    const validBefore = reader.uint64();
    const criticalOptions = readOptions(reader.string());
    const extensions = readOptions(reader.string());
    reader.string(); // reserved
    const authority = parsePublicKey(reader.string());
    const signedBytes = blob.slice(0, reader.position);
    const signature = reader.string();
    const signatureAlgorithm = new WireReader(signature).text();
    const key = parsePublicKey(publicKeyBlob(keyType, parts));
    if (!reader.isAtEnd || key === undefined) return unreadable('damaged');
    if (role === undefined) return unreadable('unknown-role');
    if (authority === undefined) return unreadable('unknown-authority');
    return {
      k: 'certificate',
      certificate: {
        ...{ blob, certificateType, role, serial, keyId, principals, validAfter, validBefore },
        ...{ criticalOptions, extensions, key, authority, signatureAlgorithm, signature, signedBytes },
      },
    };
  } catch (error) {
    if (error instanceof RangeError) return unreadable(isNamed(blob) ? 'damaged' : 'not-a-certificate');
    throw error;
  }
}

/** Where a moment, in seconds since 1970, lies relative to the window of a certificate. */
export function certificateTime(
  { validAfter, validBefore }: Pick<Certificate, 'validAfter' | 'validBefore'>,
  nowSeconds: bigint,
): 'valid' | 'not-yet-valid' | 'expired' {
  if (nowSeconds < validAfter) return 'not-yet-valid';
  return nowSeconds < validBefore ? 'valid' : 'expired';
}

function isNamed(blob: Uint8Array): boolean {
  const head = Buffer.from(blob.subarray(4, 68)).toString('latin1');
  return certificateTypes.some((name) => head.startsWith(name));
}

function readPrincipals(packed: Uint8Array): readonly string[] {
  const reader = new WireReader(packed);
  const principals: string[] = [];
  while (!reader.isAtEnd) {
    if (principals.length === maxPrincipals) throw new RangeError('there are too many principals');
    principals.push(reader.text());
  }
  return principals;
}

function readOptions(packed: Uint8Array): readonly CertificateOption[] {
  const reader = new WireReader(packed);
  const options: CertificateOption[] = [];
  while (!reader.isAtEnd) {
    const name = reader.text();
    const data = reader.string();
    options.push({ name, data, value: onlyString(data) });
  }
  return options;
}

function onlyString(data: Uint8Array): string | undefined {
  try {
    const reader = new WireReader(data);
    const value = reader.text();
    return reader.isAtEnd ? value : undefined;
  } catch {
    return undefined;
  }
}
