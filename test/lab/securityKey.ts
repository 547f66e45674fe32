import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fs from 'node:fs/promises';
import {
  agentRequest,
  listAnswer,
  readSignRequest,
  refusal,
  signAnswer,
  startScriptedAgent,
  type ScriptedAgent,
} from './scriptedAgent.ts';
import type { KeyPair } from './sshKey.ts';
import { wireInteger, wireString } from './sshWire.ts';

/** A security key made of software. Source: PROTOCOL.u2f. */
export interface SecurityKey {
  readonly blob: Buffer;
  /** `sk-ssh-ed25519@openssh.com AAAA…` */
  readonly publicLine: string;
  /** A whole signature blob with flags (touched) and counter behind it. */
  sign(data: Uint8Array): Buffer;
}

const application = 'ssh:';
/** The user was present. */
const flags = 1;

/** Makes a key of either kind that OpenSSH knows. */
export function newSecurityKey(kind: 'ed25519' | 'ecdsa'): SecurityKey {
  const type = kind === 'ed25519' ? 'sk-ssh-ed25519@openssh.com' : 'sk-ecdsa-sha2-nistp256@openssh.com';
  const { privateKey, publicKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const blob = Buffer.concat([wireString(type), ...publicFields(publicKey), wireString(application)]);
  let counter = 0;
  return {
    blob,
    publicLine: `${type} ${blob.toString('base64')}`,
    sign(data) {
      const tail = Buffer.alloc(5, flags);
      tail.writeUInt32BE(++counter, 1);
      const message = Buffer.concat([sha256(Buffer.from(application)), tail, sha256(data)]);
      return Buffer.concat([wireString(type), wireString(rawSignature(privateKey, message)), tail]);
    },
  };
}

/** An agent that holds one security key. `onTouch` decides each time whether the key is touched. */
export function startSecurityKeyAgent(
  socket: string,
  key: SecurityKey,
  {
    certificate,
    onTouch = () => true,
  }: { readonly certificate?: Uint8Array; readonly onTouch?: () => boolean | Promise<boolean> } = {},
): Promise<ScriptedAgent> {
  const blobs = certificate === undefined ? [key.blob] : [certificate];
  return startScriptedAgent(socket, async (payload) => {
    if (payload[0] === agentRequest.list)
      return listAnswer(blobs.map((blob) => ({ blob, comment: 'security key' })));
    const { blob, data } = readSignRequest(payload);
    const isKnown = blobs.some((one) => blob.equals(one));
    return isKnown && (await onTouch()) ? signAnswer(key.sign(data)) : refusal;
  });
}

/** Writes the public half as a file that `ssh-keygen` certifies. */
export async function publicFileOf(key: SecurityKey, privateFile: string): Promise<KeyPair> {
  const publicFile = `${privateFile}.pub`;
  await fs.writeFile(publicFile, `${key.publicLine} security key\n`);
  return {
    type: 'ed25519',
    privateFile,
    publicFile,
    publicLine: key.publicLine,
    fingerprint: `SHA256:${createHash('sha256').update(key.blob).digest('base64').replace(/=+$/, '')}`,
  };
}

function publicFields(key: KeyObject): readonly Buffer[] {
  const jwk = key.export({ format: 'jwk' });
  const part = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  return jwk.kty === 'OKP'
    ? [wireString(part(jwk.x))]
    : [wireString('nistp256'), wireString(Buffer.concat([Buffer.from([4]), part(jwk.x), part(jwk.y)]))];
}

function rawSignature(key: KeyObject, message: Buffer): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sign(null, message, key);
  const both = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' });
  return Buffer.concat([wireInteger(both.subarray(0, 32)), wireInteger(both.subarray(32))]);
}

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
