import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { keyProblem } from '../../../../src/domain/keys/keyProblem.ts';
import { WireReader } from '../../../../src/domain/keys/wire.ts';
import { openKey } from '../../../../src/infrastructure/ssh/keys/openKey.ts';
import { readKey } from '../../../../src/infrastructure/ssh/keys/readKey.ts';
import { KeyForge, openSsh, passphrase, pem, pkcs8, ppk, type Container, type Kind } from './keyForge.ts';

const never = new AbortController().signal;

/** What comes of bytes: the fingerprint-like text of the key, or the code of the problem. */
async function outcome(bytes: Uint8Array, secret = passphrase): Promise<string> {
  const read = await readKey(bytes);
  if (read.k === 'public' || read.k === 'security-key') return read.k;
  if (read.k === 'unreadable') return read.problem.code;
  const opened =
    read.k === 'plain'
      ? { k: 'key' as const, key: read.key }
      : await openKey(read.container, Buffer.from(secret), never);
  if (opened.k === 'unusable') return opened.problem.code;
  return Buffer.from(opened.key.publicKey.blob).toString('base64');
}

const problems = new Set([
  ...['wrong-passphrase', 'wrong-passphrase-or-damaged', 'needs-passphrase', 'damaged', 'unknown-format'],
  ...['unsupported', 'dsa', 'rsa-too-short', 'security-key', 'too-costly', 'derivation-failed'],
]);

