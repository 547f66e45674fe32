import { randomBytes } from 'node:crypto';
import type { ClockPort, ConsumedSecret, Disposable } from '../../agentkit/index.ts';
import { hasCode, isTermindError, localFault } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { pathOfText } from '../../domain/files/remotePath.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { goesTo, placeKey } from '../exec/hostPlace.ts';
import type { ConnectionManager, Lease, Purpose } from '../ports/connection.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { FilesOpenerPort, RemoteFiles } from '../ports/remoteFiles.ts';
import { BrowsedFiles } from './browsedFiles.ts';
import { BrowsedPlaces } from './browsedPlaces.ts';
import { ElevatedFiles } from './elevatedFiles.ts';
import type { FilesMemory } from './filesMemory.ts';
import type { HeldFiles } from './heldFiles.ts';
import type { ReadOnlyHosts } from './readOnlyHosts.ts';

export interface RemoteFilesServiceOptions {
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly opener: FilesOpenerPort;
  readonly memory: FilesMemory;
  /** Keeps to the marks of hosts: nothing is handed out without it. */
  readonly readOnlyHosts: Pick<ReadOnlyHosts, 'guard'>;
  /** Where they lead now. */
  readonly hosts: Pick<HostDirectory, 'get' | 'onDidChange'>;
  readonly clock: ClockPort;
  readonly log: { warn(component: string, message: string): void };
}

interface OpenedFiles extends HeldFiles {
  /** How many channels its purpose may have open now; absent where the channel is somebody else's. */
  readonly allowed?: () => number;
}

const always = new AbortController().signal;
/** Of so few channels browsing and transfers get one together. Source: ssh.md 1.5. */
const sharedLimit = 2;

export interface ElevatedRequest {
  /** Whose rights; root when absent. */
  readonly user?: string;
  /** Asked before anything is sent; false ends it as `cancelled`. Absent: it may. */
  readonly mayOpen?: (signal: AbortSignal) => Promise<boolean>;
  /**
   * Asks a person for the password of the one who is signed in, once sudo asks for it, which it may not; `isRepeated` after a wrong one.
   * Undefined when nobody answers. Used up and disposed here.
   */
  readonly ask: (
    question: { readonly isRepeated: boolean },
    signal: AbortSignal,
  ) => Promise<ConsumedSecret | undefined>;
}

/**
 * Hands out the files of hosts over the shared connections: one browsing channel for each host, channels of their own for transfers and
 * runs, and elevated ones for people. Disposing closes all browsing channels; what was handed out otherwise belongs to whoever has it.
 * Source: ssh.md 1.1, 1.5, 8.4, 8.6 and 8.7, 7.
 */
export class RemoteFilesService implements Disposable {
  readonly #options: RemoteFilesServiceOptions;
  readonly #browsed = new Map<HostId, BrowsedFiles>();
  readonly #writesByShell = new Set<HostId>();
  /** Temporary files of elevated saves that may still be there, spelt by `textOfPath`. */
  readonly #leftovers = new Map<HostId, Set<string>>();
  readonly #transfers = new Map<HostId, Set<RemoteFiles>>();
  readonly #places: BrowsedPlaces;

  constructor(options: RemoteFilesServiceOptions) {
    this.#options = options;
    const { hosts, log } = options;
    this.#places = new BrowsedPlaces({ hosts, log, browsed: this.#browsed });
  }

  /** The same for each call. Nothing is connected or opened before its first use. The service disposes it. */
  browse(host: HostId): BrowsedFiles {
    const known = this.#browsed.get(host);
    if (known !== undefined) return known;
    const browsed = new BrowsedFiles({
      open: (signal) => this.#places.open(host, () => this.#openBrowsing(host, signal)),
      clock: this.#options.clock,
    });
    this.#browsed.set(host, browsed);
    return browsed;
  }

