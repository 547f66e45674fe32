import { systemClock } from '../../../src/agentkit/index.ts';
import type { RemotePlace } from '../../../src/application/transfer/engine/transfer.ts';
import type { HostPrograms } from '../../../src/application/ports/hostCommands.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startProgram } from '../../../src/infrastructure/sftp/hostPrograms.ts';
import { FilesOpener } from '../../../src/infrastructure/sftp/filesOpener.ts';
import { SshBench } from '../ssh/sshBench.ts';

/** A host that is connected to when a channel is wanted, and again after its connection was lost. Whoever makes one disposes it. */
export class SshLine {
  readonly #bench = new SshBench();
  readonly #target: Target;
  #transport: Promise<Transport> | undefined;
  /** Connections so far. */
  connections = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  place(path: string): RemotePlace {
    return {
      k: 'remote',
      host: this.#target.hostId,
      path: pathOfText(path),
      open: async (signal) => {
        const transport = await this.#connected();
        const channels = transport.as('sftp-transfer');
        const request = {
          channels,
          lost: transport.lost,
          known: undefined,
          mayWriteByShell: false,
          onLearned: () => {},
        };
        const files = await new FilesOpener(systemClock).open(request, signal);
        return { files, isShared: false, release: () => files.close() };
      },
    };
  }

  /** Programs of the host, over the same connection. */
  get programs(): HostPrograms {
    return {
      start: async (command, signal) => {
        const channels = (await this.#connected()).as('sftp-transfer');
        return startProgram({ channels, clock: systemClock, onClosed: () => {} }, command, signal);
      },
    };
  }

  dispose(): Promise<void> {
    return this.#bench.dispose();
  }

  #connected(): Promise<Transport> {
    this.#transport ??= this.#connect();
    return this.#transport;
  }

  async #connect(): Promise<Transport> {
    try {
      const transport = await this.#bench.open(this.#target);
      this.connections += 1;
      transport.onEnd(() => (this.#transport = undefined));
      return transport;
    } catch (error) {
      this.#transport = undefined;
      throw error;
    }
  }
}
