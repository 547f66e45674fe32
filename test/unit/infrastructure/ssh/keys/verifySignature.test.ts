import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parsePublicKey } from '../../../../../src/domain/keys/publicKey.ts';
import { sshString } from '../../../../../src/domain/keys/wire.ts';
import { publicKeyOf } from '../../../../../src/infrastructure/ssh/keys/publicKeyObject.ts';
import { signBlob } from '../../../../../src/infrastructure/ssh/keys/signature.ts';
import { isSignatureBy } from '../../../../../src/infrastructure/ssh/keys/verifySignature.ts';
import { newSecurityKey } from '../../../../lab/securityKey.ts';

const data = Buffer.from('what is signed');

describe('checking a signature', () => {
  const keys = {
    'ssh-ed25519': crypto.generateKeyPairSync('ed25519').privateKey,
    'ecdsa-sha2-nistp256': crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    'ecdsa-sha2-nistp384': crypto.generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
    'ecdsa-sha2-nistp521': crypto.generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
    'rsa-sha2-512': crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
    'rsa-sha2-256': crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  };
  for (const [algorithm, key] of Object.entries(keys)) {
    it(`${algorithm} is one by its key over its data only`, async () => {
      const publicKey = publicKeyOf(key);
      assert.ok(publicKey);
      const signature = await signBlob(key, data, algorithm);
      assert.equal(isSignatureBy(publicKey, data, signature), true);
      assert.equal(isSignatureBy(publicKey, Buffer.from('something else'), signature), false);
      for (const other of Object.values(keys).filter((one) => one !== key)) {
        const stranger = publicKeyOf(other);
        assert.equal(stranger !== undefined && isSignatureBy(stranger, data, signature), false);
      }
    });

    it(`${algorithm} with something changed, cut off or behind it is none`, async () => {
      const publicKey = publicKeyOf(key);
      assert.ok(publicKey);
      const signature = await signBlob(key, data, algorithm);
      fc.assert(
        fc.property(fc.nat({ max: signature.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
          const changed = Buffer.from(signature);
          changed[at] = (changed[at] ?? 0) ^ change;
          assert.equal(isSignatureBy(publicKey, data, changed), false);
          assert.equal(isSignatureBy(publicKey, data, signature.subarray(0, at)), false);
        }),
      );
      assert.equal(isSignatureBy(publicKey, data, Buffer.concat([signature, Buffer.alloc(1)])), false);
    });
  }

  it('one with SHA-1 or by a short RSA key is none', async () => {
    const sha1 = publicKeyOf(keys['rsa-sha2-512']);
    assert.ok(sha1);
    assert.equal(isSignatureBy(sha1, data, await signBlob(keys['rsa-sha2-512'], data, 'ssh-rsa')), false);
    const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 768 });
    const short = publicKeyOf(privateKey);
    assert.ok(short);
    assert.equal(isSignatureBy(short, data, await signBlob(privateKey, data, 'rsa-sha2-256')), false);
  });

  for (const kind of ['ed25519', 'ecdsa'] as const)
    it(`one of a security key (${kind}) covers its application, flags and counter`, () => {
      const key = newSecurityKey(kind);
      const publicKey = parsePublicKey(key.blob);
      assert.ok(publicKey);
      const signature = key.sign(data);
      assert.equal(isSignatureBy(publicKey, data, signature), true);
      for (const fromEnd of [1, 5]) {
        const changed = Buffer.from(signature);
        const at = changed.length - fromEnd;
        changed[at] = (changed[at] ?? 0) ^ 1;
        assert.equal(isSignatureBy(publicKey, data, changed), false);
      }
      const { parts } = publicKey;
      assert.notEqual(parts.kind, 'rsa');
      const elsewhere = { ...publicKey, parts: { ...parts, application: 'ssh:elsewhere' } };
      assert.equal(isSignatureBy(elsewhere, data, signature), false);
    });

  it('noise is none and never throws', () => {
    const publicKey = publicKeyOf(keys['ecdsa-sha2-nistp256']);
    assert.ok(publicKey);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (noise) => {
        assert.equal(isSignatureBy(publicKey, data, noise), false);
        const named = Buffer.concat([sshString('ecdsa-sha2-nistp256'), noise]);
        assert.equal(isSignatureBy(publicKey, data, named), false);
      }),
    );
  });
});
