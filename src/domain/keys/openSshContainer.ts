import { KeyUnusable } from './keyProblem.ts';
import type { PrivateKeyParts } from './privateKeyParts.ts';
import { isPlainKeyType, readKeyParts, type PlainKeyType, type PublicKeyParts } from './publicKey.ts';
import { WireReader } from './wire.ts';

/** OpenSSH's own container with everything that needs no passphrase. Source: PROTOCOL.key. */
export interface OpenSshContainer {
  /** `none`, `aes256-ctr` and so on. */
  readonly cipher: string;
  /** Undefined where nothing is encrypted. */
  readonly kdf: { readonly salt: Buffer; readonly rounds: number } | undefined;
  readonly publicBlob: Buffer;
  /** The section with the private half, encrypted unless `cipher` is `none`. */
  readonly section: Buffer;
  /** What follows the section: the tag of ciphers that authenticate. */
  readonly tag: Buffer;
}

/** What the decrypted section holds. The secret part is the reader's to wipe. */
export interface OpenSshSection {
  readonly keyType: PlainKeyType;
  readonly open: PublicKeyParts;
  readonly secret: PrivateKeyParts;
  readonly comment: string;
}

const magic = 'openssh-key-v1\0';

/** Throws `KeyUnusable` with `unsupported`, or a RangeError when the container is damaged. */
export function readOpenSshContainer(bytes: Buffer): OpenSshContainer {
  if (bytes.toString('latin1', 0, magic.length) !== magic) throw new RangeError('the magic is missing');
  const reader = new WireReader(bytes.subarray(magic.length));
  const cipher = reader.text();
  const kdfName = reader.text();
  const kdfOptions = new WireReader(reader.string());
  if (reader.uint32() !== 1) throw new KeyUnusable('unsupported', 'the file holds more than one key');
  const publicBlob = reader.string();
  const section = reader.string();
  const tag = reader.rest();
  if (kdfName === 'none') {
    if (cipher !== 'none' || !kdfOptions.isAtEnd || tag.length > 0) throw new RangeError('fields disagree');
    return { cipher, kdf: undefined, publicBlob, section, tag };
  }
  if (kdfName !== 'bcrypt')
    throw new KeyUnusable('unsupported', 'the key derivation of the file is not supported');
  const kdf = { salt: kdfOptions.string(), rounds: kdfOptions.uint32() };
  if (cipher === 'none' || kdf.salt.length === 0 || kdf.rounds === 0 || !kdfOptions.isAtEnd)
    throw new RangeError('fields disagree');
  return { cipher, kdf, publicBlob, section, tag };
}

/**
 * Reads the decrypted section. Throws `KeyUnusable` with `security-key`, `damaged`, or `wrong-passphrase` when the numbers that tell
 * a right decryption differ.
 */
export function readOpenSshSection({ kdf }: OpenSshContainer, section: Buffer): OpenSshSection {
  try {
    const reader = new WireReader(section);
    if (reader.uint32() !== reader.uint32())
      throw new KeyUnusable(kdf === undefined ? 'damaged' : 'wrong-passphrase');
    const keyType = reader.text();
    if (!isPlainKeyType(keyType)) throw new RangeError('the type of the key is unknown');
    const { open, secret } = readHalves(reader, keyType);
    const comment = reader.string().toString('utf8');
    const padding = reader.rest();
    if (padding.some((byte, i) => byte !== ((i + 1) & 0xff))) throw new RangeError('the padding is wrong');
    return { keyType, open, secret, comment };
  } catch (error) {
    if (error instanceof RangeError) throw new KeyUnusable('damaged');
    throw error;
  }
}

function readHalves(
  reader: WireReader,
  keyType: PlainKeyType,
): { readonly open: PublicKeyParts; readonly secret: PrivateKeyParts } {
  switch (keyType) {
    case 'ssh-rsa': {
      const modulus = reader.positiveInteger();
      const exponent = reader.positiveInteger();
      const privateExponent = reader.positiveInteger();
      const coefficient = reader.positiveInteger();
      const p = reader.positiveInteger();
      const q = reader.positiveInteger();
      const secret = { kind: 'rsa', privateExponent, p, q, coefficient } as const;
      return { open: { kind: 'rsa', exponent, modulus }, secret };
    }
    case 'ssh-ed25519': {
      const open = readKeyParts(reader, keyType);
      const both = reader.string();
      // The seed, then the public half once more.
      const isWhole = both.length === 64 && open.kind === 'ed25519' && both.subarray(32).equals(open.point);
      if (!isWhole) throw new RangeError('the halves differ');
      return { open, secret: { kind: 'ed25519', seed: both.subarray(0, 32) } };
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const open = readKeyParts(reader, keyType);
      return { open, secret: { kind: 'ecdsa', scalar: reader.positiveInteger() } };
    }
    case 'sk-ssh-ed25519@openssh.com':
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      throw new KeyUnusable('security-key');
  }
}
