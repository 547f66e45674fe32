import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import type { KexAlgorithm } from 'ssh2';
import { kexMessage, wireString } from '../../lab/kexServer.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { failedExchange, outputOf, rawClient, rawExec } from './rawClient.ts';

// The types of the library do not know what its patch adds.
const algorithms = { kex: ['mlkem768x25519-sha256' as KexAlgorithm] };

describe('ML-KEM key exchange with OpenSSH 10', function () {
  this.timeout(60_000);
  let server: Sshd;
  const obstacle = privateRootObstacle();
  before(async function () {
    if (obstacle !== undefined) skipBecause(this, obstacle);
    server = await startSshd({
      build: 'newest',
      account: {},
      rekeyLimit: '1M',
      config: ['KexAlgorithms mlkem768x25519-sha256'],
    });
  });
  after(async () => {
    if (obstacle === undefined) await server.stop();
  });

  it('64 MB with 43 and more rekeys are identical', async () => {
    const client = await rawClient(server, { algorithms });
    let exchanges = 0;
    client.on('handshake', () => exchanges++);
    // The numbers are as good as random to whoever loses, doubles or moves a part of them.
    const command = 'seq 1 10000000 | head -c 64000000';
    const got = await outputOf(await rawExec(client, command));
    const expected = await outputOf(await rawExec(client, `${command} | sha256sum`));
    client.end();
    assert.equal(got.length, 64_000_000);
    assert.equal(createHash('sha256').update(got).digest('hex'), expected.toString().split(' ')[0]);
    assert.ok(exchanges >= 43, `${exchanges} exchanges`);
  });

  it('is what both sides agree on', async () => {
    const client = await rawClient(server, { algorithms });
    const agreed = new Promise<string>((resolve) => client.once('handshake', ({ kex }) => resolve(kex)));
    // The next exchange tells.
    await outputOf(await rawExec(client, 'head -c 3000000 /dev/zero'));
    assert.equal(await withinDeadline('a rekey', agreed), 'mlkem768x25519-sha256');
    client.end();
  });
});

describe('ML-KEM reply of a hostile server', function () {
  this.timeout(60_000);
  const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(ed25519Key())]);
  const signature = Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(64))]);

  /** The error of a client that gets `share` as the server's part. */
  const errorFor = (share: Uint8Array): Promise<string> => {
    const parts = [blob, share, signature].map((part) => wireString(part));
    const reply = (): Buffer[] => [
      Buffer.concat([Buffer.from([kexMessage.ecdhReply]), ...parts]),
      Buffer.from([kexMessage.newKeys]),
    ];
    return failedExchange({ kex: algorithms.kex, reply }, algorithms);
  };
  const wrongLength = (length: number): string =>
    `Error while computing DH secret (mlkem768x25519): ${length} bytes instead of 1120`;

  const lengths = [0, 1, 31, 32, 33, 1087, 1088, 1089, 1119, 1121, 1152, 1184 + 32, 2240, 30_000];
  for (const length of lengths)
    it(`${length} bytes are refused as a wrong length`, async () => {
      assert.equal(await errorFor(Buffer.alloc(length, 7)), wrongLength(length));
    });

  it('any other number of any bytes is refused as a wrong length', async () => {
    const share = fc.uint8Array({ maxLength: 4_000, size: 'max' }).filter(({ length }) => length !== 1120);
    await fc.assert(
      fc.asyncProperty(share, async (bytes) => {
        assert.equal(await errorFor(bytes), wrongLength(bytes.length));
      }),
      { numRuns: 60 },
    );
  });

  it('1120 bytes of zeros are refused: no point of the curve gives a secret of zeros', async () => {
    assert.match(await errorFor(Buffer.alloc(1120)), /^Error while computing DH secret \(mlkem768x25519\): /);
  });

  it('1120 bytes that nobody has computed give a secret, and the signature over it does not hold', async () => {
    assert.match(await errorFor(Buffer.alloc(1120, 9)), /signature verification failed/);
  });
});

function ed25519Key(): Buffer {
  return generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
}
