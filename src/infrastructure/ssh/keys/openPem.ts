import crypto, { type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { DerReader, derTag } from '../../../domain/keys/der.ts';
import type { KeyContainer } from '../../../domain/keys/keyContainer.ts';
import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import type { PemBlock } from '../../../domain/keys/pem.ts';
import {
  ed25519SeedOf,
  readPkcs8Encryption,
  type Pkcs8Encryption,
  type ScryptParameters,
} from '../../../domain/keys/pkcs8.ts';
import { encodePrivateKey } from '../../../domain/keys/privateKeyParts.ts';
import { importDer } from './privateKey.ts';

/** Several seconds of one core; tools write 2,048 to 600,000. */
const maxIterations = 10_000_000;
/** These run on the calling thread. */
const maxPkcs12Iterations = 10_000;
const maxScryptBytes = 1024 * 1024 * 1024;

/** Opens a key in PEM. Rejects with `KeyUnusable`. Source: ssh.md 2.4. */
export async function openPem(
  { form, block }: KeyContainer & { readonly k: 'pem' },
  passphrase: Buffer,
): Promise<KeyObject> {
  if (form === 'encrypted-pkcs8') return openPkcs8(block.bytes, passphrase);
  const der = block.encryption === undefined ? Buffer.from(block.bytes) : decryptBlock(block, passphrase);
  return importPem(der, form);
}

async function openPkcs8(der: Buffer, passphrase: Buffer): Promise<KeyObject> {
  const encryption = readPkcs8Encryption(der);
  if (encryption.k === 'pbes2') return importPem(await decryptPbes2(encryption, passphrase), 'pkcs8');
  if (encryption.iterations > maxPkcs12Iterations) throw new KeyUnusable('too-costly');
  try {
    return crypto.createPrivateKey({ key: der, format: 'der', type: 'pkcs8', passphrase });
  } catch {
    throw new KeyUnusable('wrong-passphrase-or-damaged');
  }
}

function importPem(der: Buffer, form: 'pkcs1' | 'sec1' | 'pkcs8'): KeyObject {
  const seed = form === 'pkcs8' ? ed25519SeedOf(der) : undefined;
  if (seed === undefined) return importDer(der, form);
  der.fill(0);
  const point = Buffer.alloc(32); // does not matter: this form carries the seed only
  const encoded = encodePrivateKey(
    { kind: 'ed25519', point, application: undefined },
    { kind: 'ed25519', seed },
  );
  seed.fill(0);
  return importDer(encoded.der, encoded.type);
}

/** The form that OpenSSL wrote before PKCS#8. Source: EVP_BytesToKey(3), PEM_read_bio_PrivateKey(3). */
function decryptBlock({ bytes, encryption }: PemBlock, passphrase: Buffer): Buffer {
  const { cipher, iv } = encryption ?? { cipher: '', iv: Buffer.alloc(0) };
  const info = crypto.getCipherInfo(cipher.toLowerCase());
  if (info?.mode !== 'cbc') throw new KeyUnusable('unsupported', 'the cipher of the file is not supported');
  const key = stretched(passphrase, iv.subarray(0, 8), info.keyLength);
  return decryptCbc(info.name, { key, iv }, bytes);
}

function stretched(passphrase: Buffer, salt: Buffer, keyBytes: number): Buffer {
  let key = Buffer.alloc(0);
  let last = Buffer.alloc(0);
  while (key.length < keyBytes) {
    last = crypto.createHash('md5').update(last).update(passphrase).update(salt).digest();
    key = Buffer.concat([key, last]);
  }
  return key.subarray(0, keyBytes);
}

async function decryptPbes2(
  { derivation, cipher, encrypted }: Pkcs8Encryption & { readonly k: 'pbes2' },
  passphrase: Buffer,
): Promise<Buffer> {
  const { salt } = derivation;
  if (derivation.k === 'scrypt') {
    const key = await scryptKey(derivation, { passphrase, keyBytes: cipher.keyBytes });
    return decryptCbc(cipher.name, { key, iv: cipher.iv }, encrypted);
  }
  const { iterations, hash } = derivation;
  if (iterations < 1) throw new RangeError('there are no iterations');
  if (iterations > maxIterations)
    throw new KeyUnusable('too-costly', `the file asks for ${iterations} iterations to open it`);
  const key = await promisify(crypto.pbkdf2)(passphrase, salt, iterations, cipher.keyBytes, hash);
  return decryptCbc(cipher.name, { key, iv: cipher.iv }, encrypted);
}

async function scryptKey(
  { salt, cost, blockSize, parallelism }: ScryptParameters,
  { passphrase, keyBytes }: { readonly passphrase: Buffer; readonly keyBytes: number },
): Promise<Buffer> {
  const memory = 128 * cost * blockSize;
  if (memory * parallelism > maxScryptBytes)
    throw new KeyUnusable('too-costly', 'the file asks for more than 1 GiB of memory to open it');
  return new Promise((resolve, reject) => {
    const options = {
      N: cost,
      r: blockSize,
      p: parallelism,
      maxmem: memory + 128 * blockSize * parallelism + 4096,
    };
    crypto.scrypt(passphrase, salt, keyBytes, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** The run time names ciphers that it then refuses, single DES among them. */
function newDecipher(name: string, key: Buffer, iv: Buffer): ReturnType<typeof crypto.createDecipheriv> {
  if (iv.length !== crypto.getCipherInfo(name)?.ivLength)
    throw new RangeError('the initialisation vector has the wrong length');
  try {
    return crypto.createDecipheriv(name, key, iv);
  } catch {
    throw new KeyUnusable('unsupported', 'the cipher of the file is not supported');
  }
}

/** Takes over the key, which is wiped. Bad padding and content that is no single value both point to the passphrase. */
function decryptCbc(
  name: string,
  { key, iv }: { readonly key: Buffer; readonly iv: Buffer },
  encrypted: Buffer,
): Buffer {
  const decipher = newDecipher(name, key, iv);
  key.fill(0);
  try {
    const opened = decipher.update(encrypted);
    const der = Buffer.concat([opened, decipher.final()]);
    opened.fill(0);
    const reader = new DerReader(der);
    reader.read(derTag.sequence);
    if (reader.isAtEnd) return der;
  } catch {
    // said below
  }
  throw new KeyUnusable('wrong-passphrase-or-damaged');
}
