import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { Disposable } from '../../agentkit/index.ts';
import type { ConnectionPromptPort, LogPort } from '../../application/ports/prompts.ts';
import type { AgentForwarding, Target } from '../../domain/ssh/target.ts';
import type { TraceFact } from '../../domain/ssh/trace.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import type { AgentClient, AgentIdentity } from './agentClient.ts';
import { plainKeyOf } from './agentKeys.ts';
import { AgentProxy } from './agentProxy.ts';
import type { AgentSearch, FoundAgent } from './agentSearch.ts';
import type { AttemptPrompts } from './attemptPrompts.ts';
import { armAgentForwarding } from './libraryParts.ts';

export interface AgentForwarderOptions {
  readonly target: Pick<Target, 'tier' | 'identityAgent'>;
  readonly forwarding: AgentForwarding;
  readonly hop: string;
  readonly agents: Pick<AgentSearch, 'find'>;
  /** The agent that was asked while signing in. */
  readonly signedIn: FoundAgent['agent'];
  /** For the question before a production host gets an agent. */
  readonly prompts: Pick<AttemptPrompts, 'confirm'>;
  /** For the question before a signature, while the connection lives. */
  readonly confirm: ConnectionPromptPort['confirm'];
  readonly log: LogPort;
  readonly record: (fact: TraceFact) => void;
}

/** No server needs more at a time. */
const maxStreams = 64;

/**
 * The agent that a server may use while connected: all of its keys or chosen ones, with or without a question before each signature.
 * Channels that the server opens to it are accepted exactly while it is on. Whoever starts it disposes it with the connection, which
 * ends every stream and open question. Source: ssh.md 2.3; TRAP-15.
 */
export class AgentForwarder implements Disposable {
  readonly #options: AgentForwarderOptions;
  readonly #over = new AbortController();
  readonly #streams = new Set<AgentProxy>();
  #agent: Promise<AgentClient | undefined> | undefined;
  #armed: Disposable | undefined;

  constructor(options: AgentForwarderOptions) {
    this.#options = options;
  }

  /**
   * On from this call on, unless a person has to be asked first. Resolves with the agent that is forwarded; undefined when there is none
   * or the person refuses. Rejects when the attempt ends meanwhile.
   */
  async start(client: Client): Promise<string | undefined> {
    const { target, hop, prompts, record } = this.#options;
    const mustAsk = target.tier === 'prod';
    this.#agent = this.#find();
    if (!mustAsk) this.#arm(client);
    const endpoint = (await this.#agent)?.endpoint;
    const isOn =
      endpoint !== undefined && (!mustAsk || (await prompts.confirm({ k: 'forwardAgent', hop, endpoint })));
    if (!isOn) this.#armed?.dispose();
    else if (mustAsk) this.#arm(client);
    const result =
      endpoint === undefined
        ? 'not forwarded, no agent answers'
        : isOn
          ? 'forwarded'
          : 'not forwarded, refused';
    record({ k: 'agent', endpoint: showUntrusted(endpoint ?? 'none'), result });
    return isOn ? endpoint : undefined;
  }

  dispose(): void {
    this.#over.abort(new Error('the connection has ended'));
    this.#armed?.dispose();
    for (const stream of this.#streams) stream.destroy();
  }

  async #find(): Promise<AgentClient | undefined> {
    const { forwarding, target, signedIn, agents } = this.#options;
    if (forwarding.agent === undefined && signedIn !== undefined) return signedIn.client;
    const { agent } = await agents.find(forwarding.agent ?? target.identityAgent, this.#over.signal);
    return agent?.client;
  }

  #arm(client: Client): void {
    this.#armed = armAgentForwarding(client, (done) => {
      this.#open().then(
        (stream) => done(undefined, stream),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  async #open(): Promise<Duplex> {
    const agent = await this.#agent;
    this.#over.signal.throwIfAborted();
    if (agent === undefined) throw new Error('there is no agent');
    if (this.#streams.size >= maxStreams) throw new Error('there are too many streams to the agent');
    const { keys } = this.#options.forwarding;
    const stream = new AgentProxy({
      agent,
      isShown: (blob) => keys === undefined || keys.includes(fingerprintOf(plainKeyOf(blob))),
      mayUse: (key) => this.#mayUse(key),
      signal: this.#over.signal,
    });
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return stream;
  }

  async #mayUse({ blob, comment }: AgentIdentity): Promise<boolean> {
    const { forwarding, hop, confirm, log } = this.#options;
    const question = {
      k: 'forwardedSignature',
      hop,
      label: showUntrusted(comment),
      fingerprint: fingerprintOf(plainKeyOf(blob)),
    } as const;
    const isAllowed = !forwarding.confirm || (await confirm(question, this.#over.signal));
    log.info('ssh', `a forwarded agent was asked for a signature: ${isAllowed ? 'passed on' : 'refused'}`);
    return isAllowed;
  }
}
