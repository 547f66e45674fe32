import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import type { ConnectionPromptPort, LogPort } from '../../application/ports/prompts.ts';
import type {
  ChannelMemoryPort,
  KeptPasswordsPort,
  Transport,
  TransportPort,
  TransportRequest,
} from '../../application/ports/transport.ts';
import type { HostKeyJudge } from '../../application/ssh/hostKeyJudge.ts';
import type { AgentSearch } from './agentSearch.ts';
import { ConnectAttempt } from './connectAttempt.ts';

export interface SshTransportOptions {
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly prompts: ConnectionPromptPort;
  readonly judge: HostKeyJudge;
  readonly passwords: KeptPasswordsPort;
  readonly agents: AgentSearch;
  readonly channelMemory: ChannelMemoryPort;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends with the window; a notice that is still open closes then. */
  readonly lifetime: AbortSignal;
}

/** Opens SSH connections with the library. The library is loaded by the first attempt. */
export class SshTransport implements TransportPort, Disposable {
  readonly #options: SshTransportOptions;
  readonly #lifetime = new AbortController();

  constructor(options: Omit<SshTransportOptions, 'lifetime'>) {
    this.#options = { ...options, lifetime: this.#lifetime.signal };
  }

  open(request: TransportRequest, signal: AbortSignal): Promise<Transport> {
    return new ConnectAttempt(this.#options, request).run(AbortSignal.any([signal, this.#lifetime.signal]));
  }

  /** Ends attempts that are under way. Open connections belong to whoever opened them. */
  dispose(): void {
    this.#lifetime.abort(new Error('the window closes'));
  }
}
