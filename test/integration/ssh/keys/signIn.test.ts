import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { sshString } from '../../../../src/domain/keys/wire.ts';
import { fingerprintOf } from '../../../../src/domain/trust/hostKey.ts';
import type { Sshd } from '../../../lab/sshd.ts';
import { readKey } from '../../../lab/sshKey.ts';
import { newSecurityKey, publicFileOf, startSecurityKeyAgent } from '../../../lab/securityKey.ts';
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

  it('the file of a security key selects the key in an agent, and points to one without', async () => {
    const key = newSecurityKey('ed25519');
    const file = forge.newPath();
    await server.authorize(await publicFileOf(key, file));
    await fs.writeFile(file, securityKeyFile(key.blob), { mode: 0o600 });
    const alone = await faultOf(bench.open(targetOf(server, identitiesOf(file))));
    assert.deepEqual(
      [alone.code, alone.facts['reason']],
      [
        'key-unreadable',
        'the file only names a security key; use an agent that holds it, or system ssh for this host',
      ],
    );

    const socket = `${file}-agent`;
    const agent = await startSecurityKeyAgent(socket, key);
    try {
      const identities = [...identitiesOf(file).identities, { kind: 'agent' as const }];
      const change = { identities, identityAgent: socket, identitiesOnly: true };
      const transport = await bench.open(targetOf(server, change));
      assert.equal(transport.acceptedKey, fingerprintOf(key.blob));
    } finally {
      agent.stop();
    }
  });

  /** The public half is laid beside the file and let into the account. */
  async function authorized(file: string, kind: Kind): ReturnType<typeof readKey> {
    await fs.copyFile(`${await forge.base(kind)}.pub`, `${file}.pub`);
    const pair = await readKey(file);
    await server.authorize(pair);
    return pair;
  }
});

/** As ssh-keygen writes it beside the public half; what only the hardware reads is left empty. Source: PROTOCOL.key. */
function securityKeyFile(blob: Uint8Array): string {
  const none = [sshString('none'), sshString('none'), sshString('')];
  const bytes = [
    Buffer.from('openssh-key-v1\0'),
    ...none,
    Buffer.from([0, 0, 0, 1]),
    sshString(blob),
    sshString(''),
  ];
  const base64 = Buffer.concat(bytes).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${base64}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
