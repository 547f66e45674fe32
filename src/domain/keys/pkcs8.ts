import { DerReader, derTag } from './der.ts';
import { KeyUnusable } from './keyProblem.ts';
import { ed25519Identifier } from './privateKeyParts.ts';

/** How an encrypted PKCS#8 key is opened. */
export type Pkcs8Encryption =
  | {
      readonly k: 'pbes2';
      readonly derivation: Pbkdf2Parameters | ScryptParameters;
      readonly cipher: { readonly name: string; readonly keyBytes: number; readonly iv: Buffer };
      readonly encrypted: Buffer;
    }
  /** The older scheme of PKCS#12, which the run time opens itself. */
  | { readonly k: 'pkcs12'; readonly iterations: number };

export interface Pbkdf2Parameters {
  readonly k: 'pbkdf2';
  readonly salt: Buffer;
  readonly iterations: number;
  readonly hash: string;
}

export interface ScryptParameters {
  readonly k: 'scrypt';
  readonly salt: Buffer;
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

const pbes2 = '2a864886f70d01050d';
const pbkdf2 = '2a864886f70d01050c';
const scrypt = '2b06010401da47040b';
/** With triple DES, by SHA-1. */
const pkcs12 = ['2a864886f70d010c0103', '2a864886f70d010c0104'];

const pseudorandomFunctions: Readonly<Record<string, string>> = {
  '2a864886f70d0207': 'sha1',
  '2a864886f70d0208': 'sha224',
  '2a864886f70d0209': 'sha256',
  '2a864886f70d020a': 'sha384',
  '2a864886f70d020b': 'sha512',
};

const ciphers: Readonly<Record<string, { readonly name: string; readonly keyBytes: number }>> = {
  '608648016503040102': { name: 'aes-128-cbc', keyBytes: 16 },
  '608648016503040116': { name: 'aes-192-cbc', keyBytes: 24 },
  '60864801650304012a': { name: 'aes-256-cbc', keyBytes: 32 },
  '2a864886f70d0307': { name: 'des-ede3-cbc', keyBytes: 24 },
};

/** Throws `KeyUnusable` with `unsupported`, or a RangeError when it is damaged. Source: RFC 5958, RFC 8018 appendix A, RFC 7914. */
export function readPkcs8Encryption(der: Uint8Array): Pkcs8Encryption {
  const outer = new DerReader(der).sequence();
  const algorithm = outer.sequence();
  const encrypted = Buffer.from(outer.read(derTag.octetString));
  const scheme = algorithm.objectIdentifier();
  const parameters = algorithm.sequence();
  if (pkcs12.includes(scheme)) {
    parameters.read(derTag.octetString);
    return { k: 'pkcs12', iterations: parameters.smallInteger() };
  }
  if (scheme !== pbes2)
    throw new KeyUnusable('unsupported', 'the key is encrypted in an old way that is not supported');
  const derivation = parameters.sequence();
  const encryption = parameters.sequence();
  const cipher = ciphers[encryption.objectIdentifier()];
  if (cipher === undefined) throw new KeyUnusable('unsupported', 'the cipher of the file is not supported');
  const iv = Buffer.from(encryption.read(derTag.octetString));
  return { k: 'pbes2', derivation: readDerivation(derivation), cipher: { ...cipher, iv }, encrypted };
}

function readDerivation(derivation: DerReader): Pbkdf2Parameters | ScryptParameters {
  const name = derivation.objectIdentifier();
  const parameters = derivation.sequence();
  if (name !== pbkdf2 && name !== scrypt)
    throw new KeyUnusable('unsupported', 'the key derivation of the file is not supported');
  const salt = Buffer.from(parameters.read(derTag.octetString));
  if (name === scrypt) {
    const [cost, blockSize, parallelism] = [0, 1, 2].map(() => parameters.smallInteger());
    return { k: 'scrypt', salt, cost: cost ?? 0, blockSize: blockSize ?? 0, parallelism: parallelism ?? 0 };
  }
  const iterations = parameters.smallInteger();
  if (parameters.isNext(derTag.integer)) parameters.smallInteger(); // the length of the key, which the cipher tells too
  const hash = parameters.isAtEnd ? 'sha1' : pseudorandomFunctions[parameters.sequence().objectIdentifier()];
  if (hash === undefined)
    throw new KeyUnusable('unsupported', 'the key derivation of the file is not supported');
  return { k: 'pbkdf2', salt, iterations, hash };
}

/**
 * The seed of an ed25519 key in PKCS#8, also of the second version, which not every run time reads; undefined for other kinds. A copy,
 * the reader's to wipe. Throws a RangeError when it is damaged. Source: RFC 8410 section 7.
 */
export function ed25519SeedOf(der: Uint8Array): Buffer | undefined {
  const outer = new DerReader(der).sequence();
  outer.smallInteger();
  if (outer.sequence().objectIdentifier() !== ed25519Identifier) return undefined;
  const seed = new DerReader(outer.read(derTag.octetString)).read(derTag.octetString);
  if (seed.length !== 32) throw new RangeError('a seed has the wrong length');
  return Buffer.from(seed);
}
