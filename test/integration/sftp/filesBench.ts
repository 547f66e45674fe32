import { Emitter, systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import { FilesMemory } from '../../../src/application/files/filesMemory.ts';
import { ReadOnlyHosts } from '../../../src/application/files/readOnlyHosts.ts';
import { RemoteFilesService } from '../../../src/application/files/remoteFilesService.ts';
import type { ConnectionManager, Lease, Purpose } from '../../../src/application/ports/connection.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { connectionLease } from '../../../src/application/ssh/connectionLease.ts';
import type { HostFacts, HostListing } from '../../../src/domain/host/host.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { FilesOpener } from '../../../src/infrastructure/sftp/filesOpener.ts';
import { hostRecord } from '../../contract/hostStore.ts';
import { silentLog } from '../../support/silentLog.ts';
import { SshBench } from '../ssh/sshBench.ts';

/** The files service over one real connection, with everything around it in memory. Whoever makes one disposes it. */
export class FilesBench {
  readonly host = newHostId();
  readonly service: RemoteFilesService;
  /** What is stored about the host. */
  facts: HostFacts = {};
  /** The host as it is listed. */
  listing: HostListing | undefined;
  /** Leases that are held now, by purpose. */
  readonly held: Purpose[] = [];
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly readOnlyHosts: ReadOnlyHosts;
  /** Resolves with whether the files of the host are marked read-only. */
  readMark: () => Promise<boolean> = async () => false;
  readonly #hostsChanged = new Emitter<void>();
  readonly #ssh: SshBench;
  readonly #target: Target;
  #transport: Transport;

  private constructor(ssh: SshBench, transport: Transport, options: { target: Target; clock: ClockPort }) {
    this.#ssh = ssh;
    this.#transport = transport;
    const { target, clock } = options;
    this.#target = target;
    const connections: FilesBench['connections'] = {
      acquire: async (_host, purpose) => this.lease(purpose),
    };
    this.connections = connections;
    const memory = new FilesMemory({
      facts: {
        facts: async () => this.facts,
        learn: async (_id, facts) => void (this.facts = { ...this.facts, ...facts }),
      },
      clock,
      log: silentLog,
    });
    const opener = new FilesOpener(clock);
    this.readOnlyHosts = new ReadOnlyHosts({
      store: {
        get: async () => ((await this.readMark()) ? { ...hostRecord(), filesReadOnly: true } : undefined),
      },
      changes: { onDidChange: this.#hostsChanged.event },
    });
    const { readOnlyHosts } = this;
    this.service = new RemoteFilesService({
      ...{ connections, opener, memory, readOnlyHosts, clock },
      hosts: { get: async () => this.listing, onDidChange: this.#hostsChanged.event },
      log: silentLog,
    });
  }

  /** Something about hosts has changed. */
  tellOfHosts(): void {
    this.#hostsChanged.fire();
  }

  /** A lease on the connection, as the service gets it. */
  lease(purpose: Purpose = 'sftp-browse'): Lease {
    this.held.push(purpose);
    return connectionLease({
      target: this.#target,
      channels: this.transport.as(purpose),
      lost: this.transport.lost,
      isHeld: () => true,
      takeBanner: () => '',
      release: () => void this.held.splice(this.held.indexOf(purpose), 1),
    });
  }

  get transport(): Transport {
    return this.#transport;
  }

  /** The next leases are on another connection. */
  async reconnect(): Promise<void> {
    this.#transport = await this.#ssh.open(this.#target);
  }

  static async open(target: Target, clock: ClockPort = systemClock): Promise<FilesBench> {
    const ssh = new SshBench();
    return new FilesBench(ssh, await ssh.open(target), { target, clock });
  }

  async dispose(): Promise<void> {
    this.service.dispose();
    this.readOnlyHosts.dispose();
    this.#hostsChanged.dispose();
    await this.#ssh.dispose();
  }
}
