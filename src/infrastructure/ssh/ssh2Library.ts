import crypto from 'node:crypto';
import type ssh2 from 'ssh2';
import type { CryptoFacts } from '../../domain/ssh/algorithms.ts';
import { installGroupFallback, modpPrime } from './diffieHellmanGroups.ts';

export type Ssh2 = typeof ssh2;

let loading: Promise<Ssh2> | undefined;

/**
 * The SSH library, loaded at the first connect and never before. It captures a function of `node:crypto` while it loads, so the
 * fallback for missing Diffie-Hellman groups stands in exactly then. Source: ssh.md 5.4; vscode.md 3.
 */
export function loadSsh2(): Promise<Ssh2> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Ssh2> {
  const putBack = installGroupFallback(crypto);
  try {
    return (await import('ssh2')).default;
  } finally {
    putBack();
  }
}

/** What this run time can compute; Electron's and Node's crypto differ. Source: ssh.md 5.1; vscode.md 16. */
export function cryptoFacts(): CryptoFacts {
  facts ??= readCryptoFacts();
  return facts;
}

let facts: CryptoFacts | undefined;

function readCryptoFacts(): CryptoFacts {
  const canGenerate = (type: 'ed25519' | 'x25519'): boolean => {
    try {
      crypto.generateKeyPairSync(type as 'ed25519');
      return true;
    } catch {
      return false;
    }
  };
  return {
    ciphers: crypto.getCiphers(),
    hashes: crypto.getHashes(),
    curves: crypto.getCurves(),
    hasEd25519: canGenerate('ed25519'),
    hasX25519: canGenerate('x25519'),
    hasGroup: (name) => modpPrime(name) !== undefined,
  };
}
