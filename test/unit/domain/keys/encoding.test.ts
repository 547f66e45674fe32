import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { derInteger, DerReader, derTag, derValue } from '../../../../src/domain/keys/der.ts';
import { readPkcs8Encryption } from '../../../../src/domain/keys/pkcs8.ts';
import { parsePublicKey } from '../../../../src/domain/keys/publicKey.ts';
import { bitLength, sshInteger, sshString, WireReader } from '../../../../src/domain/keys/wire.ts';

describe('values of the Distinguished Encoding Rules', () => {
  it('read back as they were written, at every length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70_000 }), (length) => {
        const reader = new DerReader(derValue(derTag.octetString, Buffer.alloc(length, 7)));
        assert.equal(reader.read(derTag.octetString).length, length);
        assert.ok(reader.isAtEnd);
      }),
    );
  });

  for (const [value, hex] of [
    ['', '020100'],
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['ffff', '020300ffff'],
  ] as const)
    it(`the number 0x${value} is ${hex}`, () => {
      assert.equal(derInteger(Buffer.from(value, 'hex')).toString('hex'), hex);
    });

  it('that are not well formed throw a RangeError and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        try {
          readPkcs8Encryption(noise);
        } catch (error) {
          assert.ok(error instanceof RangeError);
        }
      }),
    );
  });
});

describe('fields of the SSH protocol', () => {
  it('numbers lose leading zeros and keep their sign', () => {
    assert.equal(sshInteger(Buffer.from('000080', 'hex')).toString('hex'), '000000020080');
    assert.equal(sshInteger(Buffer.alloc(3)).toString('hex'), '00000000');
    assert.deepEqual(
      ['', '00', '01', 'ff', '0100'].map((hex) => bitLength(Buffer.from(hex, 'hex'))),
      [0, 0, 1, 8, 9],
    );
  });

  for (const [name, hex] of [
    ['a string that is longer than what is left', '0000000561'],
    ['a length that is cut off', '0000'],
    ['a length near the end of numbers', 'ffffffff61'],
  ] as const)
    it(`${name} throws a RangeError`, () => {
      assert.throws(() => new WireReader(Buffer.from(hex, 'hex')).string(), RangeError);
    });

  it('a text with a NUL and a number that is negative or zero throw a RangeError', () => {
    assert.throws(() => new WireReader(sshString('a\0b')).text(), RangeError);
    for (const hex of ['80', '00', ''])
      assert.throws(() => new WireReader(sshString(Buffer.from(hex, 'hex'))).positiveInteger(), RangeError);
  });
});

describe('public keys', () => {
  for (const [name, blob] of [
    ['noise', Buffer.from('0102', 'hex')],
    ['DSA', sshString('ssh-dss')],
    ['an ed25519 point of 31 bytes', Buffer.concat([sshString('ssh-ed25519'), sshString(Buffer.alloc(31))])],
    [
      'bytes behind the end',
      Buffer.concat([sshString('ssh-ed25519'), sshString(Buffer.alloc(32)), Buffer.alloc(1)]),
    ],
    [
      'a curve of another name',
      Buffer.concat([
        sshString('ecdsa-sha2-nistp256'),
        sshString('nistp384'),
        sshString(Buffer.alloc(97, 4)),
      ]),
    ],
    [
      'a compressed point',
      Buffer.concat([
        sshString('ecdsa-sha2-nistp256'),
        sshString('nistp256'),
        sshString(Buffer.alloc(33, 2)),
      ]),
    ],
    [
      'RSA of more than 16,384 bits',
      Buffer.concat([
        sshString('ssh-rsa'),
        sshInteger(Buffer.from([3])),
        sshInteger(Buffer.alloc(2049, 0xff)),
      ]),
    ],
    [
      'an RSA exponent that is larger than the modulus',
      Buffer.concat([
        sshString('ssh-rsa'),
        sshInteger(Buffer.alloc(300, 1)),
        sshInteger(Buffer.alloc(256, 0xff)),
      ]),
    ],
  ] as const)
    it(`${name} is none`, () => {
      assert.equal(parsePublicKey(blob), undefined);
    });

  it('noise never throws', () => {
    const type = fc.constantFrom('ssh-rsa', 'ecdsa-sha2-nistp256', 'sk-ssh-ed25519@openssh.com');
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 200 }), (name, noise) => {
        parsePublicKey(Buffer.concat([sshString(name), noise]));
      }),
    );
  });
});
