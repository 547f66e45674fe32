import type { Client } from 'ssh2';
import { parsePublicKey } from '../../domain/keys/publicKey.ts';
import { sshString, WireReader } from '../../domain/keys/wire.ts';
import type { PresentedKey } from '../../domain/trust/hostKey.ts';
import { isSignatureBy } from './keys/verifySignature.ts';
import { globalRepliesOf, protocolOf } from './libraryParts.ts';

const announce = 'hostkeys-00@openssh.com';
const prove = 'hostkeys-prove-00@openssh.com';
/** No server has so many; each costs the check of a signature. */
const maxKeys = 64;

/** What a server has announced, in its order. */
export interface AnnouncedKeys {
  readonly proven: readonly PresentedKey[];
  readonly unproven: readonly PresentedKey[];
}

/**
 * Tells which of the host keys that a server announces it proves to possess on this connection. The library asks for the proofs and would
 * take one with SHA-1 for an RSA key; here it is none. A server that refuses to prove anything is not told of. Install once, before the
 * client is connected. Source: PROTOCOL section 2.5; RFC 8332; ssh.md 3.5; TRAP-18.
 */
export function watchHostKeyProofs(client: Client, tell: (keys: AnnouncedKeys) => void): void {
  const protocol = protocolOf(client);
  const handlers = protocol._handlers;
  const original = handlers.GLOBAL_REQUEST;
  handlers.GLOBAL_REQUEST = (...request) => {
    const [, name, , data] = request;
    if (name !== announce) return original(...request);
    const keys = keysOf(data);
    if (keys.length > maxKeys) return;
    const replies = globalRepliesOf(client);
    const before = replies.length;
    original(...request);
    // It asks for the proofs, and the answer to what was asked last is the last of the list.
    if (replies.length !== before + 1) return;
    replies[before] = (failed, answer) => {
      if (failed === false && answer instanceof Uint8Array)
        tell(judge(keys, { answer, sessionId: protocol._kex.sessionID }));
    };
  };
}

/** The library gives each key as an object of its own. */
function keysOf(data: unknown): readonly PresentedKey[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((key: unknown) =>
    isLibraryKey(key) ? [{ keyType: key.type, blob: key.getPublicSSH() }] : [],
  );
}

function isLibraryKey(key: unknown): key is { readonly type: string; getPublicSSH(): Buffer } {
  return (
    typeof key === 'object' &&
    key !== null &&
    'type' in key &&
    typeof key.type === 'string' &&
    'getPublicSSH' in key &&
    typeof key.getPublicSSH === 'function'
  );
}

function judge(
  keys: readonly PresentedKey[],
  { answer, sessionId }: { readonly answer: Uint8Array; readonly sessionId: Uint8Array },
): AnnouncedKeys {
  const signatures = signaturesIn(answer, keys.length);
  const isProven = keys.map(({ blob }, index) => {
    const key = parsePublicKey(blob);
    const signature = signatures[index];
    const signed = Buffer.concat([prove, sessionId, blob].map(sshString));
    return key !== undefined && signature !== undefined && isSignatureBy(key, signed, signature);
  });
  return {
    proven: keys.filter((_, index) => isProven[index]),
    unproven: keys.filter((_, index) => !isProven[index]),
  };
}

/** As many as there are whole ones. */
function signaturesIn(answer: Uint8Array, count: number): readonly Uint8Array[] {
  const signatures: Uint8Array[] = [];
  const reader = new WireReader(answer);
  try {
    while (signatures.length < count && !reader.isAtEnd) signatures.push(reader.string());
  } catch {
    // The rest is no proof.
  }
  return signatures;
}
