/**
 * Imported first, it makes `node:crypto` of this process like that of Electron, which is built on BoringSSL: no chacha20, and not the
 * small Diffie-Hellman groups. For child processes only. Source: ssh.md 5.4; vscode.md 16.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const real = { ...crypto };
const isMissing = (cipher: string): boolean => cipher.toLowerCase().startsWith('chacha20');

function refuse(cipher: string): void {
  if (isMissing(cipher)) throw new Error('Unknown cipher');
}

Object.assign(crypto, {
  getCiphers: () => real.getCiphers().filter((name) => !isMissing(name)),
  createCipheriv: (...given: Parameters<typeof crypto.createCipheriv>) => {
    refuse(given[0]);
    return real.createCipheriv(...given);
  },
  createDecipheriv: (...given: Parameters<typeof crypto.createDecipheriv>) => {
    refuse(given[0]);
    return real.createDecipheriv(...given);
  },
  createDiffieHellmanGroup: (name: string) => {
    if (name === 'modp1' || name === 'modp2') throw new Error('Unknown DH group');
    return real.createDiffieHellmanGroup(name);
  },
});
syncBuiltinESMExports();
