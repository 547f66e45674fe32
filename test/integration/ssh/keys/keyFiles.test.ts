import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { after, before, describe, it } from 'mocha';
import type { ParsedKey } from 'ssh2';
import { parsePublicLine } from '../../../../src/domain/keys/publicLine.ts';
import { readKeyFile, type KeyFile } from '../../../../src/infrastructure/ssh/keys/keyFile.ts';
import { describeKey } from '../../../../src/infrastructure/ssh/keys/describeKey.ts';
import { openKey, type OpenedKey } from '../../../../src/infrastructure/ssh/keys/openKey.ts';
import type { PrivateKey } from '../../../../src/infrastructure/ssh/keys/privateKey.ts';
import { readKey } from '../../../../src/infrastructure/ssh/keys/readKey.ts';
import { loadSsh2 } from '../../../../src/infrastructure/ssh/ssh2Library.ts';
import { mustRun } from '../../../lab/run.ts';
import {
  canHold,
  containers,
  KeyForge,
  kinds,
  openSsh,
  passphrase,
  pem,
  pkcs8,
  ppk,
  type Container,
  type Kind,
} from './keyForge.ts';
import { isSha1TakenByOpenSsl, isTakenByOpenSsh } from './sshSignature.ts';

const never = new AbortController().signal;

