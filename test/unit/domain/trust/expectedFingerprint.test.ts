import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { compareWithExpected } from '../../../../src/domain/trust/expectedFingerprint.ts';
import { fingerprintOf } from '../../../../src/domain/trust/hostKey.ts';

const base64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
const fingerprint = fingerprintOf(Buffer.from(base64, 'base64'));
const digest = fingerprint.slice('SHA256:'.length);
const other = `SHA256:${digest.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`;

describe('a fingerprint that a person pastes', () => {
  for (const [what, text, expected] of [
    ['the fingerprint', fingerprint, 'same'],
    ['with padding and spaces', `  ${fingerprint}= \n`, 'same'],
    ['without its prefix', digest, 'same'],
    ['with a prefix in small letters', `sha256:${digest}`, 'same'],
    ['a line of ssh-keygen -l', `256 ${fingerprint} root@web (ED25519)`, 'same'],
    [
      'several of them, one of which is equal',
      `3072 ${other} a (RSA)\r\n256 ${fingerprint} b (ED25519)`,
      'same',
    ],
    ['a public key', `ssh-ed25519 ${base64} root@web`, 'same'],
    ['a line of known_hosts', `[web]:2222 ssh-ed25519 ${base64}`, 'same'],
    ['another fingerprint', other, 'other'],
    ['one in other letters', fingerprint.toLowerCase().replace('sha256', 'SHA256'), 'other'],
    ['one that is cut off', fingerprint.slice(0, -1), 'unreadable'],
    ['one with more behind it', `${fingerprint}A`, 'unreadable'],
    ['one by MD5', 'MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48', 'unreadable'],
    ['nothing', ' ', 'unreadable'],
  ] as const)
    it(`${what} is ${expected}`, () => {
      assert.equal(compareWithExpected(text, fingerprint), expected);
    });
});