describe('damaged key files', function () {
  this.timeout(240_000);
  let forge: KeyForge;
  before(async () => {
    forge = await KeyForge.open();
  });
  after(() => forge.dispose());

  async function made(container: Container, kind: Kind): Promise<{ bytes: Buffer; whole: string }> {
    const bytes = await fs.readFile(await forge.make(container, kind));
    const whole = await outcome(bytes);
    assert.ok(!problems.has(whole), whole);
    return { bytes, whole };
  }

  const quick: readonly (readonly [Container, Kind])[] = [
    [openSsh(), 'ed25519'],
    [openSsh(), 'ecdsa 256'],
    [pem(), 'ecdsa 256'],
    [pem('aes128'), 'ecdsa 256'],
    [pkcs8(), 'ed25519'],
    [pkcs8(), 'ecdsa 256'],
    [pkcs8('-v2', 'aes-256-cbc', '-iter', '1'), 'ed25519'],
    [pkcs8('-v1', 'PBE-SHA1-3DES', '-iter', '1'), 'ed25519'],
    [ppk(2), 'ed25519'],
    [ppk(2, ''), 'ecdsa 256'],
    [ppk(3), 'ed25519'],
  ];
  for (const [container, kind] of quick) {
    it(`${container.name}, ${kind}: with any byte changed give the same key or a problem by name`, async () => {
      const { bytes, whole } = await made(container, kind);
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ ([0x01, 0x02, 0x20, 0x80][at % 4] ?? 1);
        const found = await outcome(changed);
        assert.ok(container.isEncrypted || !found.startsWith('wrong-passphrase'), `byte ${at}: ${found}`);
        const isOther = hasNoCheck(container, kind) && !problems.has(found);
        assert.ok(found === whole || problems.has(found) || isOther, `byte ${at}: ${found}`);
      }
    });

    it(`${container.name}, ${kind}: cut off anywhere give a problem by name`, async () => {
      const { bytes, whole } = await made(container, kind);
      const end = bytes.toString('latin1').trimEnd().length;
      for (let length = 0; length < end; length++) {
        const found = await outcome(bytes.subarray(0, length));
        assert.ok(problems.has(found), `${length} bytes: ${found}`);
      }
      assert.equal(await outcome(bytes.subarray(0, end)), whole);
    });
  }

  const costly: readonly (readonly [Container, Kind])[] = [
    [openSsh('aes256-ctr'), 'ed25519'],
    [openSsh('aes256-cbc'), 'ecdsa 256'],
    [openSsh('aes256-gcm@openssh.com'), 'ed25519'],
    [openSsh('chacha20-poly1305@openssh.com'), 'ed25519'],
    [ppk(3, 'kdf=argon2id,memory=64,passes=1'), 'ed25519'],
    [openSsh(), 'rsa 2048'],
    [pem(), 'rsa 2048'],
  ];
  for (const [container, kind] of costly)
    it(`${container.name}, ${kind}: with some byte changed give the same key or a problem by name`, async () => {
      const { bytes, whole } = await made(container, kind);
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: bytes.length - 1 }),
          fc.integer({ min: 1, max: 255 }),
          async (at, change) => {
            const changed = Buffer.from(bytes);
            changed[at] = (changed[at] ?? 0) ^ change;
            const found = await outcome(changed);
            assert.ok(found === whole || problems.has(found), found);
          },
        ),
        { numRuns: 40 },
      );
    });

  for (const [container, kind] of [
    [openSsh(), 'ed25519'],
    [openSsh(), 'rsa 2048'],
    [pem(), 'ecdsa 256'],
    [pem(), 'rsa 2048'],
    [pkcs8(), 'ecdsa 256'],
  ] as const)
    it(`${container.name}, ${kind}: with the public half of another key are damaged`, async () => {
      const other = await KeyForge.open();
      try {
        const mine = await made(container, kind);
        const whole = await outcome(await fs.readFile(await other.make(container, kind)));
        const [own, foreign] = [mine.whole, whole].map((blob) => lastField(Buffer.from(blob, 'base64')));
        const block = mine.bytes.toString('latin1').trim().split('\n');
        const body = Buffer.from(block.slice(1, -1).join(''), 'base64');
        for (let at = body.indexOf(own ?? ''); at !== -1; at = body.indexOf(own ?? '', at))
          foreign?.copy(body, at);
        const text = [block[0], body.toString('base64'), block.at(-1), ''].join('\n');
        assert.equal(await outcome(Buffer.from(text, 'latin1')), 'damaged');
      } finally {
        await other.dispose();
      }
    });

  it('a PPK with a changed comment is damaged, although its passphrase is right', async () => {
    for (const container of [ppk(2), ppk(2, ''), ppk(3), ppk(3, 'kdf=argon2id,memory=64,passes=1')]) {
      const { bytes } = await made(container, 'ed25519');
      const changed = bytes.toString('latin1').replace('Comment: my', 'Comment: mX');
      assert.equal(await outcome(Buffer.from(changed, 'latin1')), 'damaged', container.name);
    }
  });

  for (const [what, from, to, code] of [
    ['more than 1 GiB of memory', /Argon2-Memory: \d+/, 'Argon2-Memory: 1048577', 'too-costly'],
    ['passes without end', /Argon2-Passes: \d+/, 'Argon2-Passes: 4294967295', 'too-costly'],
    ['a number that is none', /Argon2-Passes: \d+/, 'Argon2-Passes: -1', 'damaged'],
    ['an unknown derivation', /Key-Derivation: .*/, 'Key-Derivation: Argon2x', 'unsupported'],
    ['an unknown cipher', /Encryption: .*/, 'Encryption: rot13', 'unsupported'],
    ['lines without end', /Private-Lines: \d+/, 'Private-Lines: 4294967295', 'damaged'],
    ['version 1', /File-3/, 'File-1', 'unsupported'],
    ['version 4', /File-3/, 'File-4', 'unsupported'],
    ['a DSA key', /ssh-ed25519/, 'ssh-dss', 'dsa'],
    ['a kind that SSH does not have', /ssh-ed25519/, 'ssh-none', 'damaged'],
  ] as const)
    it(`a PPK that asks for ${what} is refused`, async () => {
      const { bytes } = await made(ppk(3, 'kdf=argon2id,memory=64,passes=1'), 'ed25519');
      assert.equal(await outcome(Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')), code);
    });

  for (const [what, dekInfo, code] of [
    ['a cipher that the run time has not', 'DES-CBC,0011223344556677', 'unsupported'],
    ['a cipher that nobody knows', 'ROT13-CBC,0011223344556677', 'unsupported'],
    ['a cipher without padding', 'AES-128-CTR,00112233445566778899AABBCCDDEEFF', 'unsupported'],
    ['a vector of the wrong length', 'AES-128-CBC,0011223344556677', 'damaged'],
    ['no vector', 'AES-128-CBC', 'damaged'],
  ] as const)
    it(`an encrypted PEM with ${what} is ${code}`, async () => {
      const { bytes } = await made(pem('aes128'), 'ecdsa 256');
      const changed = bytes.toString('latin1').replace(/DEK-Info: .*/, `DEK-Info: ${dekInfo}`);
      assert.equal(await outcome(Buffer.from(changed, 'latin1')), code);
    });

  it('a container that asks for rounds of bcrypt without end is refused, with the numbers', async () => {
    const { bytes } = await made(openSsh('aes256-ctr', 3), 'ed25519');
    const read = await readKey(withRounds(bytes, 0xffff_ffff));
    assert.equal(read.k, 'encrypted');
    assert.deepEqual(await openKey(read.container, Buffer.from(passphrase), never), {
      k: 'unusable',
      problem: keyProblem(
        'too-costly',
        'the file asks for 4294967295 rounds of bcrypt and at most 4096 are computed',
      ),
    });
  });

  for (const [name, container, makeCostly] of [
    ['OpenSSH', openSsh('aes256-ctr', 3), (bytes: Buffer) => withRounds(bytes, 4096)],
    [
      'PPK',
      ppk(3, 'kdf=argon2id,memory=1024,passes=1'),
      (bytes: Buffer) =>
        Buffer.from(bytes.toString('latin1').replace('Passes: 1', 'Passes: 65536'), 'latin1'),
    ],
    ['PKCS#8', pkcs8('-v2', 'aes-256-cbc', '-iter', '65536'), (bytes: Buffer) => bytes],
  ] as const)
    it(`opening a costly ${name} container ends when it is given up`, async () => {
      const { bytes } = await made(container, 'ed25519');
      const read = await readKey(makeCostly(bytes));
      assert.equal(read.k, 'encrypted');
      const controller = new AbortController();
      const opening = openKey(read.container, Buffer.from(passphrase), controller.signal);
      controller.abort(new Error('given up'));
      await assert.rejects(opening, /^Error: given up$/);
    });
});

/** PKCS#8 holds of an ed25519 key only the seed: another seed is another key, and nothing tells. */
function hasNoCheck(container: Container, kind: Kind): boolean {
  return container.name.startsWith('PKCS#8') && kind === 'ed25519';
}

/** The modulus or point that a plain public blob ends with. */
function lastField(blob: Buffer): Buffer {
  const reader = new WireReader(blob);
  let field = reader.string();
  while (!reader.isAtEnd) field = reader.string();
  return field;
}

/** The same container with another number of rounds behind its salt. */
function withRounds(bytes: Buffer, rounds: number): Buffer {
  const [head = '', ...rest] = bytes.toString('latin1').trim().split('\n');
  const tail = rest.pop() ?? '';
  const body = Buffer.from(rest.join(''), 'base64');
  const salt = body.indexOf('bcrypt') + 'bcrypt'.length + 4;
  body.writeUInt32BE(rounds, salt + 4 + body.readUInt32BE(salt));
  return Buffer.from([head, body.toString('base64'), tail, ''].join('\n'), 'latin1');
}
