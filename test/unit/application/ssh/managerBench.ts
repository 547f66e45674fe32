import { PassThrough, type Duplex } from 'node:stream';
import { Emitter } from '../../../../src/agentkit/index.ts';
import type {
  ByteStream,
  ExecOptions,
  ManagedChannel,
  RemoteListener,
} from '../../../../src/application/ports/connection.ts';
import type { Liveness, Transport, TransportRequest } from '../../../../src/application/ports/transport.ts';
import type { WakeSignal } from '../../../../src/application/ports/wakeSignals.ts';
import { SshConnectionManager } from '../../../../src/application/ssh/sshConnectionManager.ts';
import { isTermindError, localFault, type Fault } from '../../../../src/domain/fault.ts';
import { newHostId, type HostId } from '../../../../src/domain/host/hostId.ts';
import { connectionFault, faultError } from '../../../../src/domain/ssh/connectionFault.ts';
import type { Target } from '../../../../src/domain/ssh/target.ts';
import { agreedUsually, usualChoice } from '../../../support/algorithms.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

export const never = new AbortController().signal;
export const place = { stage: 'auth', hop: 'op@lab', outcome: 'failed' } as const;

export function targetFor(hostId: HostId, change: Partial<Target> = {}): Target {
  return {
    hostId,
    label: 'lab',
    tier: undefined,
    addresses: ['192.0.2.1'],
    port: 22,
    user: 'op',
    trustName: '192.0.2.1',
    trustNameIsAlias: false,
    identities: [],
    identitiesOnly: false,
    certificateFiles: [],
    identityAgent: undefined,
    identity: { kind: 'default' },
    preferredAuthentications: undefined,
    passwordPrompts: 3,
    attemptLimit: 6,
    agentForwarding: undefined,
    userKnownHostsFiles: [],
    globalKnownHostsFiles: [],
    revokedHostKeys: undefined,
    strictHostKeyChecking: 'ask',
    updateHostKeys: 'yes',
    connectTimeoutMs: undefined,
    serverAliveIntervalMs: undefined,
    serverAliveCountMax: undefined,
    addressFamily: 'any',
    bindAddress: undefined,
    bindInterface: undefined,
    tcpKeepAlive: true,
    route: { k: 'direct' },
    algorithms: usualChoice,
    environment: [],
    origins: {},
    ...change,
  };
}

/** A transport that does what its test says. */
export class MemoryTransport implements Transport {
  readonly facts = {
    user: 'op',
    address: '192.0.2.1',
    port: 22,
    serverIdentification: 'SSH-2.0-test',
    hostKeyType: 'ssh-ed25519',
    hostKeyFingerprint: 'SHA256:x',
    authenticatedBy: 'none',
    algorithms: agreedUsually,
    agent: undefined,
    forwardedAgent: undefined,
  };
  readonly acceptedKey = 'SHA256:key';
  readonly banner = 'Mind the gap';
  readonly liveness = new Emitter<Liveness>();
  readonly onLiveness = this.liveness.event;
  readonly lost: Promise<Fault>;
  readonly commands: string[] = [];
  readonly #ended = new Emitter<Fault>();
  readonly onEnd = this.#ended.event;
  #tellLost: (fault: Fault) => void = () => {};
  constructor() {
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
  }
  end(fault: Fault): void {
    this.#ended.fire(fault);
    this.#tellLost(fault);
  }
  readonly checks: number[] = [];
  readonly opened: Duplex[] = [];
  readonly allowed = 10;
  readonly onAllowedChange = new Emitter<void>().event;
  as(): Transport {
    return this;
  }
  check(withinMs: number): void {
    this.checks.push(withinMs);
  }
  ended(fault: Fault): void {
    this.end(fault);
  }
  async shell(): Promise<ManagedChannel> {
    throw new Error('not asked for here');
  }
  async bytes(): Promise<ByteStream> {
    throw new Error('not asked for here');
  }
  async listen(): Promise<RemoteListener> {
    throw new Error('not asked for here');
  }
  async direct(): Promise<Duplex> {
    const stream = new PassThrough();
    this.opened.push(stream);
    return stream;
  }
  async exec(command: string | ExecOptions): Promise<ManagedChannel> {
    this.commands.push(typeof command === 'string' ? command : command.command);
    throw new Error('not asked for here');
  }
  close(): void {
    this.end(connectionFault('cancelled', { stage: 'link', hop: 'op@lab' }));
  }
}

export class ManagerBench {
  readonly clock = new FakeClock();
  readonly host = newHostId();
  readonly targets = new Map<HostId, Target>([[this.host, targetFor(this.host)]]);
  readonly requests: TransportRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly opened: MemoryTransport[] = [];
  readonly recents: { hostId: HostId; ok: boolean }[] = [];
  readonly changes = new Emitter<void>();
  readonly wakeSignals = new Emitter<WakeSignal>();
  readonly states: string[] = [];
  resolutions = 0;
  /** What an attempt does; by default it succeeds at once. */
  attempt: (request: TransportRequest, signal: AbortSignal) => Promise<unknown> = async () => undefined;
  readonly manager = new SshConnectionManager({
    directory: {
      target: async (id, signal) => {
        this.resolutions += 1;
        await settle();
        signal.throwIfAborted();
        const target = this.targets.get(id);
        if (target === undefined) throw localFault('unknown-host');
        return target;
      },
      onDidChange: this.changes.event,
    },
    transport: {
      open: async (request, signal) => {
        this.requests.push(request);
        this.signals.push(signal);
        await this.attempt(request, signal);
        const transport = new MemoryTransport();
        this.opened.push(transport);
        return transport;
      },
    },
    clock: this.clock,
    log: { trace() {}, info() {}, warn() {}, error() {} },
    random: () => 0.5,
    signals: { onSignal: this.wakeSignals.event },
    history: { recordConnect: async ({ hostId, ok }) => void this.recents.push({ hostId, ok }) },
  });

  constructor() {
    this.manager.onDidChange(({ state }) => this.states.push(state.k));
  }

  /** An attempt that goes on until its test settles it. */
  hold(): { succeed: () => void; fail: (fault: Fault) => void } {
    let succeed = (): void => {};
    let fail = (_fault: Fault): void => {};
    this.attempt = (_request, signal) =>
      new Promise<void>((resolve, reject) => {
        succeed = resolve;
        fail = (fault) => reject(faultError(fault));
        signal.addEventListener('abort', () => reject(faultError(connectionFault('cancelled', place))));
      });
    return { succeed: () => succeed(), fail: (fault) => fail(fault) };
  }
}

export const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return isTermindError(error) ? error.fault.code : String(error);
  }
  return 'no fault';
};
