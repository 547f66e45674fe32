import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { recogniseKey } from '../../../../src/domain/keys/keyContainer.ts';
import { keyTextOf } from '../../../../src/domain/keys/keyText.ts';
import { sshString } from '../../../../src/domain/keys/wire.ts';

describe('the text of a key', () => {
  for (const [name, text, expected] of [
    [
      'a byte order mark and CR go',
      '\uFEFF-----BEGIN X-----\r\nAA\r\n-----END X-----',
      '-----BEGIN X-----\nAA\n-----END X-----\n',
    ],
    ['text before goes', 'hello\n-----BEGIN X-----\nAA', '-----BEGIN X-----\nAA\n'],
    [
      'indentation goes, and only as far as the header has it',
      'k: |\n  -----BEGIN X-----\n   AA\n B',
      '-----BEGIN X-----\n AA\n B\n',
    ],
    [
      'blanks at the end of a line stay, since PuTTY counts them',
      'PuTTY-User-Key-File-2: x\nComment: a ',
      'PuTTY-User-Key-File-2: x\nComment: a \n',
    ],
    [
      'of several blocks the private one counts',
      '-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nBB',
      '-----BEGIN PRIVATE KEY-----\nBB\n',
    ],
    ['without a header everything stays', 'ssh-ed25519 AAAA', 'ssh-ed25519 AAAA\n'],
    ['nothing is a newline', '', '\n'],
  ] as const)
    it(name, () => {
      assert.equal(keyTextOf(Buffer.from(text)), expected);
    });

  it('is the same out of UTF-16', () => {
    const text = '-----BEGIN X-----\nAA\n-----END X-----\n';
    assert.equal(keyTextOf(Buffer.from(`\uFEFF${text}`, 'utf16le')), text);
  });
});

describe('recognising a key', () => {
  for (const [what, text, reason] of [
    ['nothing', '', 'the file is no private key of a known format'],
    ['prose', 'my key is under the mat', 'the file is no private key of a known format'],
    [
      'a public line of another type',
      'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA==',
      'the file is no private key of a known format',
    ],
    ['a header alone', '-----BEGIN OPENSSH PRIVATE KEY-----', 'the file is damaged'],
    ['no base64', block('OPENSSH PRIVATE KEY', '§'), 'the file is damaged'],
    ['another magic', block('OPENSSH PRIVATE KEY', 'b3BlbnNzaA=='), 'the file is damaged'],
    ['a block of another name', block('SECRET', 'AA=='), 'the file is no private key of a known format'],
    [
      'an X.509 certificate',
      block('CERTIFICATE', 'AA=='),
      'this is an X.509 certificate, which is no key for SSH',
    ],
    [
      'an OpenPGP key',
      block('PGP PRIVATE KEY BLOCK', 'AA=='),
      'this is an OpenPGP key; gpg-agent can offer it to SSH',
    ],
    ['a DSA key', block('DSA PRIVATE KEY', 'AA=='), 'DSA keys are not used any more'],
    [
      'a key of SSH version 1',
      'SSH PRIVATE KEY FILE FORMAT 1.1\n\0',
      'keys of SSH version 1 are not used any more',
    ],
    [
      'a key of ssh.com',
      '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----',
      'the format of ssh.com is not supported; convert it with ssh-keygen -i',
    ],
    ['an OpenSSH container of DSA', openSsh({ keyType: 'ssh-dss' }), 'DSA keys are not used any more'],
    ['an OpenSSH container of two keys', openSsh({ count: 2 }), 'the file holds more than one key'],
    ['an unknown derivation', openSsh({ kdf: 'scrypt' }), 'the key derivation of the file is not supported'],
    ['a derivation without a cipher', openSsh({ kdf: 'bcrypt' }), 'the file is damaged'],
    ['a cipher without a derivation', openSsh({ cipher: 'aes256-ctr' }), 'the file is damaged'],
  ] as const)
    it(`${what}: ${reason}`, () => {
      const recognised = recogniseKey(keyTextOf(Buffer.from(text)));
      assert.equal(recognised.k === 'unusable' ? recognised.problem.reason : recognised.k, reason);
    });

  it('a container of a security key tells its public half, which an agent may hold', () => {
    const keyType = 'sk-ssh-ed25519@openssh.com';
    assert.deepEqual(recogniseKey(openSsh({ keyType })), { k: 'security-key', blob: sshString(keyType) });
  });

  it('never throws, whatever stands behind a header', () => {
    const header = fc.constantFrom(
      ...[
        '-----BEGIN OPENSSH PRIVATE KEY-----',
        '-----BEGIN RSA PRIVATE KEY-----',
        '---- BEGIN SSH2 PUBLIC KEY ----',
      ],
      ...['PuTTY-User-Key-File-2: ssh-rsa', 'PuTTY-User-Key-File-3: ssh-ed25519', 'ssh-ed25519 ', ''],
    );
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.base64String({ maxLength: 80 }),
      fc.constantFrom(
        'Encryption: none',
        'Encryption: aes256-cbc',
        'Comment: x',
        'Public-Lines: 1',
        'Private-Lines: 1',
      ),
      fc.constantFrom(
        'Proc-Type: 4,ENCRYPTED',
        'DEK-Info: AES-128-CBC,00',
        '-----END OPENSSH PRIVATE KEY-----',
        '\\',
      ),
      fc.constantFrom(
        'Private-MAC: 00',
        'Key-Derivation: Argon2id',
        'Argon2-Memory: 1',
        '---- END SSH2 PUBLIC KEY ----',
      ),
    );
    fc.assert(
      fc.property(header, fc.array(line, { maxLength: 12 }), (first, lines) => {
        recogniseKey(keyTextOf(Buffer.from([first, ...lines].join('\n'))));
      }),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => void recogniseKey(keyTextOf(noise))));
  });

  it('never throws, whatever an OpenSSH container holds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const bytes = Buffer.concat([Buffer.from('openssh-key-v1\0'), noise]);
        recogniseKey(block('OPENSSH PRIVATE KEY', bytes.toString('base64')));
      }),
    );
  });
});

function block(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
}

function openSsh({
  cipher = 'none',
  kdf = 'none',
  count = 1,
  keyType = 'ssh-ed25519',
}: {
  readonly cipher?: string;
  readonly kdf?: string;
  readonly count?: number;
  readonly keyType?: string;
}): string {
  const bytes = Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), sshString(cipher), sshString(kdf), sshString('')],
    ...[Buffer.from([0, 0, 0, count]), sshString(sshString(keyType)), sshString('')],
  ]);
  return block('OPENSSH PRIVATE KEY', bytes.toString('base64'));
}
