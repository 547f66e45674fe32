import { timingSafeEqual } from 'node:crypto';
import { poly1305 } from '@noble/ciphers/_poly1305.js';
import { chacha20 } from '@noble/ciphers/chacha.js';

/**
 * Opens what `chacha20-poly1305@openssh.com` encrypted as packet 0 without a length; undefined when the tag does not fit. Not by the run
 * time's crypto, which has no bare ChaCha20 in Electron. Source: PROTOCOL.chacha20poly1305.
 */
export function openChachaPoly(key: Uint8Array, encrypted: Uint8Array, tag: Uint8Array): Buffer | undefined {
  const mainKey = key.subarray(0, 32);
  const nonce = new Uint8Array(12);
  const tagKey = chacha20(mainKey, nonce, new Uint8Array(32));
  const expected = poly1305(encrypted, tagKey);
  tagKey.fill(0);
  if (tag.length !== expected.length || !timingSafeEqual(tag, expected)) return undefined;
  return Buffer.from(chacha20(mainKey, nonce, encrypted, undefined, 1).buffer);
}
