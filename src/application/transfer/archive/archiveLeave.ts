import { hash } from 'node:crypto';
import { neverAborted, type ClockPort } from '../../../agentkit/index.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import { deadline } from '../../exec/deadline.ts';
import { placeKey, type HostPlace } from '../../exec/hostPlace.ts';
import type { ArchiveConsentPort, ArchivePlace } from '../../ports/archiveConsents.ts';
import type { HostCommands, HostPrograms } from '../../ports/hostCommands.ts';
import type { LogPort } from '../../ports/prompts.ts';
import type { ArchiveUse } from '../../settings.ts';
import type { HostArchives } from './hostArchives.ts';

export interface ArchiveLeaveOptions {
  readonly use: () => ArchiveUse;
  readonly consents: ArchiveConsentPort;
  /** The host as it is listed now; undefined for one that is gone. */
  readonly placeOf: (host: HostId) => Promise<HostPlace | undefined>;
  /** What is known of the host, which is asked for its shell when that is not; undefined for one that is gone. `label`: for people. */
  readonly learn: (
    host: HostId,
    signal: AbortSignal,
  ) => Promise<{ readonly label: string; readonly isPosix: boolean } | undefined>;
  readonly commandsOf: (host: HostId) => HostCommands;
  readonly programsOf: (host: HostId) => HostPrograms;
  readonly clock: ClockPort;
  readonly log: Pick<LogPort, 'warn'>;
}

/** A host that does not answer for so long has no archives. */
const examineMs = 30_000;

/**
 * Decides for each host whether transfers that a person started may use archives there. A host is examined, and a person asked, at most once
 * as long as the window lives and the host leads to the same place; nobody is asked about a host that has no POSIX shell or no `tar`. Source: ssh.md 8.7, 6.
 */
export class ArchiveLeave {
  readonly #options: ArchiveLeaveOptions;
  /** How each host is called that has what archives need, by its place. */
  readonly #examined = new Map<string, Promise<string | undefined>>();
  readonly #asked = new Set<string>();

  constructor(options: ArchiveLeaveOptions) {
    this.#options = options;
  }

  of(host: HostId): HostArchives {
    return {
      mayUse: (files) => this.#mayUse(host, files),
      start: (command, signal) => this.#options.programsOf(host).start(command, signal),
    };
  }

  async #mayUse(host: HostId, files: number): Promise<boolean> {
    const { use, consents } = this.#options;
    const setting = use();
    if (setting === 'never') return false;
    const place = await this.#placeOf(host);
    if (place === undefined) return false;
    const at = { host, place };
    if (setting === 'always' || consents.isGiven(at)) return (await this.#labelOf(at)) !== undefined;
    if (!this.#asked.has(place)) void this.#ask(at, files);
    return false;
  }

  /** A digest, which tells nobody where that is. Never rejects. */
  async #placeOf(host: HostId): Promise<string | undefined> {
    try {
      const listed = await this.#options.placeOf(host);
      return listed && hash('sha256', placeKey(listed));
    } catch (error) {
      this.#warn('where a host leads could not be told', error);
      return undefined;
    }
  }

  /** Never rejects. */
  async #ask(at: ArchivePlace, files: number): Promise<void> {
    this.#asked.add(at.place);
    const label = await this.#labelOf(at);
    if (label === undefined) return;
    try {
      await this.#options.consents.ask({ ...at, label, files });
    } catch (error) {
      this.#warn('an answer about archives was not kept', error);
    }
  }

  /** Undefined where archives cannot be. Never rejects. */
  #labelOf({ host, place }: ArchivePlace): Promise<string | undefined> {
    const known = this.#examined.get(place);
    if (known !== undefined) return known;
    const label = this.#examine(host).catch((error: unknown) => {
      this.#warn('a host did not tell whether it has archives', error);
      return undefined;
    });
    this.#examined.set(place, label);
    return label;
  }

  async #examine(host: HostId): Promise<string | undefined> {
    const { learn, commandsOf, clock } = this.#options;
    const limit = deadline(clock, { delayMs: examineMs, what: 'asking for tar' }, neverAborted);
    try {
      const found = await learn(host, limit.signal);
      if (found?.isPosix !== true) return undefined;
      const { code } = await commandsOf(host).run(
        { script: 'command -v tar', arguments: [], isChange: false },
        limit.signal,
      );
      return code === 0 ? found.label : undefined;
    } finally {
      limit.dispose();
    }
  }

  #warn(what: string, error: unknown): void {
    this.#options.log.warn('transfers', `${what}: ${error instanceof Error ? error.name : 'error'}`);
  }
}