describe('key files', function () {
  this.timeout(120_000);
  let forge: KeyForge;
  before(async () => {
    forge = await KeyForge.open();
  });
  after(() => forge.dispose());

  async function load(file: string, secret = passphrase): Promise<PrivateKey> {
    const read = await readKeyFile(file);
    if (read.k === 'plain') return read.key;
    const opened = await open(read, secret);
    assert.equal(opened.k, 'key', opened.k === 'unusable' ? opened.problem.reason : '');
    return opened.key;
  }

  async function open(read: KeyFile, secret: string): Promise<OpenedKey> {
    assert.equal(read.k, 'encrypted');
    return openKey(read.container, Buffer.from(secret), never);
  }

  async function publicBlob(kind: Kind): Promise<Buffer> {
    const line = parsePublicLine(await fs.readFile(`${await forge.base(kind)}.pub`, 'utf8'));
    return Buffer.from(line?.blob ?? []);
  }

  const algorithms = (kind: Kind): readonly string[] => {
    const [type = '', bits = ''] = kind.split(' ');
    if (type === 'rsa') return ['rsa-sha2-512', 'rsa-sha2-256'];
    return [type === 'ecdsa' ? `ecdsa-sha2-nistp${bits}` : 'ssh-ed25519'];
  };

  for (const container of containers)
    for (const kind of kinds.filter((one) => canHold(container, one)))
      it(`${container.name}, ${kind}: loads and signs what OpenSSH takes`, async () => {
        const file = await forge.make(container, kind);
        const read = await readKeyFile(file);
        assert.equal(read.k, container.isEncrypted ? 'encrypted' : 'plain');
        const key = await load(file);
        const isOfBase = !(container.name.startsWith('PKCS#8') && kind === 'ed25519');
        if (isOfBase) assert.deepEqual(Buffer.from(key.publicKey.blob), await publicBlob(kind));
        for (const algorithm of algorithms(kind))
          assert.ok(await isTakenByOpenSsh(key, algorithm, file), `a signature with ${algorithm}`);
      });

  for (const container of containers.filter(({ isEncrypted }) => isEncrypted))
    it(`${container.name}: says so when the passphrase is wrong or missing`, async () => {
      const read = await readKeyFile(await forge.make(container, kindFor(container)));
      const expected = /OpenSSH.*-(?:cbc|ctr)$/.test(container.name)
        ? 'wrong-passphrase'
        : 'wrong-passphrase-or-damaged';
      const wrong = await open(read, 'wrong horse');
      assert.equal(wrong.k === 'unusable' ? wrong.problem.code : wrong.k, expected);
      const missing = await open(read, '');
      assert.equal(missing.k === 'unusable' ? missing.problem.code : missing.k, 'needs-passphrase');
    });

  it('the default of ssh-keygen with a passphrase loads', async () => {
    const file = forge.newPath();
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'me@home', '-f', file]);
    const key = await load(file);
    assert.equal(key.comment, 'me@home');
    assert.ok(await isTakenByOpenSsh(key, 'ssh-ed25519', file));
  });

  it('the comment of each container that has one is kept', async () => {
    for (const container of [openSsh(), openSsh('aes256-ctr'), ppk(2), ppk(3), ppk(2, '')])
      assert.equal(
        (await load(await forge.make(container, 'ed25519'))).comment,
        'my ed25519',
        container.name,
      );
  });

  describe('what the SSH library itself does not read', () => {
    const rows: readonly (readonly [row: string, container: Container, kinds: readonly Kind[]])[] = [
      ['OpenSSH with chacha20-poly1305', openSsh('chacha20-poly1305@openssh.com'), kinds],
      ['PKCS#8, plain', pkcs8(), kinds],
      ['PKCS#8, encrypted', pkcs8('-v2', 'aes-256-cbc'), kinds],
      ['PPK v2, plain', ppk(2), ['ecdsa 256', 'ed25519']],
      ['PPK v2, encrypted', ppk(2, ''), ['ecdsa 256', 'ed25519']],
      ['PPK v3, plain', ppk(3), kinds],
      ['PPK v3, encrypted', ppk(3, 'kdf=argon2id,memory=256,passes=2'), kinds],
    ];
    for (const [row, container, some] of rows)
      for (const kind of some)
        it(`${row}, ${kind}`, async () => {
          const file = await forge.make(container, kind);
          assert.ok(
            (await stock(await fs.readFile(file, 'utf8'))) instanceof Error,
            'the library refuses it',
          );
          await load(file);
        });

    const disguises: readonly (readonly [row: string, disguise: (text: string) => string])[] = [
      ['text before the PEM header', (text) => `Bag Attributes\n    friendlyName: me\n${text}`],
      ['indented PEM (pasted from YAML)', (text) => `key: |\n${text.replace(/^/gm, '    ')}`],
    ];
    for (const [row, disguise] of disguises)
      for (const container of [openSsh(), openSsh('aes256-ctr'), pem(), pem('aes128')])
        it(`${row}, ${container.name}`, async () => {
          const file = await forge.make(container, 'ecdsa 256');
          const text = disguise(await fs.readFile(file, 'utf8'));
          await fs.writeFile(file, text);
          assert.ok((await stock(text)) instanceof Error, 'the library refuses it');
          await load(file);
        });

    async function stock(text: string): Promise<ParsedKey | Error> {
      return (await loadSsh2()).utils.parseKey(text, passphrase);
    }
  });

  describe('as they come out of editors and mail', () => {
    const disguises: readonly (readonly [name: string, disguise: (text: string) => string | Buffer])[] = [
      ['a byte order mark', (text) => `\uFEFF${text}`],
      ['Windows line ends', (text) => text.replace(/\n/g, '\r\n')],
      ['old Macintosh line ends', (text) => text.replace(/\n/g, '\r')],
      ['no final newline', (text) => text.trimEnd()],
      ['empty lines around it', (text) => `\n\n${text}\n\n\n`],
      ['indentation by tabs', (text) => text.replace(/^/gm, '\t\t')],
      ['text before it', (text) => `Here is the key:\n\n${text}`],
      [
        'all of that',
        (text) => `\uFEFFkey: |\r\n${text.trimEnd().replace(/^/gm, '  ').replace(/\n/g, '\r\n')}`,
      ],
      ['UTF-16, as PowerShell writes', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ];
    const some = [openSsh(), openSsh('aes256-gcm@openssh.com'), pem('aes256'), pkcs8(), ppk(2, ''), ppk(3)];
    for (const [name, disguise] of disguises)
      for (const container of some)
        it(`${container.name} with ${name} loads`, async () => {
          const file = await forge.make(container, 'ecdsa 384');
          await fs.writeFile(file, disguise(await fs.readFile(file, 'utf8')));
          assert.deepEqual(Buffer.from((await load(file)).publicKey.blob), await publicBlob('ecdsa 384'));
        });
  });

  describe('picked by mistake', () => {
    it('a public half names the private file beside it', async () => {
      const file = await forge.base('ed25519');
      const read = await readKeyFile(`${file}.pub`);
      assert.equal(read.k, 'public');
      assert.equal(read.privateFile, file);
      assert.equal(read.isCertificate, false);
      assert.deepEqual(Buffer.from(read.blob), await publicBlob('ed25519'));
    });

    it('a certificate names the private file beside it', async () => {
      const file = await forge.make(openSsh(), 'ecdsa 256');
      await fs.copyFile(`${await forge.base('ecdsa 256')}.pub`, `${file}.pub`);
      await mustRun('ssh-keygen', ['-q', '-s', await forge.base('ed25519'), '-I', 'x', `${file}.pub`]);
      const read = await readKeyFile(`${file}-cert.pub`);
      assert.equal(read.k, 'public');
      assert.equal(read.isCertificate, true);
      assert.equal(read.privateFile, file);
    });

    it('a public half without a private file names none', async () => {
      const file = forge.newPath();
      await fs.copyFile(`${await forge.base('ed25519')}.pub`, `${file}.pub`);
      await fs.writeFile(file, 'something else');
      const read = await readKeyFile(`${file}.pub`);
      assert.equal(read.k === 'public' ? read.privateFile : 'another kind', undefined);
    });

    for (const [form, program, options] of [
      ['RFC 4716', 'ssh-keygen', ['-e', '-m', 'RFC4716', '-f']],
      ['PKCS#8', 'ssh-keygen', ['-e', '-m', 'PKCS8', '-f']],
      ['PKCS#1', 'ssh-keygen', ['-e', '-m', 'PEM', '-f']],
      ["PuTTY's", 'puttygen', ['-p']],
    ] as const)
      it(`a public half in the form of ${form} is one`, async () => {
        const file = forge.newPath();
        await fs.writeFile(file, await mustRun(program, [...options, await forge.base('rsa 2048')]));
        const read = await readKeyFile(file);
        assert.equal(read.k, 'public');
        assert.deepEqual(Buffer.from(read.blob), await publicBlob('rsa 2048'));
      });
  });

  describe('that are refused', () => {
    const reasonOf = async (file: string): Promise<string> => {
      const read = await readKeyFile(file);
      return read.k === 'unreadable' ? read.reason : read.k;
    };

    for (const bits of [512, 1023])
      for (const form of ['-traditional', undefined])
        it(`RSA of ${bits} bits in ${form === undefined ? 'PKCS#8' : 'PKCS#1'}`, async () => {
          const file = forge.newPath();
          const how = form === undefined ? [] : [form];
          await mustRun('openssl', ['genrsa', ...how, '-out', file, String(bits)]);
          assert.equal(await reasonOf(file), 'RSA keys below 1024 bits are not used');
        });

    for (const form of ['-traditional', undefined])
      it(`DSA in ${form === undefined ? 'PKCS#8' : 'its own PEM'}`, async () => {
        const parameters = forge.newPath();
        const file = forge.newPath();
        await mustRun('openssl', ['dsaparam', '-genkey', '-out', parameters, '1024']);
        const how = form === undefined ? [] : [form];
        await mustRun('openssl', ['pkey', '-in', parameters, ...how, '-out', file]);
        assert.equal(await reasonOf(file), 'DSA keys are not used any more');
      });

    for (const [name, make] of [
      ['ed448', ['genpkey', '-algorithm', 'ed448']],
      ['x25519', ['genpkey', '-algorithm', 'x25519']],
      ['RSA-PSS', ['genpkey', '-algorithm', 'RSA-PSS']],
      ['a curve that SSH does not have', ['ecparam', '-name', 'secp256k1', '-genkey', '-noout']],
    ] as const)
      it(name, async () => {
        const file = forge.newPath();
        await mustRun('openssl', [...make, '-out', file]);
        assert.equal(await reasonOf(file), 'keys of this kind are not used for SSH');
      });

    it('an X.509 certificate', async () => {
      const file = forge.newPath();
      const key = await forge.pkcs8('ecdsa 256');
      await mustRun('openssl', ['req', '-x509', '-key', key, '-subj', '/CN=example.com', '-out', file]);
      assert.equal(await reasonOf(file), 'this is an X.509 certificate, which is no key for SSH');
    });

    it('a folder, a device and a file larger or of more lines than any key', async () => {
      const [large, long] = [forge.newPath(), forge.newPath()];
      await fs.writeFile(large, Buffer.alloc(1024 * 1024 + 1));
      await fs.writeFile(long, '\n'.repeat(10_001));
      assert.deepEqual(await Promise.all([forge.folder, '/dev/zero', large, long].map(reasonOf)), [
        'it is no file',
        'it is no file',
        'the file is too large to be a key',
        'the file is too large to be a key',
      ]);
    });

    it('a file that is not there is missing', async () => {
      assert.equal((await readKeyFile(forge.newPath())).k, 'missing');
    });
  });

  it('RSA of 1024 bits loads with a warning, of 2048 without', async () => {
    const file = forge.newPath();
    await mustRun('openssl', ['genrsa', '-traditional', '-out', file, '1024']);
    assert.equal((await load(file)).isWeak, true);
    assert.equal((await load(await forge.base('rsa 2048'))).isWeak, false);
  });

  it('RSA signs with SHA-1 only by its name, and no key signs by the name of another', async () => {
    const rsa = await forge.base('rsa 2048');
    const key = await load(rsa);
    assert.ok(await isSha1TakenByOpenSsl(key, `${rsa}.pub`, forge.newPath()));
    await assert.rejects(key.sign('ssh-ed25519', Buffer.alloc(1)), RangeError);
    const other = await load(await forge.base('ed25519'));
    await assert.rejects(other.sign('rsa-sha2-512', Buffer.alloc(1)), RangeError);
  });

  it('a file of parameters and a key loads by the key', async () => {
    const file = forge.newPath();
    await mustRun('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-out', file]);
    assert.match(await fs.readFile(file, 'utf8'), /^-----BEGIN EC PARAMETERS/);
    assert.equal((await load(file)).publicKey.keyType, 'ecdsa-sha2-nistp256');
  });

  it('a PPK with a certificate in it loads with its plain key and the certificate', async () => {
    const signed = await forge.make(openSsh(), 'ed25519');
    await fs.copyFile(`${await forge.base('ed25519')}.pub`, `${signed}.pub`);
    await mustRun('ssh-keygen', ['-q', '-s', await forge.base('rsa 2048'), '-I', 'x', `${signed}.pub`]);
    const file = forge.newPath();
    await mustRun('puttygen', [
      ...[signed, '-O', 'private', '-o', file, '--certificate', `${signed}-cert.pub`],
      ...['--new-passphrase', await forge.secretFile('')],
    ]);
    const key = await load(file);
    assert.deepEqual(Buffer.from(key.publicKey.blob), await publicBlob('ed25519'));
    const line = parsePublicLine(await fs.readFile(`${signed}-cert.pub`, 'utf8'));
    assert.deepEqual(Buffer.from(key.certificate ?? []), Buffer.from(line?.blob ?? []));
  });

  it('an encrypted file tells its public half where it holds one or has it beside it', async () => {
    const inTheFile = await readKeyFile(await forge.make(openSsh('aes256-ctr'), 'ecdsa 521'));
    const alone = await forge.make(pem('aes256'), 'ecdsa 521');
    const without = await readKeyFile(alone);
    await fs.copyFile(`${await forge.base('ecdsa 521')}.pub`, `${alone}.pub`);
    const beside = await readKeyFile(alone);
    const blobs = [inTheFile, without, beside].map((read) => (read.k === 'encrypted' ? read.blob : read.k));
    const expected = await publicBlob('ecdsa 521');
    assert.deepEqual(
      blobs.map((blob) => (blob instanceof Uint8Array ? Buffer.from(blob) : blob)),
      [expected, undefined, expected],
    );
  });
});

