import net from 'node:net';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';
import { SignerRefusal } from './signer.ts';
import { sshString, WireReader } from './wire.ts';

/** A key that an agent holds. The blob is passed on byte for byte. */
export interface AgentIdentity {
  readonly blob: Uint8Array;
  readonly comment: string;
}

/** An agent that cannot be reached or does not speak the protocol. */
export class AgentMissing extends Error {
  override readonly name = 'AgentMissing';
}

const message = { failure: 5, listRequest: 11, listAnswer: 12, signRequest: 13, signAnswer: 14 } as const;
const maxReplyBytes = 256 * 1024;
const maxIdentities = 4096;
/** Source: ssh.md 1.3. */
const listMs = 5_000;
const signMs = 120_000;

/**
 * An SSH agent behind a socket or pipe. One request per connection, replies bounded. Source: ssh.md 2.3;
 * draft-ietf-sshm-ssh-agent section 3.
 */
export class AgentClient {
  readonly endpoint: string;
  readonly #clock: ClockPort;

  constructor(endpoint: string, clock: ClockPort) {
    this.endpoint = endpoint;
    this.#clock = clock;
  }

  /** Rejects with `AgentMissing` when nobody answers within 5 s. */
  async list(signal: AbortSignal): Promise<readonly AgentIdentity[]> {
    const reply = await this.#ask(Buffer.from([message.listRequest]), listMs, signal);
    try {
      const reader = new WireReader(reply);
      if (reader.byte() !== message.listAnswer) throw new AgentMissing('the agent refuses to list its keys');
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
    request: { readonly algorithm: string; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const flags = Buffer.alloc(4);
    flags.writeUInt32BE(signatureFlags(request.algorithm));
    const asked = Buffer.concat([
      Buffer.from([message.signRequest]),
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
      if (reader.byte() === message.signAnswer) return reader.string();
    } catch (error) {
      throw new SignerRefusal('the agent sent a damaged signature', { cause: error });
    }
    throw new SignerRefusal('the agent refused to sign: it is locked or the use was declined');
  }

  #ask(payload: Buffer, limitMs: number, signal: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const socket = net.connect(this.endpoint);
      const parts: Buffer[] = [];
      let received = 0;
      const settle = (finish: () => void): void => {
        timer.dispose();
        signal.removeEventListener('abort', onAbort);
        socket.removeAllListeners('data');
        socket.destroy();
        finish();
      };
      const fail = (reason: string, cause?: unknown): void =>
        settle(() => reject(new AgentMissing(reason, { cause })));
      const onAbort = (): void => settle(() => reject(abortReason(signal)));
      const timer = this.#clock.after(limitMs, () => fail('the agent does not answer'));
      signal.addEventListener('abort', onAbort, { once: true });
      socket.on('error', (error) => fail('the agent cannot be reached', error));
      socket.on('close', () => fail('the agent closed the connection'));
      socket.on('data', (chunk: Buffer) => {
        parts.push(chunk);
        received += chunk.length;
        const all = Buffer.concat(parts);
        if (received < 4) return;
        const length = all.readUInt32BE(0);
        if (length === 0 || length > maxReplyBytes) return fail('the agent sent a reply of impossible size');
        if (received >= 4 + length) settle(() => resolve(all.subarray(4, 4 + length)));
      });
      socket.write(sshString(payload));
    });
  }
}

/** Which hash an RSA key signs with; other keys take no flags. Source: draft-ietf-sshm-ssh-agent section 3.6.1. */
function signatureFlags(algorithm: string): number {
  if (algorithm.startsWith('rsa-sha2-512')) return 4;
  return algorithm.startsWith('rsa-sha2-256') ? 2 : 0;
}

/**
 * Where the agent of a target listens: its own choice is final, otherwise `SSH_AUTH_SOCK`, on Windows the system's pipe. Undefined when
 * agents are switched off or there is none. Source: ssh.md 2.3.
 */
export function agentEndpoint(
  chosen: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (chosen === undefined || chosen === 'SSH_AUTH_SOCK') {
    const inherited = environment['SSH_AUTH_SOCK'];
    if (inherited !== undefined && inherited !== '') return inherited;
    return process.platform === 'win32' && chosen === undefined
      ? '\\\\.\\pipe\\openssh-ssh-agent'
      : undefined;
  }
  if (chosen.toLowerCase() === 'none') return undefined;
  return chosen.startsWith('$') ? environment[chosen.slice(1).replace(/^\{(.*)\}$/, '$1')] : chosen;
}
