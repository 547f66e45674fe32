import { Duplex } from 'node:stream';
import { sshString, WireReader } from '../../domain/keys/wire.ts';
import { agentMessage, maxAgentBytes, type AgentClient, type AgentIdentity } from './agentClient.ts';

export interface AgentProxyOptions {
  readonly agent: Pick<AgentClient, 'list' | 'sign'>;
  /** Whether the other side may see and use a key. */
  readonly isShown: (blob: Uint8Array) => boolean;
  /** Asked before each signature. */
  readonly mayUse: (key: AgentIdentity) => Promise<boolean>;
  /** Ends with the connection. */
  readonly signal: AbortSignal;
}

const refusal = Buffer.from([agentMessage.failure]);

/**
 * What a server sees of a forwarded agent, as one stream: the keys that it may see, and signatures by them. Everything else, adding and
 * removing keys or locking among it, is refused without asking the agent. Requests are answered in order; one that is longer than any
 * agent takes ends the stream. Source: ssh.md 2.3; draft-ietf-sshm-ssh-agent section 3.
 */
export class AgentProxy extends Duplex {
  readonly #options: AgentProxyOptions;
  #received = Buffer.alloc(0);

  constructor(options: AgentProxyOptions) {
    super();
    this.#options = options;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    void this.#answerAll().finally(done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  /** Never rejects. */
  async #answerAll(): Promise<void> {
    while (this.#received.length >= 4 && !this.destroyed) {
      const length = this.#received.readUInt32BE(0);
      if (length === 0 || length > maxAgentBytes) return void this.destroy();
      if (this.#received.length < 4 + length) return;
      const request = this.#received.subarray(4, 4 + length);
      this.#received = this.#received.subarray(4 + length);
      const answer = await this.#answer(request).catch(() => refusal);
      this.push(sshString(answer));
    }
  }

  async #answer(request: Buffer): Promise<Buffer> {
    switch (request[0]) {
      case agentMessage.listRequest:
        return listOf(await this.#shown());
      case agentMessage.signRequest:
        return this.#sign(request);
      default:
        return refusal;
    }
  }

  async #shown(): Promise<readonly AgentIdentity[]> {
    const { agent, isShown, signal } = this.#options;
    return (await agent.list(signal)).filter(({ blob }) => isShown(blob));
  }

  async #sign(request: Buffer): Promise<Buffer> {
    const { agent, mayUse, signal } = this.#options;
    const reader = new WireReader(request);
    reader.byte();
    const [blob, data, flags] = [reader.string(), reader.string(), reader.uint32()];
    const key = (await this.#shown()).find((one) => blob.equals(one.blob));
    if (key === undefined || !(await mayUse(key))) return refusal;
    const signature = await agent.sign(blob, data, { flags, signal });
    return Buffer.concat([Buffer.from([agentMessage.signAnswer]), sshString(signature)]);
  }
}

function listOf(keys: readonly AgentIdentity[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(keys.length);
  const entries = keys.flatMap(({ blob, comment }) => [sshString(blob), sshString(comment)]);
  return Buffer.concat([Buffer.from([agentMessage.listAnswer]), count, ...entries]);
}
