import { keyTypeOf } from '../trust/hostKey.ts';
import { certificateTypes, parseCertificate } from './certificate.ts';
import { keyProblem, KeyUnusable, type KeyProblem, type KeyProblemCode } from './keyProblem.ts';
import { readOpenSshContainer, type OpenSshContainer } from './openSshContainer.ts';
import { readPem, type PemBlock } from './pem.ts';
import { readPpk, type Ppk } from './ppk.ts';
import { parsePublicKey, type PublicKey } from './publicKey.ts';
import { parsePublicLine } from './publicLine.ts';

/** A private key in the form it has on disk, taken apart as far as that needs no passphrase. */
export type KeyContainer =
  | { readonly k: 'openssh'; readonly container: OpenSshContainer }
  | { readonly k: 'ppk'; readonly ppk: Ppk }
  | {
      readonly k: 'pem';
      readonly form: 'pkcs1' | 'sec1' | 'pkcs8' | 'encrypted-pkcs8';
      readonly block: PemBlock;
    };

/** What a file of text turned out to be. */
export type RecognisedKey =
  | { readonly k: 'private'; readonly container: KeyContainer }
  /** The public half, or a certificate of it; the blob is undefined for forms that carry another encoding. */
  | { readonly k: 'public'; readonly isCertificate: boolean; readonly blob: Uint8Array | undefined }
  /** A file that names a security key: an agent may hold the key itself. */
  | { readonly k: 'security-key'; readonly blob: Uint8Array }
  | { readonly k: 'unusable'; readonly problem: KeyProblem };

/** `text` as `keyTextOf` gives it. Never throws. Source: ssh.md 2.4. */
export function recogniseKey(text: string): RecognisedKey {
  try {
    return recognise(text);
  } catch (error) {
    if (error instanceof KeyUnusable) return { k: 'unusable', problem: error.problem };
    if (error instanceof RangeError) return { k: 'unusable', problem: keyProblem('damaged') };
    throw error;
  }
}

function recognise(text: string): RecognisedKey {
  if (text.startsWith('PuTTY-User-Key-File-')) {
    const ppk = readPpk(text);
    if (ppk.algorithm === 'ssh-dss') throw new KeyUnusable('dsa');
    return { k: 'private', container: { k: 'ppk', ppk } };
  }
  if (text.startsWith('-----BEGIN ')) return recognisePem(readPem(text));
  if (text.startsWith('---- BEGIN SSH2 PUBLIC KEY ----')) return publicHalf(rfc4716Blob(text));
  if (text.startsWith('---- BEGIN SSH2 '))
    throw new KeyUnusable(
      'unsupported',
      'the format of ssh.com is not supported; convert it with ssh-keygen -i',
    );
  if (text.startsWith('SSH PRIVATE KEY FILE FORMAT 1.1'))
    throw new KeyUnusable('unsupported', 'keys of SSH version 1 are not used any more');
  const line = parsePublicLine(text);
  if (line === undefined) throw new KeyUnusable('unknown-format');
  return publicHalf(line.blob);
}

function publicHalf(blob: Uint8Array | undefined): RecognisedKey {
  const keyType = blob === undefined ? undefined : keyTypeOf(blob);
  return { k: 'public', isCertificate: keyType !== undefined && certificateTypes.includes(keyType), blob };
}

/** Labels that name something that is no private key of ours. */
const refusedLabels: Readonly<Record<string, readonly [KeyProblemCode, string?]>> = {
  'DSA PRIVATE KEY': ['dsa'],
  CERTIFICATE: ['unsupported', 'this is an X.509 certificate, which is no key for SSH'],
  'CERTIFICATE REQUEST': ['unsupported', 'this is a certificate request, which is no key'],
  'EC PARAMETERS': ['unsupported', 'this holds the parameters of a curve and no key'],
  'PGP PRIVATE KEY BLOCK': ['unsupported', 'this is an OpenPGP key; gpg-agent can offer it to SSH'],
  'PGP PUBLIC KEY BLOCK': ['unsupported', 'this is an OpenPGP key; gpg-agent can offer it to SSH'],
};

function recognisePem(block: PemBlock): RecognisedKey {
  const pem = (form: (KeyContainer & { k: 'pem' })['form']): RecognisedKey => ({
    k: 'private',
    container: { k: 'pem', form, block },
  });
  switch (block.label) {
    case 'OPENSSH PRIVATE KEY': {
      const container = readOpenSshContainer(block.bytes);
      block.bytes.fill(0);
      return recogniseOpenSsh(container);
    }
    case 'RSA PRIVATE KEY':
      return pem('pkcs1');
    case 'EC PRIVATE KEY':
      return pem('sec1');
    case 'PRIVATE KEY':
      return pem('pkcs8');
    case 'ENCRYPTED PRIVATE KEY':
      return pem('encrypted-pkcs8');
    case 'PUBLIC KEY':
    case 'RSA PUBLIC KEY':
      return publicHalf(undefined);
    default:
      throw new KeyUnusable(...(refusedLabels[block.label] ?? (['unknown-format'] as const)));
  }
}

function recogniseOpenSsh(container: OpenSshContainer): RecognisedKey {
  const keyType = keyTypeOf(container.publicBlob);
  if (keyType === 'ssh-dss') throw new KeyUnusable('dsa');
  if (keyType?.startsWith('sk-') === true) return { k: 'security-key', blob: container.publicBlob };
  return { k: 'private', container: { k: 'openssh', container } };
}

function rfc4716Blob(text: string): Uint8Array | undefined {
  const body = /^---- BEGIN [^\n]*\n([\s\S]*?)\n---- END /.exec(text)?.[1]?.replace(/\\\n/g, '');
  const base64 = body
    ?.split('\n')
    .filter((line) => !line.includes(':'))
    .join('');
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

export function isEncrypted(key: KeyContainer): boolean {
  switch (key.k) {
    case 'openssh':
      return key.container.kdf !== undefined;
    case 'ppk':
      return key.ppk.encryption !== 'none';
    case 'pem':
      return key.form === 'encrypted-pkcs8' || key.block.encryption !== undefined;
  }
}

/** Overwrites the private half. The container is of no use afterwards. */
export function wipeContainer(key: KeyContainer): void {
  switch (key.k) {
    case 'openssh':
      key.container.section.fill(0);
      return;
    case 'ppk':
      key.ppk.section.fill(0);
      return;
    case 'pem':
      key.block.bytes.fill(0);
      return;
  }
}

/** What a container says in the clear. Nothing of it has been checked against the private half. */
export interface OpenHalf {
  readonly publicKey: PublicKey;
  /** A certificate that stands in place of the public half; PuTTY's container may hold one. */
  readonly certificate: Uint8Array | undefined;
  /** Undefined where the comment is encrypted too. */
  readonly comment: string | undefined;
}

/** Undefined where the format says nothing in the clear, or nothing well formed. */
export function openHalfOf(key: KeyContainer): OpenHalf | undefined {
  switch (key.k) {
    case 'openssh':
      return openHalf(key.container.publicBlob, undefined);
    case 'ppk':
      return openHalf(key.ppk.publicBlob, key.ppk.comment.toString('utf8'));
    case 'pem':
      return undefined;
  }
}

function openHalf(blob: Uint8Array, comment: string | undefined): OpenHalf | undefined {
  const parsed = parseCertificate(blob);
  if (parsed.k === 'certificate') return { publicKey: parsed.certificate.key, certificate: blob, comment };
  const publicKey = parsePublicKey(blob);
  return publicKey === undefined ? undefined : { publicKey, certificate: undefined, comment };
}
