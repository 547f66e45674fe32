import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import {
  certificateTime,
  forever,
  parseCertificate,
  type Certificate,
  type CertificateOption,
} from '../../../../src/domain/keys/certificate.ts';
import { parsePublicLine } from '../../../../src/domain/keys/publicLine.ts';
import { sshString } from '../../../../src/domain/keys/wire.ts';
import { fingerprintOf } from '../../../../src/domain/trust/hostKey.ts';
import {
  authorityAlgorithms,
  verifyCertificate,
} from '../../../../src/infrastructure/ssh/keys/verifyCertificate.ts';
import { mustRun, run } from '../../../lab/run.ts';
import { startSshd, type Sshd } from '../../../lab/sshd.ts';
import { generateKey, type KeyPair } from '../../../lab/sshKey.ts';
import { newSecurityKey } from '../../../lab/securityKey.ts';

/** What `ssh-keygen -t` and `-b` make. */
const kinds = ['ed25519', 'ecdsa 256', 'ecdsa 384', 'ecdsa 521', 'rsa 2048'] as const;
type Kind = (typeof kinds)[number];

describe('certificates', () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);
  const keyFile = (kind: Kind): string => at(kind.replace(' ', ''));

  before(async function () {
    this.timeout(120_000);
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-certificates-'));
    await Promise.all(
      kinds.map((kind) => {
        const [type = '', bits] = kind.split(' ');
        const size = bits === undefined ? [] : ['-b', bits];
        return mustRun('ssh-keygen', ['-q', '-t', type, ...size, '-N', '', '-C', kind, '-f', keyFile(kind)]);
      }),
    );
    for (const [name, line] of Object.entries(securityKeys)) await fs.writeFile(at(`${name}.pub`), line);
  });
  after(() => fs.rm(folder, { recursive: true }));

  /** Signs the public half at `subject` and returns the certificate's file. */
  async function certify(subject: string, authority: Kind, options: readonly string[]): Promise<string> {
    await mustRun('ssh-keygen', ['-q', '-s', keyFile(authority), ...options, `${subject}.pub`]);
    return `${subject}-cert.pub`;
  }

  async function read(file: string): Promise<Certificate> {
    const line = parsePublicLine(await fs.readFile(file, 'utf8'));
    assert.ok(line, 'the file holds a public line');
    const parsed = parseCertificate(line.blob);
    assert.equal(parsed.k, 'certificate');
    return parsed.certificate;
  }

  async function listing(file: string): Promise<string> {
    const text = await mustRun('ssh-keygen', ['-L', '-f', file], { env: { ...process.env, TZ: 'UTC' } });
    return text.slice(text.indexOf('\n') + 1);
  }

  for (const authority of kinds)
    for (const subject of kinds)
      it(`of ${subject} by ${authority} read as ssh-keygen lists them and verify`, async () => {
        const file = await certify(keyFile(subject), authority, [
          '-I',
          'who',
          '-n',
          'root,deploy',
          '-z',
          '7',
        ]);
        const certificate = await read(file);
        assert.equal(listed(certificate), await listing(file));
        assert.equal(verifyCertificate(certificate).k, 'verified');
      });

  for (const algorithm of ['rsa-sha2-512', 'rsa-sha2-256'])
    it(`by an RSA authority with ${algorithm} verify unless it is not allowed`, async () => {
      const certificate = await read(
        await certify(keyFile('ed25519'), 'rsa 2048', ['-t', algorithm, '-I', 'x']),
      );
      assert.equal(certificate.signatureAlgorithm, algorithm);
      assert.equal(verifyCertificate(certificate).k, 'verified');
      const others = authorityAlgorithms.filter((name) => name !== algorithm);
      assert.deepEqual(verifyCertificate(certificate, others), { k: 'algorithm-not-allowed', algorithm });
    });

  it('with a SHA-1 signature are refused, whatever is allowed', async () => {
    const file = await certify(keyFile('ed25519'), 'rsa 2048', ['-t', 'ssh-rsa', '-I', 'x']);
    const certificate = await read(file);
    assert.deepEqual(verifyCertificate(certificate, ['ssh-rsa', ...authorityAlgorithms]), {
      k: 'algorithm-not-allowed',
      algorithm: 'ssh-rsa',
    });
  });

  for (const [name, options] of [
    ['a host', ['-h', '-n', 'web.example.com,192.0.2.1']],
    ['no principal', []],
    ['many principals', ['-n', Array.from({ length: 256 }, (_, i) => `user${i}`).join(',')]],
    ['principals outside ASCII', ['-n', 'Jürgen,日本']],
    ['the largest serial', ['-z', '18446744073709551615']],
    ['no end', ['-V', 'always:forever']],
    ['an end only', ['-V', 'always:20990101000000Z']],
    ['a beginning only', ['-V', '20200101000000Z:forever']],
    ['a window in the past', ['-V', '20200101000000Z:20210101000000Z']],
    ['a window in the future', ['-V', '20980101000000Z:20990101000000Z']],
    [
      'a forced command',
      ['-O', 'force-command=uptime -p', '-O', 'source-address=192.0.2.0/24,2001:db8::/32'],
    ],
    ['a required presence', ['-O', 'verify-required', '-O', 'clear']],
    ['options of others', ['-O', 'critical:one@example.com=two', '-O', 'extension:three@example.com']],
  ] as const)
    it(`for ${name} read as ssh-keygen lists them`, async () => {
      const file = await certify(keyFile('ecdsa 256'), 'ed25519', ['-I', 'an "id"', ...options]);
      const certificate = await read(file);
      assert.equal(listed(certificate), await listing(file));
      assert.equal(verifyCertificate(certificate).k, 'verified');
    });

  for (const name of ['sk-ed25519', 'sk-ecdsa'])
    it(`of a security key (${name}) read as ssh-keygen lists them`, async () => {
      const file = await certify(at(name), 'ed25519', ['-I', 'touch', '-n', 'root']);
      const certificate = await read(file);
      assert.equal(listed(certificate), await listing(file));
      assert.equal(certificate.key.keyType.startsWith('sk-'), true);
      const plain = parsePublicLine(await fs.readFile(at(`${name}.pub`), 'utf8'));
      assert.deepEqual(Buffer.from(certificate.key.blob), Buffer.from(plain?.blob ?? []));
    });

  for (const kind of ['ed25519', 'ecdsa'] as const)
    it(`by a security key (${kind}) read as ssh-keygen lists them and verify`, async () => {
      const authority = newSecurityKey(kind);
      const subject = await read(await certify(keyFile('ed25519'), 'ed25519', ['-I', 'x', '-n', 'root']));
      // Everything up to the authority, then the other authority and its signature.
      const fields = subject.signedBytes.subarray(0, -4 - subject.authority.blob.length);
      const toSign = Buffer.concat([fields, sshString(authority.blob)]);
      const blob = Buffer.concat([toSign, sshString(authority.sign(toSign))]);
      const file = at(`soft-${kind}-cert.pub`);
      await fs.writeFile(file, `${subject.certificateType} ${blob.toString('base64')}\n`);
      const certificate = await read(file);
      assert.equal(listed(certificate), await listing(file));
      assert.equal(verifyCertificate(certificate).k, 'verified');
    });

  it('have the certified key and the authority as plain blobs', async () => {
    const certificate = await read(await certify(keyFile('rsa 2048'), 'ecdsa 384', ['-I', 'x']));
    const blobOf = async (kind: Kind): Promise<string> =>
      Buffer.from(parsePublicLine(await fs.readFile(`${keyFile(kind)}.pub`, 'utf8'))?.blob ?? []).toString(
        'base64',
      );
    assert.equal(Buffer.from(certificate.key.blob).toString('base64'), await blobOf('rsa 2048'));
    assert.equal(Buffer.from(certificate.authority.blob).toString('base64'), await blobOf('ecdsa 384'));
  });

  it('with any byte changed are unreadable, not signed or not allowed, never verified', async function () {
    this.timeout(120_000);
    const { blob } = await read(await certify(keyFile('ed25519'), 'ed25519', ['-I', 'x', '-n', 'root']));
    for (let at = 0; at < blob.length; at++)
      for (const change of [0x01, 0x80, 0xff]) {
        const changed = Uint8Array.from(blob);
        changed[at] = (changed[at] ?? 0) ^ change;
        const parsed = parseCertificate(changed);
        const verdict = parsed.k === 'certificate' ? verifyCertificate(parsed.certificate).k : parsed.problem;
        assert.notEqual(verdict, 'verified', `byte ${at}`);
      }
  });

  it('cut off anywhere, or with more behind, are damaged', async () => {
    const { blob } = await read(await certify(keyFile('ecdsa 256'), 'ecdsa 256', ['-I', 'x', '-n', 'root']));
    for (let length = 0; length < blob.length; length++)
      assert.equal(parseCertificate(blob.subarray(0, length)).k, 'unreadable', `${length} bytes`);
    assert.deepEqual(parseCertificate(Buffer.concat([blob, Buffer.from([0])])), {
      k: 'unreadable',
      problem: 'damaged',
    });
  });

  it('with a changed field are refused by ssh-keygen too', async () => {
    const certificate = await read(await certify(keyFile('ed25519'), 'ed25519', ['-I', 'xyzzy']));
    const forged = Buffer.from(certificate.blob);
    forged.write('XYZZY', forged.indexOf('xyzzy'));
    const parsed = parseCertificate(forged);
    assert.equal(parsed.k, 'certificate');
    assert.deepEqual(verifyCertificate(parsed.certificate), { k: 'not-signed' });
    await fs.writeFile(
      at('forged-cert.pub'),
      `${certificate.certificateType} ${forged.toString('base64')}\n`,
    );
    assert.notEqual((await run('ssh-keygen', ['-L', '-f', at('forged-cert.pub')])).status, 0);
  });

  it('are told from plain keys and from noise', () => {
    for (const line of Object.values(securityKeys))
      assert.deepEqual(parseCertificate(parsePublicLine(line)?.blob ?? new Uint8Array()), {
        k: 'unreadable',
        problem: 'not-a-certificate',
      });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
        assert.deepEqual(parseCertificate(noise), { k: 'unreadable', problem: 'not-a-certificate' });
        const named = Buffer.concat([sshString('ssh-rsa-cert-v01@openssh.com'), noise]);
        assert.equal(parseCertificate(named).k, 'unreadable');
      }),
    );
  });

  it('are valid from the first second of their window to the last before its end', () => {
    const window = { validAfter: 100n, validBefore: 200n };
    assert.deepEqual(
      [99n, 100n, 199n, 200n].map((now) => certificateTime(window, now)),
      ['not-yet-valid', 'valid', 'valid', 'expired'],
    );
    assert.equal(certificateTime({ validAfter: 0n, validBefore: forever }, 0n), 'valid');
  });
});

