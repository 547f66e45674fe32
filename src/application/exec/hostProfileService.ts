import { randomBytes } from 'node:crypto';
import { DisposableBag, type ClockPort } from '../../agentkit/index.ts';
import type { HostFacts, ShellFamily } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ConnectionManager, Lease, ManagedChannel } from '../ports/connection.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import { deadline, orAborted } from './deadline.ts';
import { goesTo, placeKey, type HostPlace } from './hostPlace.ts';
import {
  isLimited,
  profileQuestion,
  readProfile,
  unknownProfile,
  type HostProfile,
  type ProfileAnswer,
} from './hostProfile.ts';

const answerDeadlineMs = 15_000;
const answerBytes = 64 * 1024;

export interface HostProfileOptions {
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly facts: Pick<HostStorePort, 'facts' | 'learn' | 'get'>;
  /** Where a host is listed to be now; undefined when it is gone. */
  readonly placeOf: (id: HostId) => Promise<HostPlace | undefined>;
  readonly clock: ClockPort;
}

/**
 * What each host's login shell is, learned by one harmless exec a window and host. Stored facts are for display; a proof rests only
 * on an answer of this window, because somebody may have changed the shell since. A host that gave no answer is asked again.
 * A family that the person has chosen is taken as it is, and the host is not asked. Source: ssh.md 1.9, "Host profiles".
 */
export class HostProfileService {
  readonly #options: HostProfileOptions;
  /** By place: a host that was edited is asked anew. */
  readonly #learned = new Map<string, HostProfile>();

  constructor(options: HostProfileOptions) {
    this.#options = options;
  }

  /** What this window has learned. */
  known(host: HostPlace): HostProfile | undefined {
    return this.#learned.get(placeKey(host));
  }

  /** The family of a host that offers a terminal only, as far as it is known without asking it; undefined for every other. */
  async limited(host: HostPlace): Promise<ShellFamily | undefined> {
    const settled = (await this.#chosen(host)) ?? this.known(host) ?? (await this.#foundLimited(host));
    return isLimited(settled?.shellFamily) ? settled?.shellFamily : undefined;
  }

  /** Connects when nothing is known yet. A lease that goes somewhere else tells nothing. Rejects with the connection's fault or the signal's reason. */
  async learn(host: HostPlace, signal: AbortSignal): Promise<HostProfile> {
    const known = this.known(host);
    if (known !== undefined) return known;
    const lease = await this.#options.connections.acquire(host.id, 'agent-exec', signal);
    try {
      return (await this.goesTo(lease, host)) ? await this.learnOver(lease, host, signal) : unknownProfile;
    } finally {
      lease.release();
    }
  }

  /** Whether this lease, acquired for the host, still goes to it. */
  goesTo(lease: Lease, host: HostPlace): Promise<boolean> {
    return goesTo(lease, host, this.#options.placeOf);
  }

  /**
   * As `learn`, over a lease of the caller, which goes to the host. One that does not answer in time is unknown for now, and nothing is
   * remembered.
   */
  async learnOver(lease: Lease, host: HostPlace, signal: AbortSignal): Promise<HostProfile> {
    const settled = (await this.#chosen(host)) ?? this.known(host) ?? (await this.#foundLimited(host));
    if (settled !== undefined) return settled;
    const mark = `termind-${randomBytes(16).toString('hex')}`;
    const answer = await this.#ask(lease, profileQuestion(mark), signal);
    if (answer === undefined) return unknownProfile;
    const profile = readProfile(answer, mark);
    this.#learned.set(placeKey(host), profile);
    // A store that cannot be written costs the memory of it, not the command.
    await this.#options.facts.learn(host.id, profile).catch(() => undefined);
    return profile;
  }

  /** The person's choice. A store that cannot be read has none. */
  async #chosen(host: HostPlace): Promise<HostProfile | undefined> {
    const family = (await this.#options.facts.get(host.id).catch(() => undefined))?.shellFamily;
    return family === undefined ? undefined : { shellFamily: family };
  }

  /** A host that was found to be limited is never asked again. */
  async #foundLimited(host: HostPlace): Promise<HostProfile | undefined> {
    const stored = await this.#options.facts.facts(host.id).catch((): HostFacts => ({}));
    return isLimited(stored.shellFamily) ? { ...unknownProfile, ...stored } : undefined;
  }

  /** Everything printed by the time the channel closed; undefined when the host did not answer. Not every one tells a status. */
  async #ask(lease: Lease, line: string, signal: AbortSignal): Promise<ProfileAnswer | undefined> {
    const limit = deadline(
      this.#options.clock,
      { delayMs: answerDeadlineMs, what: 'asking for the login shell' },
      signal,
    );
    const bag = new DisposableBag();
    try {
      const channel = await lease.exec(line, limit.signal);
      bag.add({ dispose: () => channel.close() });
      const answer = collect(channel, bag);
      channel.end();
      const isLost = lease.lost.then(() => true);
      const wasLost = await orAborted(Promise.race([channel.closed.then(() => false), isLost]), limit.signal);
      const printed = answer();
      return wasLost || printed.stdout + printed.stderr === '' ? undefined : printed;
    } catch (error) {
      if (limit.isOver) return undefined;
      throw error;
    } finally {
      bag.dispose();
      limit.dispose();
    }
  }
}

function collect(channel: ManagedChannel, bag: DisposableBag): () => ProfileAnswer {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  let size = 0;
  bag.add(
    channel.onData(({ stream, bytes }) => {
      if (size >= answerBytes) return;
      size += bytes.length;
      chunks[stream].push(bytes);
    }),
  );
  const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8');
  return () => ({ stdout: text(chunks.stdout), stderr: text(chunks.stderr) });
}
