import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { KeptPassphrases } from '../../../../src/application/ssh/keptPassphrases.ts';

describe('kept passphrases', () => {
  it('are found under their key, forgotten, and stored under a name that tells neither path nor key', async () => {
    const secrets = new Map<string, string>();
    const kept = new KeptPassphrases({
      get: async (key) => secrets.get(key),
      set: async (key, value) => void secrets.set(key, value),
      delete: async (key) => void secrets.delete(key),
    });
    await kept.keep('/home/me/.ssh/id_rsa', 'correct horse');
    assert.equal(await kept.find('/home/me/.ssh/id_rsa'), 'correct horse');
    assert.equal(await kept.find('SHA256:abc'), undefined);
    assert.match([...secrets.keys()].join(), /^passphrase:[0-9a-f]{64}$/);
    await kept.forget('/home/me/.ssh/id_rsa');
    assert.equal(secrets.size, 0);
  });
});
