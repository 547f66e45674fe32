import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { describe, it } from 'mocha';
import { installGroupFallback, modpPrime } from '../../../../src/infrastructure/ssh/diffieHellmanGroups.ts';

describe('Diffie-Hellman groups that a run time lacks', () => {
  for (const name of ['modp2', 'modp14', 'modp15', 'modp16', 'modp17', 'modp18'])
    it(`${name} is the published prime`, () => {
      assert.deepEqual(modpPrime(name), crypto.getDiffieHellman(name).getPrime());
    });

  /** `node:crypto` as Electron has it. */
  const without = (...missing: readonly string[]): typeof crypto => ({
    ...crypto,
    createDiffieHellmanGroup: (name: string) => {
      if (missing.includes(name)) throw new Error('Unknown DH group');
      return crypto.createDiffieHellmanGroup(name);
    },
  });

  it('a missing group agrees on the same secret as the real one', () => {
    const electron = without('modp14');
    installGroupFallback(electron);
    const ours = electron.createDiffieHellmanGroup('modp14');
    const theirs = crypto.createDiffieHellmanGroup('modp14');
    ours.generateKeys();
    theirs.generateKeys();
    assert.deepEqual(ours.computeSecret(theirs.getPublicKey()), theirs.computeSecret(ours.getPublicKey()));
  });

  it('a group that is there is the real one, and an unknown one still fails', () => {
    const electron = without('modp2', 'nonsense');
    installGroupFallback(electron);
    assert.equal(electron.createDiffieHellmanGroup('modp14').constructor.name, 'DiffieHellmanGroup');
    assert.throws(() => electron.createDiffieHellmanGroup('nonsense'), /Unknown DH group/);
  });

  it('is taken away again', () => {
    const electron = without();
    const original = electron.createDiffieHellmanGroup;
    installGroupFallback(electron)();
    assert.equal(electron.createDiffieHellmanGroup, original);
  });
});
