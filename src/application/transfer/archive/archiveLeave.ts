import type { HostId } from '../../../domain/host/hostId.ts';
import type { ArchiveConsentPort } from '../../ports/archiveConsents.ts';
import type { HostCommands, HostPrograms } from '../../ports/hostCommands.ts';
import type { LogPort } from '../../ports/prompts.ts';
import type { ArchiveUse } from '../../settings.ts';
import type { HostArchives } from './hostArchives.ts';

export interface ArchiveLeaveOptions {
  readonly use: () => ArchiveUse;
  readonly consents: ArchiveConsentPort;
  readonly commandsOf: (host: HostId) => HostCommands;
  readonly programsOf: (host: HostId) => HostPrograms;
  /** Undefined for a host that is gone. */
  readonly labelOf: (host: HostId) => Promise<string | undefined>;
  readonly log: Pick<LogPort, 'warn'>;
}

/** A host that does not answer such a question is not asked for archives. */
const probeMs = 30_000;

/**
 * Decides for each host whether transfers that a person started may use archives there. A person is asked at most once for each host as long
 * as the window lives, and only where commands may be run and `tar` is there. Source: ssh.md 8.7, 6.
 */
export class ArchiveLeave {
  readonly #options: ArchiveLeaveOptions;
  readonly #asked = new Set<HostId>();

  constructor(options: ArchiveLeaveOptions) {
    this.#options = options;
  }

  of(host: HostId): HostArchives {
    return {
      mayUse: async (files) => this.#mayUse(host, files),
      start: (command, signal) => this.#options.programsOf(host).start(command, signal),
    };
  }

  #mayUse(host: HostId, files: number): boolean {
    const { use, consents } = this.#options;
    switch (use()) {
      case 'never':
        return false;
      case 'always':
        return true;
      case 'ask':
        if (consents.isGiven(host)) return true;
        if (!this.#asked.has(host)) void this.#ask(host, files);
        return false;
    }
  }

  async #ask(host: HostId, files: number): Promise<void> {
    const { consents, commandsOf, labelOf, log } = this.#options;
    this.#asked.add(host);
    try {
      const { code } = await commandsOf(host).run(
        { script: 'command -v tar', arguments: [], isChange: false },
        AbortSignal.timeout(probeMs),
      );
      const label = code === 0 ? await labelOf(host) : undefined;
      if (label !== undefined) await consents.ask({ host, label, files });
    } catch (error) {
      log.warn(
        'transfers',
        `nobody was asked about archives: ${error instanceof Error ? error.name : 'error'}`,
      );
    }
  }
}
