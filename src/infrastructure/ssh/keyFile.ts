import crypto, { type KeyObject } from 'node:crypto';
import fs from 'node:fs/promises';
import { keyTypeOf } from '../../domain/trust/hostKey.ts';
import { publicBlobOf, rsaBits } from './signer.ts';
import type { Ssh2 } from './ssh2Library.ts';
import { WireReader } from './wire.ts';

/** What a key file is, found out without a passphrase. */
export type KeyFile =
  | {
      readonly k: 'plain';
      readonly path: string;
      readonly key: KeyObject;
      readonly blob: Uint8Array;
      readonly keyType: string;
    }
  /** The public half is known for the OpenSSH container and where a `.pub` file lies beside it. */
  | {
      readonly k: 'encrypted';
      readonly path: string;
      readonly text: string;
      readonly blob: Uint8Array | undefined;
    }
  /** A public half: it selects the same key in an agent. */
  | { readonly k: 'public'; readonly path: string; readonly blob: Uint8Array }
  | { readonly k: 'missing'; readonly path: string }
  | { readonly k: 'unreadable'; readonly path: string; readonly reason: string };

/** Larger than any key. */
const maxKeyBytes = 256 * 1024;

/** Reads a key file. Never rejects. Source: ssh.md 2.4. */
export async function readKeyFile(ssh2: Ssh2, path: string): Promise<KeyFile> {
  let text: string;
  try {
    const { size } = await fs.stat(path);
    if (size > maxKeyBytes) return { k: 'unreadable', path, reason: 'it is too large to be a key' };
    text = normaliseKeyText(await fs.readFile(path, 'latin1'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO';
    return code === 'ENOENT' ? { k: 'missing', path } : { k: 'unreadable', path, reason: code };
  }
  const publicBlob = publicBlobOfLine(text);
  if (publicBlob !== undefined) return { k: 'public', path, blob: publicBlob };
  if (isEncrypted(text))
    return { k: 'encrypted', path, text, blob: containerBlob(text) ?? (await siblingBlob(path)) };
  const unlocked = unlockKey(ssh2, text, undefined);
  return 'reason' in unlocked
    ? { k: 'unreadable', path, reason: unlocked.reason }
    : { k: 'plain', path, ...unlocked };
}

export interface UnlockedKey {
  readonly key: KeyObject;
  readonly blob: Uint8Array;
  readonly keyType: string;
}

/**
 * A private key from its text, or why not, a wrong passphrase told apart from a damaged file. RSA below 1024 bits and DSA are refused.
 * Source: ssh.md 2.4.
 */
export function unlockKey(
  ssh2: Ssh2,
  text: string,
  passphrase: Buffer | undefined,
): UnlockedKey | { readonly reason: string; readonly isPassphraseWrong: boolean } {
  const damaged = (reason: string): { reason: string; isPassphraseWrong: boolean } => ({
    reason,
    isPassphraseWrong: false,
  });
  try {
    const key = crypto.createPrivateKey({ key: toPem(ssh2, text, passphrase), passphrase });
    const blob = publicBlobOf(key);
    const keyType = blob === undefined ? undefined : keyTypeOf(blob);
    if (blob === undefined || keyType === undefined) return damaged('keys of this kind are not used for SSH');
    if (keyType === 'ssh-rsa' && rsaBits(blob) < 1024)
      return damaged('RSA keys below 1024 bits are not used');
    return { key, blob, keyType };
  } catch (error) {
    if (passphrase !== undefined && isWrongPassphrase(error))
      return { reason: 'the passphrase is wrong', isPassphraseWrong: true };
    return damaged('the file is damaged or of an unknown format');
  }
}

/** PKCS#8 is read by the run time itself; every other container by the library. */
function toPem(ssh2: Ssh2, text: string, passphrase: Buffer | undefined): string {
  if (/^-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(text)) return text;
  const parsed: unknown = ssh2.utils.parseKey(text, passphrase);
  const [first] = Array.isArray(parsed) ? (parsed as readonly unknown[]) : [parsed];
  if (first instanceof Error) throw first;
  const pem = hasPrivatePem(first) ? first.getPrivatePEM() : null;
  if (typeof pem !== 'string') throw new Error('the file holds no private key');
  return pem;
}

function hasPrivatePem(value: unknown): value is { getPrivatePEM(): unknown } {
  return typeof value === 'object' && value !== null && 'getPrivatePEM' in value;
}

function isWrongPassphrase(error: unknown): boolean {
  return error instanceof Error && /passphrase|bad decrypt|integrity|decrypt/i.test(error.message);
}

/** Without byte order mark, CR, common indentation and text before the header; with a final newline. Source: ssh.md 2.4. */
export function normaliseKeyText(text: string): string {
  const lines = text
    .replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim());
  const header = lines.findIndex((line) => /^(?:-----BEGIN |PuTTY-User-Key-File-)/.test(line));
  return `${lines.slice(Math.max(0, header)).join('\n').trimEnd()}\n`;
}

function isEncrypted(text: string): boolean {
  if (text.startsWith('-----BEGIN OPENSSH PRIVATE KEY-----'))
    return (openSshHeader(text)?.cipher ?? 'none') !== 'none';
  if (text.startsWith('PuTTY-User-Key-File-')) return !/^Encryption: none$/m.test(text);
  return /^-----BEGIN ENCRYPTED PRIVATE KEY-----/.test(text) || /^Proc-Type: 4,ENCRYPTED$/m.test(text);
}

/** The public half that an OpenSSH container carries in the clear. */
function containerBlob(text: string): Uint8Array | undefined {
  return openSshHeader(text)?.blob;
}

function openSshHeader(text: string): { readonly cipher: string; readonly blob: Uint8Array } | undefined {
  const body = /^-----BEGIN OPENSSH PRIVATE KEY-----\n([\s\S]*?)-----END/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body, 'base64');
  const magic = 'openssh-key-v1\0';
  if (bytes.toString('latin1', 0, magic.length) !== magic) return undefined;
  try {
    const reader = new WireReader(bytes.subarray(magic.length));
    const cipher = reader.string().toString('latin1');
    reader.string();
    reader.string();
    return reader.uint32() === 0 ? undefined : { cipher, blob: reader.string() };
  } catch {
    return undefined;
  }
}

async function siblingBlob(path: string): Promise<Uint8Array | undefined> {
  try {
    return publicBlobOfLine(await fs.readFile(`${path}.pub`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** `ssh-ed25519 AAAA… comment`, the one line of a public key file. */
function publicBlobOfLine(text: string): Uint8Array | undefined {
  const [type = '', base64 = ''] = text.trim().split(/[ \t]+/);
  if (!/^[a-z0-9@.-]+$/.test(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const blob = Buffer.from(base64, 'base64');
  return keyTypeOf(blob) === type ? blob : undefined;
}
