import { systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import type { HostDirectory } from '../../../src/application/ports/hosts.ts';
import { SshConnectionManager } from '../../../src/application/ssh/sshConnectionManager.ts';
import { localFault, type Fault } from '../../../src/domain/fault.ts';
import type { HostId } from '../../../src/domain/host/hostId.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { SshBench, faultOf, finish, never, quietLog, type BenchOptions } from './sshBench.ts';

/** A connection manager over a real transport, with the targets that a test gives it. */
export class RouteBench {
  readonly ssh: SshBench;
  readonly manager: SshConnectionManager;
  readonly #targets = new Map<HostId, Target>();

  /** `directory`: who knows the targets, instead of the test. */
  constructor(
    options: BenchOptions & { readonly directory?: Pick<HostDirectory, 'target' | 'onDidChange'> } = {},
  ) {
    const clock: ClockPort = options.clock ?? systemClock;
    this.ssh = new SshBench(options);
    this.manager = new SshConnectionManager({
      directory: options.directory ?? {
        target: async (id) => {
          const target = this.#targets.get(id);
          if (target === undefined) throw localFault('unknown-host');
          return target;
        },
        onDidChange: () => ({ dispose() {} }),
      },
      transport: this.ssh.transport,
      clock,
      log: quietLog,
      history: { recordConnect: async () => {} },
      random: () => 0.5,
    });
  }

  /** The host of a target, known from now on. */
  host(target: Target): HostId {
    this.#targets.set(target.hostId, target);
    return target.hostId;
  }

  /** What a command prints on a target; the lease is released afterwards. */
  async run(target: Target, command: string): Promise<string> {
    const lease = await this.manager.acquire(this.host(target), 'exec', never);
    try {
      return (await finish(await lease.exec(command, never))).stdout.toString();
    } finally {
      lease.release();
    }
  }

  /** The fault of a target that must not be reached. */
  fault(target: Target): Promise<Fault> {
    return faultOf(this.manager.acquire(this.host(target), 'exec', never));
  }

  /** The facts of the last attempt, hop by hop. */
  traced(target: Target): readonly (readonly string[])[] {
    return this.manager
      .trace(target.hostId)
      .map((trace) => trace.events.map(({ hop, fact }) => `${hop}: ${fact.k}`));
  }

  async dispose(): Promise<void> {
    this.manager.dispose();
    await this.ssh.dispose();
  }
}
