import type { ClockPort } from '../../agentkit/index.ts';
import type { FilesFacts } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';

/** As long as what is known of a host's channels. */
const rememberedMs = 30 * 24 * 60 * 60_000;

export interface FilesMemoryOptions {
  readonly facts: Pick<HostStorePort, 'facts' | 'learn'>;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/**
 * What the answers of a host have told about its files, for 30 days. A store that cannot be used costs the memory of it only.
 * Source: ssh.md 8.4.
 */
export class FilesMemory {
  readonly #options: FilesMemoryOptions;
  readonly #known = new Map<HostId, FilesFacts>();

  constructor(options: FilesMemoryOptions) {
    this.#options = options;
  }

  /** Undefined when nothing is known any more. Never rejects. */
  async recall(host: HostId): Promise<FilesFacts | undefined> {
    const { facts, clock, log } = this.#options;
    const known =
      this.#known.get(host) ??
      (
        await facts.facts(host).catch((error: unknown) => {
          log.warn('files', `what is known of a host's files could not be read: ${nameOf(error)}`);
          return undefined;
        })
      )?.files;
    return known === undefined || clock.now() - known.at >= rememberedMs ? undefined : known;
  }

  /** Adds to what is known. */
  async learn(host: HostId, learned: Omit<FilesFacts, 'at'>): Promise<void> {
    const stored = await this.recall(host);
    const known = this.#known.get(host) ?? stored; // something else may have been learned meanwhile
    await this.#keep(host, { ...known, ...learned, at: this.#options.clock.now() });
  }

  /** Everything is tried anew: somebody has changed the server. */
  async forget(host: HostId): Promise<void> {
    await this.#keep(host, { at: this.#options.clock.now() });
  }

  async #keep(host: HostId, files: FilesFacts): Promise<void> {
    const { facts, log } = this.#options;
    this.#known.set(host, files);
    await facts.learn(host, { files }).catch((error: unknown) => {
      log.warn('files', `what a host's files are reached by could not be remembered: ${nameOf(error)}`);
    });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}
