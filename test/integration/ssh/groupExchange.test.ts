import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import type { KexAlgorithm } from 'ssh2';
import { sshInteger } from '../../../src/domain/keys/wire.ts';
import { modpPrime } from '../../../src/infrastructure/ssh/diffieHellmanGroups.ts';
import { kexMessage, wireString } from '../../lab/kexServer.ts';
import { startSshd } from '../../lab/sshd.ts';
import { failedExchange, rawClient } from './rawClient.ts';

const kex: readonly KexAlgorithm[] = ['diffie-hellman-group-exchange-sha256'];
const algorithms = { kex: [...kex] };
const library = path.join(import.meta.dirname, '../../../src/infrastructure/ssh/ssh2Library.ts');

describe('a group that the server chooses', function () {
  this.timeout(60_000);

  it('comes to a connection, also for ciphers with long keys, and again at rekeys', async () => {
    const server = await startSshd({ config: [`KexAlgorithms ${kex.join(',')}`], rekeyLimit: '1M' });
    try {
      for (const cipher of ['aes128-gcm@openssh.com', 'aes256-ctr'] as const) {
        const client = await rawClient(server, { algorithms: { ...algorithms, cipher: [cipher] } });
        const again = new Promise((resolve) => client.once('handshake', resolve));
        client.exec('head -c 3000000 /dev/zero', (_error, channel) => channel.resume().stderr.resume());
        await again;
        client.end();
      }
    } finally {
      await server.stop();
    }
  });

  it('is not tested for being a prime, which would hold up everything for seconds', async () => {
    const server = await startSshd({ config: [`KexAlgorithms ${kex.join(',')}`] });
    // A window of its own, in which the function that tests is not there.
    const script = `
      import crypto from 'node:crypto';
      import { readFileSync } from 'node:fs';
      crypto.createDiffieHellman = () => { throw new Error('tests for a prime'); };
      const { loadSsh2 } = await import(${JSON.stringify(library)});
      const { Client } = await loadSsh2();
      const client = new Client();
      client.on('ready', () => { console.log('ready'); client.end(); }).on('error', (error) => console.log(error.message));
      client.connect({ host: '127.0.0.1', port: ${server.port}, username: ${JSON.stringify(server.account.name)},
        privateKey: readFileSync(${JSON.stringify(server.key.privateFile)}), hostVerifier: () => true,
        algorithms: { kex: ${JSON.stringify(kex)} } });`;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        timeout: 45_000,
      });
      assert.equal(stdout, 'ready\n');
    } finally {
      await server.stop();
    }
  });

  it('is used in the old way where the run time has no key objects for it', async () => {
    const server = await startSshd({ config: [`KexAlgorithms ${kex.join(',')}`] });
    const script = `
      import crypto from 'node:crypto';
      import { readFileSync } from 'node:fs';
      const real = crypto.generateKeyPairSync;
      crypto.generateKeyPairSync = (type, ...rest) => { if (type === 'dh') throw new Error('no such keys'); return real(type, ...rest); };
      let made = 0;
      const old = crypto.createDiffieHellman;
      crypto.createDiffieHellman = (...given) => { made += 1; return old('ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a63a3620ffffffffffffffff', 'hex'); };
      const { loadSsh2 } = await import(${JSON.stringify(library)});
      const { Client } = await loadSsh2();
      const client = new Client();
      client.on('error', () => { console.log(made); }).connect({ host: '127.0.0.1', port: ${server.port}, username: 'op',
        hostVerifier: () => true, algorithms: { kex: ${JSON.stringify(kex)} } });`;
    try {
      // A small group stands in for the server's, so that the exchange cannot succeed but is quick.
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        timeout: 45_000,
      });
      assert.equal(stdout, '1\n');
    } finally {
      await server.stop();
    }
  });

  describe('of a hostile server', () => {
    const prime = modpPrime('modp14') ?? Buffer.alloc(0);
    const two = Buffer.from([2]);
    const group = (p: Uint8Array, g: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from([kexMessage.group]), sshInteger(p), sshInteger(g)]);

    for (const [what, payload, expected] of [
      ['of 512 bits', group(Buffer.alloc(64, 0xff), two), /unusable group of 512 bits/],
      ['of 16,384 bits', group(Buffer.alloc(2_048, 0xff), two), /unusable group of 16384 bits/],
      ['of nothing', group(Buffer.alloc(0), two), /unusable group of 1 bits/],
      ['with a generator of 64 bits', group(prime, Buffer.alloc(8, 0x11)), /unusable group of 2048 bits/],
      ['with an even number', group(Buffer.alloc(256, 0xfe), two), /malformed KEXDH_GEX_GROUP/],
      [
        'with the generator 0',
        group(prime, Buffer.alloc(0)),
        /malformed KEXDH_GEX_GROUP|computing DH secret/,
      ],
      ['cut off', group(prime, two).subarray(0, 40), /malformed KEXDH_GEX_GROUP/],
    ] as const)
      it(`${what} ends the exchange`, async () => {
        assert.match(
          await failedExchange({ kex: [...kex], group: payload, reply: () => replyWith(two) }, algorithms),
          expected,
        );
      });

    const one = Buffer.from([1]);
    const below = Buffer.from(prime);
    below.writeUInt8((below.at(-1) ?? 0) - 1, below.length - 1);
    for (const [what, share] of [
      ['0', Buffer.alloc(0)],
      ['1', one],
      ['p - 1', below],
      ['p', prime],
      ['more than p', Buffer.alloc(257, 0x7f)],
    ] as const)
      it(`with the share ${what} ends the exchange`, async () => {
        const options = { kex: [...kex], group: group(prime, two), reply: () => replyWith(share) };
        assert.match(
          await failedExchange(options, algorithms),
          /^Error while computing DH secret \(groupex\): /,
        );
      });
  });
});

/** The server's part of the exchange, with a signature that does not hold. */
function replyWith(share: Uint8Array): Buffer[] {
  const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(key)]);
  const signature = Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(64))]);
  return [
    Buffer.concat([
      Buffer.from([kexMessage.groupReply]),
      wireString(blob),
      sshInteger(share),
      wireString(signature),
    ]),
    Buffer.from([kexMessage.newKeys]),
  ];
}