  /**
   * A channel for a transfer. Where the server grants no other beside the browsing channel, that one is shared. Waits for a place like
   * every transfer. `shown`: what the host was when somebody agreed to the transfer, as `placeKey` tells it; that channel is never a shared
   * one, and rejects with `host-moved` when the host leads elsewhere. Source: ssh.md 1.5; SFTP-14.
   */
  async openTransfer(host: HostId, signal: AbortSignal, shown?: string): Promise<HeldFiles> {
    const purpose = 'sftp-transfer';
    const share = (): HeldFiles | undefined => this.#browsed.get(host)?.share();
    const held =
      shown === undefined
        ? await this.#openBeside(host, { purpose, share }, signal)
        : await this.#openShown({ host, shown }, purpose, signal);
    const open = this.#transfers.get(host) ?? new Set();
    this.#transfers.set(host, open);
    open.add(held.files);
    return {
      files: held.files,
      isShared: held.isShared,
      isSurplus: () => held.allowed !== undefined && open.size > held.allowed(),
      release: () => {
        open.delete(held.files);
        held.release();
      },
    };
  }

  /**
   * Over a lease that its caller has acquired for this host, and has examined; nothing else is connected. The lease goes with what is
   * opened, and is released when nothing is. For one run of the assistant, which releases it. Source: ssh.md 1.1.
   */
  openOver(host: HostId, lease: Lease, signal: AbortSignal): Promise<HeldFiles> {
    return this.#openOver(host, { lease }, signal);
  }

  /** Not for tools. Opens nothing before its first use. The caller disposes it. */
  elevated(host: HostId, request: ElevatedRequest): ElevatedFiles {
    return new ElevatedFiles({
      open: (signal) => this.#openElevated(host, request, signal),
      clock: this.#options.clock,
    });
  }

  /** The user allows writing by plain commands of the shell on this host, as long as the window lives. Source: ssh.md 8.4. */
  allowWritingByShell(host: HostId): void {
    this.#writesByShell.add(host);
    this.#browsed.get(host)?.close();
  }

  /** Tries everything anew at the next opening: somebody has changed the server. */
  async forget(host: HostId): Promise<void> {
    await this.#options.memory.forget(host);
  }

  dispose(): void {
    this.#places.dispose();
    for (const browsed of this.#browsed.values()) browsed.dispose();
    this.#browsed.clear();
  }

  async #openBrowsing(host: HostId, signal: AbortSignal): Promise<HeldFiles> {
    const share = (): HeldFiles | undefined => {
      const [files] = [...(this.#transfers.get(host) ?? [])].filter(({ isEnded }) => !isEnded);
      return files === undefined ? undefined : { files, isShared: true, release: () => {} };
    };
    const held = await this.#openBeside(host, { purpose: 'sftp-browse', share }, signal);
    void this.#removeLeftovers(host, held.files);
    return held;
  }

  /** Never rejects: what cannot be removed now is tried again with the next channel. */
  async #removeLeftovers(host: HostId, files: RemoteFiles): Promise<void> {
    const leftovers = this.#leftovers.get(host) ?? new Set();
    for (const text of leftovers)
      try {
        await files.remove(pathOfText(text), always);
        leftovers.delete(text);
      } catch (error) {
        if (hasCode(error, 'not-found')) leftovers.delete(text);
        else this.#options.log.warn('files', 'a temporary file of a save could not be removed');
      }
  }

  #leftoversOf(host: HostId): Set<string> {
    const known = this.#leftovers.get(host) ?? new Set();
    this.#leftovers.set(host, known);
    return known;
  }

