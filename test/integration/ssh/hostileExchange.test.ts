import { generateKeyPairSync } from 'node:crypto';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { KexAlgorithm } from 'ssh2';
import { kexMessage, wireString } from '../../lab/kexServer.ts';
import { failedExchange } from './rawClient.ts';

/** Whatever a server sends as its part of an exchange, the client ends with an error and nothing is thrown past it. */
describe('an exchange of keys with a hostile server', function () {
  this.timeout(120_000);
  const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(key)]);
  const signature = Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(64))]);
  const answer = (share: Uint8Array): Buffer =>
    Buffer.concat([
      Buffer.from([kexMessage.ecdhReply]),
      ...[blob, share, signature].map((part) => wireString(part)),
    ]);
  const exchange = (kex: string, payloads: readonly Buffer[]): Promise<string> =>
    failedExchange({ kex: [kex], reply: () => payloads }, { kex: [kex as KexAlgorithm] });
  const newKeys = Buffer.from([kexMessage.newKeys]);

  for (const kex of [
    'mlkem768x25519-sha256',
    'curve25519-sha256',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
  ])
    it(`${kex}: any share ends it`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 400, size: 'max' }), async (share) => {
          assert.notEqual(await exchange(kex, [answer(share), newKeys]), '');
        }),
        { numRuns: 40 },
      );
    });

  it('a reply cut off anywhere ends it', async () => {
    const whole = answer(Buffer.alloc(32, 9));
    for (let keep = 1; keep < whole.length; keep += 7)
      assert.notEqual(await exchange('curve25519-sha256', [whole.subarray(0, keep), newKeys]), '');
  });

  it('any packet instead of the reply ends it', async () => {
    const payload = fc
      .uint8Array({ minLength: 1, maxLength: 60 })
      // Words of a server that may come at any time, and its own goodbye, end nothing by themselves.
      .filter(([type]) => type !== undefined && (type < 1 || type > 4));
    await fc.assert(
      fc.asyncProperty(payload, async (bytes) => {
        assert.notEqual(await exchange('curve25519-sha256', [Buffer.from(bytes), newKeys]), '');
      }),
      { numRuns: 60 },
    );
  });
});