describe('a real server takes a user certificate exactly when we would', function () {
  this.timeout(60_000);
  let folder: string;
  let server: Sshd;
  let subject: KeyPair;
  const authorities = new Map<string, KeyPair>();
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-authorities-'));
    const types = ['ed25519', 'ecdsa', 'rsa'] as const;
    for (const type of types) authorities.set(type, await generateKey(path.join(folder, type), { type }));
    const trusted = path.join(folder, 'trusted');
    await fs.writeFile(
      trusted,
      [...authorities.values()].map(({ publicLine }) => `${publicLine}\n`).join(''),
    );
    server = await startSshd({ config: [`TrustedUserCAKeys ${trusted}`] });
    subject = await server.newKey();
  });
  after(async () => {
    await server.stop();
    await fs.rm(folder, { recursive: true });
  });

  for (const [name, authority, options, expected] of [
    ['for the user', 'ed25519', ['-n', 'USER'], true],
    ['for the user among others', 'ecdsa', ['-n', 'someone,USER,other'], true],
    ['for somebody else', 'ed25519', ['-n', 'someone'], false],
    ['for nobody', 'ed25519', [], false],
    ['that has expired', 'ed25519', ['-n', 'USER', '-V', '20200101:20210101'], false],
    ['that is not valid yet', 'ed25519', ['-n', 'USER', '-V', '20980101:20990101'], false],
    ['without an end', 'ed25519', ['-n', 'USER', '-V', 'always:forever'], true],
    ['for hosts', 'ed25519', ['-n', 'USER', '-h'], false],
    ['with a forced command', 'ed25519', ['-n', 'USER', '-O', 'force-command=true'], true],
    ['with an unknown critical option', 'ed25519', ['-n', 'USER', '-O', 'critical:x@example.com=1'], false],
    ['with an unknown extension', 'ed25519', ['-n', 'USER', '-O', 'extension:x@example.com=1'], true],
    ['signed with rsa-sha2-512', 'rsa', ['-n', 'USER', '-t', 'rsa-sha2-512'], true],
    ['signed with rsa-sha2-256', 'rsa', ['-n', 'USER', '-t', 'rsa-sha2-256'], true],
    ['signed with SHA-1', 'rsa', ['-n', 'USER', '-t', 'ssh-rsa'], false],
  ] as const)
    it(`${name}: ${expected ? 'taken' : 'refused'}`, async () => {
      const user = server.account.name;
      const signing = ['-q', '-s', authorities.get(authority)?.privateFile ?? '', '-I', 'x'];
      const named = options.map((option) => option.replace('USER', user));
      await mustRun('ssh-keygen', [...signing, ...named, subject.publicFile]);
      const certificateFile = `${subject.privateFile}-cert.pub`;
      const identity = { IdentityFile: subject.privateFile, CertificateFile: certificateFile };
      const login = await run('ssh', server.sshArguments('true', identity));
      assert.equal(login.status === 0, expected, login.stderr);

      const parsed = parseCertificate(
        parsePublicLine(await fs.readFile(certificateFile, 'utf8'))?.blob ?? new Uint8Array(),
      );
      assert.equal(parsed.k, 'certificate');
      assert.equal(isTakenFor(user, parsed.certificate), expected);
    });

  function isTakenFor(user: string, certificate: Certificate): boolean {
    return (
      verifyCertificate(certificate).k === 'verified' &&
      certificate.role === 'user' &&
      certificateTime(certificate, BigInt(Math.floor(Date.now() / 1000))) === 'valid' &&
      certificate.principals.includes(user) &&
      certificate.criticalOptions.every(({ name }) => name === 'force-command')
    );
  }
});

