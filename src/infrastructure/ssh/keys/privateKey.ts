import crypto, { type KeyObject } from 'node:crypto';
import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import { strengthOf } from '../../../domain/keys/keyStrength.ts';
import { encodePrivateKey, wipeParts, type PrivateKeyParts } from '../../../domain/keys/privateKeyParts.ts';
import type { PublicKey } from '../../../domain/keys/publicKey.ts';
import { publicKeyOf } from './publicKeyObject.ts';
import { algorithmsOf, signBlob } from './signature.ts';
import { isSignatureBy } from './verifySignature.ts';

/** A private key that has proved to fit its public half. Its secret numbers are inside the run time's crypto only. */
export interface PrivateKey {
  readonly publicKey: PublicKey;
  /** From outside, possibly empty. */
  readonly comment: string;
  /** A certificate that the container carried along; PuTTY's can. */
  readonly certificate: Uint8Array | undefined;
  /** An RSA key that is shorter than it should be. */
  readonly isWeak: boolean;
  /**
   * A whole signature blob, its algorithm name included. `algorithm` is `rsa-sha2-512`, `rsa-sha2-256` or, where somebody asked for SHA-1,
   * `ssh-rsa` for RSA keys, and the key's own type for others; rejects with a RangeError for any other.
   */
  sign(algorithm: string, data: Uint8Array): Promise<Uint8Array>;
}

export interface KeyMaterial {
  readonly key: KeyObject;
  /** The public half that the container states; undefined where it is taken from the private one. */
  readonly stated: PublicKey | undefined;
  readonly comment: string;
  readonly certificate?: Uint8Array | undefined;
}

/**
 * Makes the one form in which keys leave the loader. Rejects with `KeyUnusable`: `dsa`, `unsupported`, `rsa-too-short`, or `damaged`
 * when a signature by the private half does not verify under the public one.
 */
export async function provenPrivateKey(material: KeyMaterial): Promise<PrivateKey> {
  const { key, comment } = material;
  const publicKey = material.stated ?? publicHalfOf(key);
  const strength = strengthOf(publicKey);
  if (strength === 'refused') throw new KeyUnusable('rsa-too-short');
  const [algorithm = ''] = algorithmsOf(publicKey.keyType);
  const probe = Buffer.from('termind: does this key fit its public half?');
  if (!isSignatureBy(publicKey, probe, await signBlob(key, probe, algorithm)))
    throw new KeyUnusable('damaged');
  return {
    ...{ publicKey, comment, certificate: material.certificate },
    isWeak: strength === 'weak',
    sign: async (asked, data) => {
      if (!algorithmsOf(publicKey.keyType).includes(asked))
        throw new RangeError(`a key of type ${publicKey.keyType} cannot sign with ${asked}`);
      return signBlob(key, data, asked);
    },
  };
}

/** Takes over the secret numbers, which are wiped. Throws `KeyUnusable` with `damaged` when they are none of a key. */
export function importParts(publicKey: PublicKey, secret: PrivateKeyParts): KeyObject {
  try {
    const { der, type } = encodePrivateKey(publicKey.parts, secret);
    return importDer(der, type);
  } catch (error) {
    if (error instanceof RangeError) throw new KeyUnusable('damaged');
    throw error;
  } finally {
    wipeParts(secret);
  }
}

/** Takes over the encoding, which is wiped. Throws `KeyUnusable` with `damaged` when the run time does not take it. */
export function importDer(der: Buffer, type: 'pkcs1' | 'sec1' | 'pkcs8'): KeyObject {
  try {
    return crypto.createPrivateKey({ key: der, format: 'der', type });
  } catch {
    throw new KeyUnusable('damaged');
  } finally {
    der.fill(0);
  }
}

function publicHalfOf(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType === 'dsa') throw new KeyUnusable('dsa');
  const publicKey = ['rsa', 'ec', 'ed25519'].includes(key.asymmetricKeyType ?? '')
    ? publicKeyOf(key)
    : undefined;
  if (publicKey === undefined) throw new KeyUnusable('unsupported', 'keys of this kind are not used for SSH');
  return publicKey;
}
