import crypto from 'node:crypto';
import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import { openChachaPoly } from './chachaPoly.ts';

interface SectionCipher {
  readonly keyBytes: number;
  readonly ivBytes: number;
  readonly blockBytes: number;
  /** 0 for ciphers that do not authenticate. */
  readonly tagBytes: number;
  /** Undefined when a tag does not fit. */
  readonly open: (sealed: {
    readonly key: Buffer;
    readonly iv: Buffer;
    readonly section: Buffer;
    readonly tag: Buffer;
  }) => Buffer | undefined;
}

/** `rijndael-cbc@lysator.liu.se` is an old name for AES. Source: cipher.c of OpenSSH. */
const ciphers: Readonly<Record<string, SectionCipher>> = {
  '3des-cbc': plain('des-ede3-cbc', { keyBytes: 24, ivBytes: 8 }),
  'aes128-cbc': plain('aes-128-cbc', { keyBytes: 16, ivBytes: 16 }),
  'aes192-cbc': plain('aes-192-cbc', { keyBytes: 24, ivBytes: 16 }),
  'aes256-cbc': plain('aes-256-cbc', { keyBytes: 32, ivBytes: 16 }),
  'rijndael-cbc@lysator.liu.se': plain('aes-256-cbc', { keyBytes: 32, ivBytes: 16 }),
  'aes128-ctr': plain('aes-128-ctr', { keyBytes: 16, ivBytes: 16 }),
  'aes192-ctr': plain('aes-192-ctr', { keyBytes: 24, ivBytes: 16 }),
  'aes256-ctr': plain('aes-256-ctr', { keyBytes: 32, ivBytes: 16 }),
  'aes128-gcm@openssh.com': authenticated('aes-128-gcm', 16),
  'aes256-gcm@openssh.com': authenticated('aes-256-gcm', 32),
  'chacha20-poly1305@openssh.com': {
    ...{ keyBytes: 64, ivBytes: 0, blockBytes: 8, tagBytes: 16 },
    open: ({ key, section, tag }) => openChachaPoly(key, section, tag),
  },
};

/** Throws `KeyUnusable` with `unsupported` for a cipher that has no place in a key file. */
export function sectionCipher(name: string): SectionCipher {
  const cipher = Object.hasOwn(ciphers, name) ? ciphers[name] : undefined;
  if (cipher === undefined) throw new KeyUnusable('unsupported', 'the cipher of the file is not supported');
  return cipher;
}

function plain(name: string, size: { readonly keyBytes: number; readonly ivBytes: number }): SectionCipher {
  return {
    ...{ ...size, blockBytes: size.ivBytes, tagBytes: 0 },
    open: ({ key, iv, section }) => decipherWhole(name, { key, iv }, section),
  };
}

function authenticated(name: 'aes-128-gcm' | 'aes-256-gcm', keyBytes: number): SectionCipher {
  return {
    ...{ keyBytes, ivBytes: 12, blockBytes: 16, tagBytes: 16 },
    open: ({ key, iv, section, tag }) => {
      const decipher = crypto.createDecipheriv(name, key, iv, { authTagLength: 16 }).setAuthTag(tag);
      const opened = decipher.update(section);
      try {
        return Buffer.concat([opened, decipher.final()]);
      } catch {
        return undefined;
      } finally {
        opened.fill(0);
      }
    },
  };
}

/** Deciphers whole blocks, padding and all. */
export function decipherWhole(
  name: string,
  { key, iv }: { readonly key: Buffer; readonly iv: Buffer },
  encrypted: Uint8Array,
): Buffer {
  const decipher = crypto.createDecipheriv(name, key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]);
}
