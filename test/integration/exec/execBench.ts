import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  OutputCollector,
  callId,
  createRedactor,
  createSecretRegistry,
  systemClock,
  type ClockPort,
  type ConsumedSecret,
} from '../../../src/agentkit/index.ts';
import type { HostPlace } from '../../../src/application/exec/hostPlace.ts';
import { HostProfileService } from '../../../src/application/exec/hostProfileService.ts';
import {
  RemoteExecService,
  type ExecRequest,
  type HeldCommand,
} from '../../../src/application/exec/remoteExecService.ts';
import { connectionLease } from '../../../src/application/ssh/connectionLease.ts';
import type { ConnectionManager, Lease } from '../../../src/application/ports/connection.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import type { HostFacts } from '../../../src/domain/host/host.ts';
import { newHostId, type HostId } from '../../../src/domain/host/hostId.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { SshBench, never, within } from '../ssh/sshBench.ts';

/** The exec service over one real connection, with everything around it in memory. Whoever makes one disposes it. */
export class ExecBench {
  readonly ssh: SshBench;
  readonly exec: RemoteExecService;
  readonly profiles: HostProfileService;
  readonly transport: Transport;
  readonly learned: HostFacts[] = [];
  readonly #registry = createSecretRegistry();
  readonly #spool = mkdtempSync(join(tmpdir(), 'termind-spool-'));
  readonly #target: Target;

  private constructor(ssh: SshBench, transport: Transport, options: { target: Target; clock: ClockPort }) {
    const { target, clock } = options;
    this.ssh = ssh;
    this.transport = transport;
    this.#target = target;
    const lease = (): Lease =>
      connectionLease({
        target,
        channels: transport.as('agent-exec'),
        lost: transport.lost,
        isHeld: () => true,
        takeBanner: () => '',
        release: () => {},
      });
    const connections: Pick<ConnectionManager, 'acquire'> = { acquire: async () => lease() };
    this.profiles = new HostProfileService({
      connections,
      clock,
      facts: {
        get: async () => undefined,
        facts: async () => ({}),
        learn: async (_id, facts) => void this.learned.push(facts),
      },
      placeOf: async (id) => this.#place(id),
    });
    this.exec = new RemoteExecService({
      connections,
      profiles: this.profiles,
      clock,
      newOutput: () =>
        new OutputCollector({ redactor: createRedactor(this.#registry), spoolFolder: this.#spool }),
    });
  }

  static async open(target: Target, clock: ClockPort = systemClock): Promise<ExecBench> {
    const ssh = new SshBench();
    return new ExecBench(ssh, await ssh.open(target), { target, clock });
  }

  start(command: string, parts: Partial<ExecRequest> = {}): Promise<HeldCommand> {
    return this.exec.start(
      {
        scope: 'scope',
        callId: callId('call_1'),
        host: this.#place(newHostId()),
        command,
        cwd: undefined,
        env: [],
        stdin: undefined,
        timeoutMs: undefined,
        channelWaitMs: 10_000,
        proven: false,
        trust: [],
        capture: undefined,
        ...parts,
      },
      never,
    );
  }

  #place(id: HostId): HostPlace {
    const { addresses, port, user } = this.#target;
    return { id, address: addresses[0] ?? '', port, user };
  }

  /** Runs a command to its end. */
  async run(command: string, parts: Partial<ExecRequest> = {}): Promise<HeldCommand> {
    const held = await this.start(command, parts);
    await within(held.command.ended, `the end of ${command}`);
    return held;
  }

  /** A secret as the broker gives it out: known to the redactor. */
  secret(text: string): ConsumedSecret {
    const bytes = Buffer.from(text);
    const known = this.#registry.add(bytes);
    return { bytes, dispose: () => known.dispose() };
  }

  async dispose(): Promise<void> {
    this.exec.dispose();
    await this.ssh.dispose();
    rmSync(this.#spool, { recursive: true, force: true });
  }
}

/** What was kept of the output, without the last line feed. */
export function textOf(held: HeldCommand): string {
  const { content } = held.output.body();
  return typeof content === 'string' ? content.replace(/\n$/, '') : JSON.stringify(content);
}
