import type { PublicKey } from './publicKey.ts';

const minRsaBits = 1024;
const soundRsaBits = 2048;

/** Whether a key is long enough to be used at all, and without a warning. Source: ssh.md 2.4; OpenSSH's own minimum is 1,024 too. */
export function strengthOf({ parts, bits }: PublicKey): 'refused' | 'weak' | 'sound' {
  if (parts.kind !== 'rsa' || bits >= soundRsaBits) return 'sound';
  return bits < minRsaBits ? 'refused' : 'weak';
}