/** Public halves of security keys, made up: no hardware has their private halves. */
const application = sshString('ssh:');
const securityKeys = {
  'sk-ed25519': line('sk-ssh-ed25519@openssh.com', [sshString(Buffer.alloc(32, 7))]),
  // The point of the curve that the standard starts from. Source: FIPS 186-4 D.1.2.3.
  'sk-ecdsa': line('sk-ecdsa-sha2-nistp256@openssh.com', [
    sshString('nistp256'),
    sshString(
      Buffer.from(
        '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
        'hex',
      ),
    ),
  ]),
};

function line(keyType: string, fields: readonly Buffer[]): string {
  const blob = Buffer.concat([sshString(keyType), ...fields, application]);
  return `${keyType} ${blob.toString('base64')} made up\n`;
}

/** The certificate in the words of `ssh-keygen -L`, without the line of the file. */
function listed(certificate: Certificate): string {
  const { key, authority, principals, criticalOptions, extensions } = certificate;
  const items = (title: string, values: readonly string[], empty = `${title}: (none)`): string[] =>
    values.length === 0 ? [empty] : [`${title}: `, ...values.map((value) => `        ${value}`)];
  const lines = [
    `Type: ${certificate.certificateType} ${certificate.role} certificate`,
    `Public key: ${familyOf(key.keyType)}-CERT ${fingerprintOf(key.blob)}`,
    `Signing CA: ${familyOf(authority.keyType)} ${fingerprintOf(authority.blob)} (using ${certificate.signatureAlgorithm})`,
    `Key ID: "${certificate.keyId}"`,
    `Serial: ${certificate.serial}`,
    `Valid: ${windowOf(certificate)}`,
    ...items('Principals', principals),
    ...items('Critical Options', criticalOptions.map(optionText)),
    ...items('Extensions', extensions.map(optionText)),
  ];
  return lines.map((text) => `        ${text}\n`).join('');
}

function familyOf(keyType: string): string {
  const family = /ed25519|ecdsa|rsa/.exec(keyType)?.[0].toUpperCase() ?? '';
  return keyType.startsWith('sk-') ? `${family}-SK` : family;
}

function windowOf({ validAfter, validBefore }: Certificate): string {
  const time = (seconds: bigint): string => new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (validBefore === forever) return validAfter === 0n ? 'forever' : `after ${time(validAfter)}`;
  return validAfter === 0n
    ? `before ${time(validBefore)}`
    : `from ${time(validAfter)} to ${time(validBefore)}`;
}

function optionText({ name, data, value }: CertificateOption): string {
  if (['force-command', 'source-address'].includes(name)) return `${name} ${value ?? ''}`;
  if (!name.includes('@')) return name;
  if (data.length === 0) return `${name} UNKNOWN FLAG OPTION`;
  return `${name} UNKNOWN OPTION: ${Buffer.from(data).toString('hex')} (len ${data.length})`;
}
