import type { ClockPort } from '../../agentkit/index.ts';
import type { ChannelFacts } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { ChannelMemoryPort } from '../ports/transport.ts';

/** Source: ssh.md 1.5. */
const rememberedMs = 30 * 24 * 60 * 60_000;

export interface ChannelMemoryOptions {
  readonly facts: Pick<HostStorePort, 'facts' | 'learn'>;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** Remembers for 30 days what a host's refusals told about its channels. A store that cannot be used costs the memory of it only. */
export class ChannelMemory implements ChannelMemoryPort {
  readonly #options: ChannelMemoryOptions;

  constructor(options: ChannelMemoryOptions) {
    this.#options = options;
  }

  async recall(host: HostId): Promise<ChannelFacts | undefined> {
    const { facts, clock, log } = this.#options;
    try {
      const { channels } = await facts.facts(host);
      if (channels === undefined || clock.now() - channels.at >= rememberedMs) return undefined;
      return channels;
    } catch (error) {
      log.warn('ssh', `what is known of a host's channels could not be read: ${nameOf(error)}`);
      return undefined;
    }
  }

  remember(host: HostId, learned: Omit<ChannelFacts, 'at'>): void {
    const { facts, clock, log } = this.#options;
    facts.learn(host, { channels: { ...learned, at: clock.now() } }).catch((error: unknown) => {
      log.warn('ssh', `a host's channel limit could not be remembered: ${nameOf(error)}`);
    });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}