  /**
   * With another channel at hand it does not wait for a place on a host that grants so few that both have one together; elsewhere it waits
   * like everybody. Source: ssh.md 1.5.
   */
  async #openBeside(
    host: HostId,
    { purpose, share }: { readonly purpose: Purpose; readonly share: () => HeldFiles | undefined },
    signal: AbortSignal,
  ): Promise<OpenedFiles> {
    const shared = share();
    if (shared === undefined) return this.#open(host, { purpose }, signal);
    try {
      const own = await this.#open(host, { purpose, queueMs: 0 }, signal);
      shared.release();
      return own;
    } catch (error) {
      const limit = limitOf(error);
      if (limit !== undefined && limit <= sharedLimit && !shared.files.isEnded) return shared;
      shared.release();
      if (limit === undefined) throw error;
    }
    return this.#open(host, { purpose }, signal);
  }

  async #open(
    host: HostId,
    { purpose, queueMs }: { readonly purpose: Purpose; readonly queueMs?: number },
    signal: AbortSignal,
  ): Promise<OpenedFiles> {
    const lease = await this.#options.connections.acquire(host, purpose, signal);
    return this.#openOver(host, { lease, ...(queueMs === undefined ? {} : { queueMs }) }, signal);
  }

  async #openShown(
    { host, shown }: { readonly host: HostId; readonly shown: string },
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<OpenedFiles> {
    const { connections, hosts } = this.#options;
    const lease = await connections.acquire(host, purpose, signal);
    try {
      const listed = await hosts.get(host);
      const isShown = listed !== undefined && placeKey(listed) === shown;
      if (!isShown || !(await goesTo(lease, listed, (id) => hosts.get(id)))) throw localFault('host-moved');
    } catch (error) {
      lease.release();
      throw error;
    }
    return this.#openOver(host, { lease }, signal);
  }

  async #openOver(
    host: HostId,
    { lease, queueMs }: { readonly lease: Lease; readonly queueMs?: number },
    signal: AbortSignal,
  ): Promise<OpenedFiles> {
    const { opener, memory, log } = this.#options;
    try {
      const known = await memory.recall(host);
      const files = await opener.open(
        {
          channels: lease,
          lost: lease.lost,
          known,
          ...(queueMs === undefined ? {} : { queueMs }),
          mayWriteByShell: this.#writesByShell.has(host),
          onLearned: (facts) =>
            void memory.learn(host, facts).catch(() => log.warn('files', 'something learned was not kept')),
        },
        signal,
      );
      return holding(await this.#options.readOnlyHosts.guard(host, files), lease);
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  async #openElevated(
    host: HostId,
    { user, mayOpen, ask }: ElevatedRequest,
    signal: AbortSignal,
  ): Promise<HeldFiles> {
    const { connections, opener } = this.#options;
    const lease = await connections.acquire(host, 'sftp-browse', signal);
    const person = { asked: 0, isDeclined: false };
    const again = async (own: AbortSignal): Promise<ConsumedSecret | undefined> => {
      const isRepeated = person.asked++ > 0;
      const password = await ask({ isRepeated }, AbortSignal.any([own, signal]));
      person.isDeclined = password === undefined && !isRepeated;
      return password;
    };
    try {
      if (mayOpen !== undefined && !(await mayOpen(signal)))
        throw fileError('cancelled', {}, { outcome: 'not-sent' });
      const marker = `termind-sudo-${randomBytes(16).toString('hex')}`;
      const files = await opener.openElevated(
        {
          channels: lease,
          lost: lease.lost,
          password: { marker, again },
          ordinary: this.browse(host),
          leftovers: this.#leftoversOf(host),
          ...(user === undefined ? {} : { user }),
        },
        signal,
      );
      return holding(await this.#options.readOnlyHosts.guard(host, files), lease);
    } catch (error) {
      lease.release();
      throw person.isDeclined ? fileError('cancelled', {}, { outcome: 'not-sent', cause: error }) : error;
    }
  }
}

/** How many channels the server grants, when this is why there was none. */
function limitOf(error: unknown): number | undefined {
  if (!isTermindError(error) || error.fault.code !== 'channel-limit') return undefined;
  return Number(error.fault.facts['limit']);
}

/** The lease goes with the channel, whoever ends it. */
function holding(files: RemoteFiles, lease: Pick<Lease, 'allowed' | 'release'>): OpenedFiles {
  let isHeld = true;
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    files.close();
    lease.release();
  };
  void files.ended.then(release);
  return { files, isShared: false, allowed: () => lease.allowed, release };
}
