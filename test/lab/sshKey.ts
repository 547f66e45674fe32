import fs from 'node:fs/promises';
import path from 'node:path';
import { mustRun } from './run.ts';

export type KeyType = 'ed25519' | 'ecdsa' | 'rsa';

/** A key pair on disk. The private file has mode 0600; both files belong to whoever owns the folder. */
export interface KeyPair {
  readonly type: KeyType;
  readonly privateFile: string;
  readonly publicFile: string;
  /** `ssh-ed25519 AAAA…`: wire name and base64 blob, without comment. */
  readonly publicLine: string;
  /** `SHA256:…` as OpenSSH prints it. */
  readonly fingerprint: string;
  /** Absent for a key that is stored in the clear. */
  readonly passphrase?: string;
}

export interface KeyRequest {
  readonly type?: KeyType;
  readonly passphrase?: string;
}

/** 2048 is what `ssh` still accepts, and the quickest to make. */
const bits: Record<KeyType, readonly string[]> = { ed25519: [], ecdsa: ['-b', '256'], rsa: ['-b', '2048'] };

/** Makes a key pair at `file` and `file.pub`, replacing what is there. */
export async function generateKey(file: string, request: KeyRequest = {}): Promise<KeyPair> {
  const type = request.type ?? 'ed25519';
  const publicFile = `${file}.pub`;
  await Promise.all([fs.rm(file, { force: true }), fs.rm(publicFile, { force: true })]);
  const passphrase = request.passphrase ?? '';
  const comment = path.basename(file);
  await mustRun('ssh-keygen', ['-q', '-t', type, ...bits[type], '-N', passphrase, '-C', comment, '-f', file]);
  return readKey(file, request);
}

/** Reads a pair that {@link generateKey} has made; rejects when a file is missing. */
export async function readKey(file: string, request: KeyRequest = {}): Promise<KeyPair> {
  const publicFile = `${file}.pub`;
  const [name, blob] = (await fs.readFile(publicFile, 'utf8')).trim().split(' ');
  if (name === undefined || blob === undefined) throw new Error(`${publicFile} holds no public key.`);
  const listing = await mustRun('ssh-keygen', ['-l', '-f', publicFile]);
  return {
    type: request.type ?? 'ed25519',
    privateFile: file,
    publicFile,
    publicLine: `${name} ${blob}`,
    fingerprint: listing.split(' ')[1] ?? '',
    ...(request.passphrase === undefined ? {} : { passphrase: request.passphrase }),
  };
}

export interface CertificateRequest {
  readonly kind: 'user' | 'host';
  readonly principals: readonly string[];
  readonly keyId?: string;
  readonly serial?: number;
  /** As `ssh-keygen -V`: `-1h:+1h` when absent, `-2h:-1h` for an expired one. */
  readonly validity?: string;
  /** Each as `ssh-keygen -O`, for example `force-command=uptime`. */
  readonly options?: readonly string[];
}

/** Signs the public half of `key` with `ca` and returns the file of the certificate, `<key>-cert.pub` beside it. */
export async function signKey(ca: KeyPair, key: KeyPair, request: CertificateRequest): Promise<string> {
  await mustRun('ssh-keygen', [
    ...['-q', '-s', ca.privateFile, '-I', request.keyId ?? 'termind-lab'],
    ...(request.kind === 'host' ? ['-h'] : []),
    ...['-n', request.principals.join(','), '-V', request.validity ?? '-1h:+1h'],
    ...['-z', String(request.serial ?? 1)],
    ...(request.options ?? []).flatMap((option) => ['-O', option]),
    key.publicFile,
  ]);
  return `${key.privateFile}-cert.pub`;
}
