import type { Duplex } from 'node:stream';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';
import { sshString, WireReader } from '../../domain/keys/wire.ts';
import { placeName, type AgentPlace } from '../../domain/ssh/agentPlaces.ts';
import { openAgentStream } from './agentStream.ts';
import { SignerRefusal } from './signer.ts';

/** A key or certificate that an agent holds. The blob is passed on byte for byte. */
export interface AgentIdentity {
  readonly blob: Uint8Array;
  readonly comment: string;
}

/** An agent that cannot be reached or does not speak the protocol. */
export class AgentMissing extends Error {
  override readonly name = 'AgentMissing';
}

/** Numbers of messages. Source: draft-ietf-sshm-ssh-agent section 6.1. */
export const agentMessage = {
  failure: 5,
  listRequest: 11,
  listAnswer: 12,
  signRequest: 13,
  signAnswer: 14,
} as const;
/** No message of an agent is longer, length field excluded. */
export const maxAgentBytes = 256 * 1024;
const maxIdentities = 4096;
/** Source: ssh.md 1.3. */
const listMs = 5_000;
const signMs = 120_000;

/**
 * An SSH agent behind a socket or pipe. One request per connection, replies bounded. Source: ssh.md 2.3;
 * draft-ietf-sshm-ssh-agent section 3.
 */
export class AgentClient {
  readonly #place: AgentPlace;
  readonly #clock: ClockPort;

  constructor(place: AgentPlace, clock: ClockPort) {
    this.#place = place;
    this.#clock = clock;
  }

  /** For people. */
  get endpoint(): string {
    return placeName(this.#place);
  }

  /** Rejects with `AgentMissing` when nobody answers within 5 s. */
  async list(signal: AbortSignal): Promise<readonly AgentIdentity[]> {
    const reply = await this.#ask(Buffer.from([agentMessage.listRequest]), listMs, signal);
    try {
      const reader = new WireReader(reply);
      if (reader.byte() !== agentMessage.listAnswer)
        throw new AgentMissing('the agent refuses to list its keys');
      const count = Math.min(reader.uint32(), maxIdentities);
      return Array.from({ length: count }, () => ({
        blob: reader.string(),
        comment: reader.string().toString('utf8'),
      }));
    } catch (error) {
      if (error instanceof RangeError)
        throw new AgentMissing('the agent sent a damaged list', { cause: error });
      throw error;
    }
  }

  /**
   * The agent's signature blob, unchanged. Rejects with `SignerRefusal` when it is locked, declines, or does not answer within two
   * minutes, which leaves time for a touch.
   */
  async sign(
    blob: Uint8Array,
    data: Uint8Array,
    request: { readonly flags: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const flags = Buffer.alloc(4);
    flags.writeUInt32BE(request.flags);
    const asked = Buffer.concat([
      Buffer.from([agentMessage.signRequest]),
      sshString(blob),
      sshString(data),
      flags,
    ]);
    let reply: Buffer;
    try {
      reply = await this.#ask(asked, signMs, request.signal);
    } catch (error) {
      if (error instanceof AgentMissing) throw new SignerRefusal(error.message, { cause: error });
      throw error;
    }
    try {
      const reader = new WireReader(reply);
      if (reader.byte() === agentMessage.signAnswer) return reader.string();
    } catch (error) {
      throw new SignerRefusal('the agent sent a damaged signature', { cause: error });
    }
    throw new SignerRefusal('the agent refused to sign: it is locked or the use was declined');
  }

  /** The answer to one message, without its length. */
  async #ask(payload: Buffer, limitMs: number, signal: AbortSignal): Promise<Buffer> {
    const late = new AbortController();
    const timer = this.#clock.after(limitMs, () =>
      late.abort(new AgentMissing('the agent does not answer in time')),
    );
    const until = AbortSignal.any([signal, late.signal]);
    let stream: Duplex | undefined;
    try {
      stream = await openAgentStream(this.#place, until);
      return await answerOf(stream, payload, until);
    } catch (error) {
      if (until.aborted) throw abortReason(until);
      if (error instanceof AgentMissing) throw error;
      throw new AgentMissing(`the agent cannot be reached: ${codeOf(error)}`, { cause: error });
    } finally {
      timer.dispose();
      stream?.destroy();
    }
  }
}

function answerOf(stream: Duplex, payload: Buffer, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (finish: () => void): void => {
      stream.off('data', onData);
      stream.off('end', onEnd);
      stream.off('close', onEnd);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4) return;
      const length = received.readUInt32BE(0);
      if (length === 0 || length > maxAgentBytes)
        return settle(() => reject(new AgentMissing('the agent sent a reply of impossible size')));
      if (received.length >= 4 + length) settle(() => resolve(received.subarray(4, 4 + length)));
    };
    const onEnd = (): void => settle(() => reject(new AgentMissing('the agent closed the connection')));
    const onAbort = (): void => settle(() => reject(abortReason(signal)));
    stream.on('data', onData);
    stream.once('end', onEnd);
    stream.once('close', onEnd);
    // Stays: an error that comes late must not be unhandled.
    stream.on('error', (error) => settle(() => reject(error)));
    signal.addEventListener('abort', onAbort, { once: true });
    stream.write(sshString(payload));
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** Which hash an RSA key signs with; other keys take no flags. Source: draft-ietf-sshm-ssh-agent section 3.6.1. */
export function signatureFlags(algorithm: string): number {
  if (algorithm.startsWith('rsa-sha2-512')) return 4;
  return algorithm.startsWith('rsa-sha2-256') ? 2 : 0;
}
