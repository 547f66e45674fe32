import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import type { ConnectionPromptPort, LogPort, SecretStorePort } from '../../application/ports/prompts.ts';
import type {
  ChannelMemoryPort,
  KeptPassphrasesPort,
  KeptPasswordsPort,
  Transport,
  TransportPort,
  TransportRequest,
} from '../../application/ports/transport.ts';
import type { HostKeyJudge } from '../../application/ssh/hostKeyJudge.ts';
import type { HostKeyUpdates } from '../../application/trust/hostKeyUpdates.ts';
import type { AgentSearch } from './agentSearch.ts';
import { ConnectAttempt } from './connectAttempt.ts';

export interface SshTransportOptions {
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly prompts: ConnectionPromptPort;
  readonly judge: HostKeyJudge;
  readonly keyUpdates: HostKeyUpdates;
  readonly passwords: KeptPasswordsPort;
  readonly passphrases: KeptPassphrasesPort;
  readonly channelMemory: ChannelMemoryPort;
  readonly agents: AgentSearch;
  /** Of this process; a ProxyCommand runs in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False in a folder that is not trusted: then no ProxyCommand is started. */
  readonly mayRunPrograms: () => boolean;
  /** Passwords of network proxies. */
  readonly proxySecrets: Pick<SecretStorePort, 'get'>;
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

  async open(request: TransportRequest, signal: AbortSignal): Promise<Transport> {
    const until = AbortSignal.any([signal, this.#lifetime.signal]);
    const strange = new Set<string>();
    for (;;) {
      const attempt = new ConnectAttempt(this.#options, request, strange);
      try {
        return await attempt.run(until);
      } catch (error) {
        const { strangerAt } = attempt;
        if (strangerAt === undefined || until.aborted) throw error;
        strange.add(strangerAt);
      }
    }
  }

  /** Ends attempts that are under way. Open connections belong to whoever opened them. */
  dispose(): void {
    this.#lifetime.abort(new Error('the window closes'));
  }
}
