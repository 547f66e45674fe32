import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { KeyUnusable } from '../../../../../src/domain/keys/keyProblem.ts';
import { bcryptPbkdf } from '../../../../../src/infrastructure/ssh/keys/bcryptPbkdf.ts';
import { openChachaPoly } from '../../../../../src/infrastructure/ssh/keys/chachaPoly.ts';
import { deriveKey, type DerivationRequest } from '../../../../../src/infrastructure/ssh/keys/deriveKey.ts';

const never = new AbortController().signal;

describe('keys from passphrases', () => {
  // Source: OpenBSD regress/lib/libutil/bcrypt_pbkdf.
  for (const [rounds, passphrase, salt, key] of [
    [4, 'password', 'salt', '5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9'],
    [4, 'password', '\0', 'c12b566235eee04c212598970a579a67'],
    [4, '\0', 'salt', '6051be18c2f4f82cbf0efee5471b4bb9'],
    [4, 'password\0', 'salt\0', '7410e44cf4fa07bfaac8a928b1727fac001375e7bf7384370f48efd121743050'],
    [4, 'pass\0wor', 'sa\0l', 'c2bffd9db38f6569efef4372f4de83c0'],
    [
      8,
      'password',
      'salt',
      'e1367ec5151a33faac4cc1c144cd23fa15d5548493ecc99b9b5d9c0d3b27bec76227ea66088b849b20ab7aa478010246e74bba51723fefa9f9474d6508845e8d',
    ],
    [42, 'password', 'salt', '833cf0dcf56db65608e8f0dc0ce882bd'],
  ] as const)
    it(`bcrypt, ${rounds} rounds, ${key.length / 2} bytes, for ${JSON.stringify([passphrase, salt])}`, () => {
      const bytes = key.length / 2;
      const made = bcryptPbkdf({
        passphrase: Buffer.from(passphrase),
        salt: Buffer.from(salt),
        rounds,
        bytes,
      });
      assert.equal(made.toString('hex'), key);
    });

  it('the thread gives the same', async () => {
    const request = { passphrase: Buffer.from('password'), salt: Buffer.from('salt'), rounds: 4, bytes: 32 };
    const derived = await deriveKey({ kind: 'bcrypt', ...request }, never);
    assert.equal(derived.toString('hex'), bcryptPbkdf(request).toString('hex'));
    assert.equal(request.passphrase.toString(), 'password', 'the passphrase stays the caller’s');
  });

  // Source: the reference implementation of Argon2, src/test.c.
  for (const [kind, memoryKiB, passes, parallelism, key] of [
    ['argon2i', 256, 2, 1, '89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f'],
    ['argon2id', 256, 2, 1, '9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe'],
    ['argon2id', 256, 2, 2, '6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037'],
  ] as const)
    it(`${kind}, ${memoryKiB} KiB, ${passes} passes, ${parallelism} lanes`, async () => {
      const request = { kind, memoryKiB, passes, parallelism, bytes: 32, salt: Buffer.from('somesalt') };
      const derived = await deriveKey({ ...request, passphrase: Buffer.from('password') }, never);
      assert.equal(derived.toString('hex'), key);
    });

  const small = { passphrase: Buffer.from('x'), salt: Buffer.alloc(16), bytes: 32 };
  const argon2 = { kind: 'argon2id', memoryKiB: 64, passes: 1, parallelism: 1, ...small } as const;
  const beyond: readonly (readonly [what: string, request: DerivationRequest, code: string])[] = [
    ['rounds of bcrypt', { kind: 'bcrypt', rounds: 4097, ...small }, 'too-costly'],
    ['memory', { ...argon2, memoryKiB: 1024 * 1024 + 1 }, 'too-costly'],
    ['passes', { ...argon2, memoryKiB: 1024 * 1024, passes: 65 }, 'too-costly'],
    ['lanes', { ...argon2, parallelism: 256 }, 'too-costly'],
    ['lanes for its memory', { ...argon2, memoryKiB: 8, parallelism: 4 }, 'derivation-failed'],
  ];
  for (const [what, request, code] of beyond)
    it(`too many ${what} are refused`, async () => {
      await assert.rejects(
        deriveKey(request, never),
        (error) => error instanceof KeyUnusable && error.problem.code === code,
      );
    });

  it('one that is given up before it begins starts no thread', async () => {
    const given = AbortSignal.abort(new Error('given up'));
    await assert.rejects(deriveKey({ kind: 'bcrypt', rounds: 4096, ...small }, given), /^Error: given up$/);
  });
});

describe('ChaCha20-Poly1305 of OpenSSH', () => {
  it('opens what it sealed and nothing that was changed', () => {
    // Key stream and tag key of the zero key are those of RFC 8439 appendix A.1 and A.2.
    const key = Buffer.alloc(64);
    const stream =
      '9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f';
    const sealed = Buffer.from(stream, 'hex');
    const tag = Buffer.from(zeroKeyTag, 'hex');
    assert.deepEqual(openChachaPoly(key, sealed, tag), Buffer.alloc(64));
    for (let at = 0; at < 16; at++) {
      const changed = Buffer.from(tag);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.equal(openChachaPoly(key, sealed, changed), undefined);
    }
    assert.equal(openChachaPoly(key, sealed.subarray(1), tag), undefined);
    assert.equal(openChachaPoly(key, sealed, tag.subarray(1)), undefined);
  });
});

/** Poly1305 over the stream by the first 32 bytes of key stream of the zero key, computed on its own from RFC 8439 section 2.5. */
const zeroKeyTag = 'd15fcdffe28f9464d4d1918ae720e2e9';
