import { KeyUnusable } from './keyProblem.ts';
import type { PrivateKeyParts } from './privateKeyParts.ts';
import type { PlainKeyType } from './publicKey.ts';
import { sshString, WireReader } from './wire.ts';

export const argon2Kinds = { Argon2id: 'argon2id', Argon2i: 'argon2i', Argon2d: 'argon2d' } as const;

export interface Argon2Parameters {
  readonly kind: (typeof argon2Kinds)[keyof typeof argon2Kinds];
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
}

/** PuTTY's container with everything that needs no passphrase. Source: PuTTY manual, appendix C. */
export interface Ppk {
  readonly version: 2 | 3;
  /** The name of the key's algorithm; a certificate's name where the file holds one. */
  readonly algorithm: string;
  readonly encryption: 'none' | 'aes256-cbc';
  /** As bytes: the checksum covers it. */
  readonly comment: Buffer;
  readonly publicBlob: Buffer;
  /** The private half, encrypted unless `encryption` is `none`. */
  readonly section: Buffer;
  /** Of version 3 where something is encrypted. */
  readonly argon2: Argon2Parameters | undefined;
  readonly mac: Buffer;
}

/** Lines of base64 in one part: enough for the largest key. */
const maxLines = 4096;

/**
 * Reads a file without line ends of its own kind. `text` is one character a byte. Throws `KeyUnusable` with `unsupported`, or a
 * RangeError when it is damaged.
 */
export function readPpk(text: string): Ppk {
  const lines = text.split('\n');
  const [, versionText = '', algorithm = ''] =
    /^PuTTY-User-Key-File-(\d+): (.*)$/.exec(lines.shift() ?? '') ?? [];
  if (versionText === '1')
    throw new KeyUnusable('unsupported', 'PPK version 1 is not supported; save the key again with PuTTYgen');
  if (versionText !== '2' && versionText !== '3')
    throw new KeyUnusable('unsupported', 'this version of PPK is not supported');
  const version = versionText === '2' ? 2 : 3;
  const encryption = field(lines, 'Encryption');
  if (encryption !== 'none' && encryption !== 'aes256-cbc')
    throw new KeyUnusable('unsupported', 'the cipher of the file is not supported');
  const comment = Buffer.from(field(lines, 'Comment'), 'latin1');
  const publicBlob = base64Lines(lines, 'Public-Lines');
  const argon2 = version === 3 && encryption !== 'none' ? readArgon2(lines) : undefined;
  const section = base64Lines(lines, 'Private-Lines');
  const mac = hexField(lines, 'Private-MAC');
  if (lines.some((line) => line.trim() !== '')) throw new RangeError('lines follow the end');
  if (mac.length !== (version === 2 ? 20 : 32)) throw new RangeError('the checksum has the wrong length');
  return { version, algorithm, encryption, comment, publicBlob, section, argon2, mac };
}

/** What the checksum covers. `section` is the decrypted one. */
export function ppkMacInput(ppk: Ppk, section: Uint8Array): Buffer {
  const { algorithm, encryption, comment, publicBlob } = ppk;
  return Buffer.concat(
    [Buffer.from(algorithm, 'latin1'), encryption, comment, publicBlob, section].map(sshString),
  );
}

/**
 * The private half of the decrypted section, the reader's to wipe. Padding may follow. Throws a RangeError when it is not well formed.
 */
export function readPpkSection(section: Buffer, keyType: PlainKeyType): PrivateKeyParts {
  const reader = new WireReader(section);
  switch (keyType) {
    case 'ssh-rsa': {
      const privateExponent = reader.positiveInteger();
      const p = reader.positiveInteger();
      const q = reader.positiveInteger();
      return { kind: 'rsa', privateExponent, p, q, coefficient: reader.positiveInteger() };
    }
    case 'ssh-ed25519': {
      const stored = reader.string();
      if (stored.length === 0 || stored.length > 32) throw new RangeError('a number has the wrong length');
      // Little-endian, and old versions leave out zeros at its end.
      const seed = Buffer.concat([stored, Buffer.alloc(32 - stored.length)]);
      stored.fill(0);
      return { kind: 'ed25519', seed };
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521':
      return { kind: 'ecdsa', scalar: reader.positiveInteger() };
    case 'sk-ssh-ed25519@openssh.com':
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      throw new KeyUnusable('security-key');
  }
}

function readArgon2(lines: string[]): Argon2Parameters {
  const name = field(lines, 'Key-Derivation');
  const kind = Object.entries(argon2Kinds).find(([known]) => known === name)?.[1];
  if (kind === undefined)
    throw new KeyUnusable('unsupported', 'the key derivation of the file is not supported');
  const memoryKiB = numberField(lines, 'Argon2-Memory');
  const passes = numberField(lines, 'Argon2-Passes');
  const parallelism = numberField(lines, 'Argon2-Parallelism');
  return { kind, memoryKiB, passes, parallelism, salt: hexField(lines, 'Argon2-Salt') };
}

/** Takes the next line, which must be this field. */
function field(lines: string[], name: string): string {
  const line = lines.shift();
  if (line === `${name}:`) return '';
  if (line?.startsWith(`${name}: `) !== true) throw new RangeError(`${name} is missing`);
  return line.slice(name.length + 2);
}

function numberField(lines: string[], name: string): number {
  const text = field(lines, name);
  const value = Number(text);
  if (!/^\d{1,10}$/.test(text) || value < 1 || value > 0xffff_ffff)
    throw new RangeError(`${name} is no number`);
  return value;
}

function hexField(lines: string[], name: string): Buffer {
  const text = field(lines, name);
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(text)) throw new RangeError(`${name} is not hexadecimal`);
  return Buffer.from(text, 'hex');
}

function base64Lines(lines: string[], name: string): Buffer {
  const count = numberField(lines, name);
  if (count > maxLines) throw new RangeError('there are too many lines');
  const body = lines.splice(0, count);
  if (body.length < count || !body.every((line) => /^[A-Za-z0-9+/]{0,64}={0,2}$/.test(line)))
    throw new RangeError(`${name} is cut off or no base64`);
  return Buffer.from(body.join(''), 'base64');
}
