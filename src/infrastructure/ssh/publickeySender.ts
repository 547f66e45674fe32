import { generateKeyPairSync } from 'node:crypto';
import type { Client, ParsedKey } from 'ssh2';
import { localFault } from '../../domain/fault.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { protocolOf, type ProtocolParts, type SignRequest } from './libraryParts.ts';
import { SignerRefusal, type Signer } from './signer.ts';
import type { Ssh2 } from './ssh2Library.ts';

/** A key as it is offered: under which algorithm name, and what became of signing with it. */
export interface OfferedKey {
  /** What the library is given. It stands for the signer and never signs by itself. */
  readonly handle: ParsedKey;
  readonly signer: Signer;
  /** The name in the request, for example `rsa-sha2-512`. */
  readonly algorithm: string;
  /** Why no signature was sent; read when the library asks for the next method. */
  refusal: SignerRefusal | undefined;
}

const userauthRequest = 50;

/**
 * Replaces the publickey sender of one client's protocol object. The library then neither picks an RSA algorithm nor touches a
 * signature: algorithm, key blob and signature blob go onto the wire as the signer gives them. A refusal to sign is returned through
 * the library's own signing callback, which moves on to the next method. Source: ssh.md 5.5; TRAP-8, TRAP-22.
 */
export class PublickeySender {
  readonly #ssh2: Ssh2;
  readonly #offers = new WeakMap<object, OfferedKey>();
  readonly #signal: AbortSignal;

  /** `signal` ends with the attempt. */
  constructor(ssh2: Ssh2, signal: AbortSignal) {
    this.#ssh2 = ssh2;
    this.#signal = signal;
  }

  /** Call once, after `connect` has made the protocol object. */
  install(client: Client): void {
    const protocol = protocolOf(client);
    const original = protocol.authPK;
    protocol.authPK = (...request) => {
      const [user, key, ...others] = request;
      const offer = typeof key === 'object' && key !== null ? this.#offers.get(key) : undefined;
      if (offer === undefined || typeof user !== 'string') return original.apply(protocol, request);
      const sign = others.find(isSignRequest);
      if (sign === undefined) return send(protocol, requestHead(user, offer, { isSigned: false }));
      void this.#sendSigned(protocol, { user, offer, giveUp: sign });
    };
  }

  offer(signer: Signer, algorithm: string): OfferedKey {
    const offered: OfferedKey = { handle: this.#newHandle(), signer, algorithm, refusal: undefined };
    // An Error is a failed signature to the library, which its types do not say. It writes into the one that it gets.
    const refuse = (): Error => new Error(offered.refusal?.message ?? 'a stand-in key cannot sign');
    Reflect.set(offered.handle, 'sign', refuse);
    this.#offers.set(offered.handle, offered);
    return offered;
  }

  async #sendSigned(
    protocol: ProtocolParts,
    request: { readonly user: string; readonly offer: OfferedKey; readonly giveUp: SignRequest },
  ): Promise<void> {
    const { user, offer, giveUp } = request;
    const head = requestHead(user, offer, { isSigned: true });
    const data = Buffer.concat([sshString(protocol._kex.sessionID), head]);
    try {
      const signature = await offer.signer.sign(data, offer.algorithm, this.#signal);
      if (!this.#signal.aborted) send(protocol, Buffer.concat([head, sshString(signature)]));
    } catch (error) {
      if (this.#signal.aborted) return;
      offer.refusal =
        error instanceof SignerRefusal ? error : new SignerRefusal('signing failed', { cause: error });
      giveUp(data, () => {});
    }
  }

  /** A key object that the library accepts and that is no RSA key, so that it chooses no algorithm. */
  #newHandle(): ParsedKey {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ format: 'pem', type: 'sec1' });
    const parsed = this.#ssh2.utils.parseKey(pem);
    if (parsed instanceof Error) throw localFault('internal', { reason: parsed.message }, parsed);
    return parsed;
  }
}

function isSignRequest(value: unknown): value is SignRequest {
  return typeof value === 'function';
}

/** The request up to and including the key. Source: RFC 4252 section 7. */
function requestHead(user: string, offer: OfferedKey, { isSigned }: { readonly isSigned: boolean }): Buffer {
  return Buffer.concat([
    Buffer.from([userauthRequest]),
    sshString(user),
    sshString('ssh-connection'),
    sshString('publickey'),
    Buffer.from([isSigned ? 1 : 0]),
    sshString(offer.algorithm),
    sshString(offer.signer.blob),
  ]);
}

/** Sends a payload the way the library does, behind whatever a key exchange holds back. */
function send(protocol: ProtocolParts, payload: Buffer): void {
  const { write } = protocol._packetRW;
  const start = write.allocStart;
  const packet = write.alloc(payload.length);
  packet.set(payload, start);
  protocol._authsQueue.push('publickey');
  const finished = write.finalize(packet);
  if (protocol._kexinit === undefined) protocol._cipher.encrypt(finished);
  else (protocol._queue ??= []).push(finished);
}
