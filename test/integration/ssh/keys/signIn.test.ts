import fs from 'node:fs/promises';
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Sshd } from '../../../lab/sshd.ts';
import { readKey } from '../../../lab/sshKey.ts';
import { faultOf, SshBench, startServer, targetOf } from '../sshBench.ts';
import { KeyForge, openSsh, passphrase, pem, pkcs8, ppk, type Kind } from './keyForge.ts';

describe('signing in with a key file', function () {
  this.timeout(60_000);
  let forge: KeyForge;
  let server: Sshd;
  let bench: SshBench;
  before(async () => {
    [forge, server] = await Promise.all([KeyForge.open(), startServer()]);
  });
  after(() => Promise.all([forge.dispose(), server.stop()]));
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const identitiesOf = (
    path: string,
  ): { readonly identities: ReturnType<typeof targetOf>['identities'] } => ({
    identities: [{ kind: 'keyFile', path, configured: true }],
  });

  for (const [container, kind] of [
    [openSsh('chacha20-poly1305@openssh.com'), 'ed25519'],
    [openSsh('aes256-gcm@openssh.com'), 'rsa 2048'],
    [openSsh('3des-cbc'), 'ecdsa 521'],
    [pem('aes256'), 'rsa 2048'],
    [pkcs8('-v2', 'aes-256-cbc'), 'ecdsa 384'],
    [ppk(2, ''), 'ed25519'],
    [ppk(3), 'rsa 2048'],
    [ppk(3, 'kdf=argon2id,memory=256,passes=2'), 'ecdsa 256'],
  ] as const)
    it(`${container.name}, ${kind}: a real server lets it in`, async () => {
      const file = await authorized(await forge.make(container, kind), kind);
      bench.person.answerSecret = () => passphrase;
      const transport = await bench.open(targetOf(server, identitiesOf(file.privateFile)));
      assert.equal(transport.acceptedKey, file.fingerprint);
      assert.equal(bench.person.secrets.length, container.isEncrypted ? 1 : 0);
    });

  it('the public half in place of a key names the private file', async () => {
    const { privateFile, publicFile } = await authorized(await forge.make(ppk(3), 'ed25519'), 'ed25519');
    const fault = await faultOf(bench.open(targetOf(server, identitiesOf(publicFile))));
    assert.equal(fault.code, 'key-unreadable');
    assert.equal(
      fault.facts['reason'],
      `this is the public half and no agent holds the key; choose ${privateFile}`,
    );
  });

  /** The public half is laid beside the file and let into the account. */
  async function authorized(file: string, kind: Kind): ReturnType<typeof readKey> {
    await fs.copyFile(`${await forge.base(kind)}.pub`, `${file}.pub`);
    const pair = await readKey(file);
    await server.authorize(pair);
    return pair;
  }
});