describe('what a key file says without its passphrase', function () {
  this.timeout(60_000);
  let forge: KeyForge;
  before(async () => {
    forge = await KeyForge.open();
  });
  after(() => forge.dispose());

  /** Fingerprint as ssh-keygen prints it. */
  const fingerprint = async (kind: Kind): Promise<string> =>
    (await mustRun('ssh-keygen', ['-l', '-f', `${await forge.base(kind)}.pub`])).split(' ')[1] ?? '';

  for (const [container, has, comment] of [
    [openSsh(), 'private half', 'my rsa 2048'],
    [openSsh('aes256-ctr'), 'encrypted private half', undefined],
    [ppk(2, ''), 'encrypted private half', 'my rsa 2048'],
    [ppk(3, 'kdf=argon2id,memory=64,passes=1'), 'encrypted private half', 'my rsa 2048'],
    [pem(), 'private half', undefined],
  ] as const)
    it(`${container.name}: type, bits, fingerprint${comment === undefined ? '' : ' and comment'}`, async () => {
      const read = await readKey(await fs.readFile(await forge.make(container, 'rsa 2048')));
      assert.deepEqual(describeKey(read), {
        ...{ keyType: 'ssh-rsa', bits: 2048, fingerprint: await fingerprint('rsa 2048'), has, comment },
        ...{ certificate: undefined, isWeak: false },
      });
    });

  it('an encrypted PEM or PKCS#8 says nothing', async () => {
    for (const container of [pem('aes256'), pkcs8('-v2', 'aes-256-cbc')])
      assert.equal(
        describeKey(await readKey(await fs.readFile(await forge.make(container, 'ecdsa 256')))),
        undefined,
      );
  });

  it('a certificate says what it certifies', async () => {
    const base = await forge.base('ed25519');
    await mustRun('ssh-keygen', ['-q', '-s', await forge.base('ecdsa 256'), '-I', 'me', `${base}.pub`]);
    const described = describeKey(await readKey(await fs.readFile(`${base}-cert.pub`)));
    assert.deepEqual(
      [described?.keyType, described?.fingerprint, described?.has, described?.certificate?.keyId],
      ['ssh-ed25519', await fingerprint('ed25519'), 'public half', 'me'],
    );
  });
});

function kindFor(container: Container): Kind {
  return canHold(container, 'ed25519') ? 'ed25519' : 'ecdsa 256';
}
