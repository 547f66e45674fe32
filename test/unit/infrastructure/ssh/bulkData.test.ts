import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import parts from 'ssh2/lib/protocol/crypto.js';

/** In front of the payload stand the length of the packet and that of its padding. */
const beforePayload = 5;

function encrypted(name: string, payloads: readonly Buffer[], keys: Keys): Buffer[] {
  const pieces: Buffer[] = [];
  const cipher = parts.createCipher({
    outbound: {
      onWrite: (bytes: Buffer) => pieces.push(bytes),
      cipherInfo: parts.CIPHER_INFO[name],
      cipherKey: keys.key,
      cipherIV: Buffer.from(keys.iv),
      seqno: 0,
    },
  });
  for (const payload of payloads) {
    const packet = cipher.allocPacket(payload.length);
    packet.set(payload, beforePayload);
    cipher.encrypt(packet);
  }
  return pieces;
}

interface Keys {
  readonly key: Buffer;
  readonly iv: Buffer;
}

function newKeys(name: string): Keys {
  const info = parts.CIPHER_INFO[name];
  assert.ok(info);
  return { key: randomBytes(info.keyLen), iv: randomBytes(info.ivLen) };
}

function newDecipher(name: string, keys: Keys, onPayload: (payload: Buffer) => void) {
  return parts.createDecipher({
    inbound: {
      onPayload,
      decipherInfo: parts.CIPHER_INFO[name],
      decipherKey: keys.key,
      decipherIV: Buffer.from(keys.iv),
      seqno: 0,
    },
  });
}

const names = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'];
const sizes = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 3_000, max: 140_000 }));

describe('packets of the library with AES-GCM, by our patch', () => {
  for (const name of names)
    it(`${name}: arrive as they were, wherever the line cuts them and although each read overwrites the last`, () => {
      fc.assert(
        fc.property(
          fc.array(sizes, { minLength: 1, maxLength: 8 }),
          fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 30 }),
          (lengths, cuts) => {
            const payloads = lengths.map((length) => randomBytes(length));
            const keys = newKeys(name);
            const got: Buffer[] = [];
            const decipher = newDecipher(name, keys, (payload) => {
              got.push(payload);
            });
            // Joined at the end: what was handed out first is still what it was.
            const line = Buffer.concat(encrypted(name, payloads, keys));
            const read = Buffer.alloc(70_000);
            for (let at = 0, n = 0; at < line.length; n++) {
              const length = Math.min(cuts[n % cuts.length] ?? 1, line.length - at);
              line.copy(read, 0, at, at + length);
              decipher.decrypt(read.subarray(0, length), 0, length);
              read.fill(0);
              at += length;
            }
            assert.deepEqual(
              got.map((payload) => payload.toString('hex')),
              payloads.map((payload) => payload.toString('hex')),
            );
          },
        ),
        { numRuns: 60 },
      );
    });

  it('a changed bit in a packet that came in pieces is found out', () => {
    const name = 'aes128-gcm@openssh.com';
    const keys = newKeys(name);
    const line = Buffer.concat(encrypted(name, [randomBytes(100_000)], keys));
    line.writeUInt8(line.readUInt8(50_000) ^ 1, 50_000);
    const decipher = newDecipher(name, keys, () => assert.fail('it was taken'));
    decipher.decrypt(line, 0, 30_000);
    assert.throws(() => decipher.decrypt(line, 30_000, line.length));
  });

  it('a packet of more than 256 KiB is refused when its length has come', () => {
    const name = 'aes128-gcm@openssh.com';
    const decipher = newDecipher(name, newKeys(name), () => assert.fail('it was taken'));
    const head = Buffer.from([0, 4, 0, 16]);
    assert.throws(() => decipher.decrypt(head, 0, head.length), /Bad packet length/);
  });

  it('what a short packet held, such as a password, is in no buffer that is used again', () => {
    const name = 'aes128-gcm@openssh.com';
    const keys = newKeys(name);
    const cipher = parts.createCipher({
      outbound: {
        onWrite: () => {},
        cipherInfo: parts.CIPHER_INFO[name],
        cipherKey: keys.key,
        cipherIV: keys.iv,
        seqno: 0,
      },
    });
    const short = cipher.allocPacket(500);
    const long = cipher.allocPacket(30_000);
    assert.notEqual(short.buffer, long.buffer);
    assert.equal(long.buffer, cipher.allocPacket(20_000).buffer);
  });
});
