import { systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import type { ManagedChannel } from '../../../src/application/ports/connection.ts';
import type {
  KnownHostRow,
  KnownHostsChange,
  TrustAuditLine,
} from '../../../src/application/ports/knownHosts.ts';
import type {
  ConfirmQuestion,
  ConnectionPromptPort,
  SecretQuestion,
  SigningNotice,
} from '../../../src/application/ports/prompts.ts';
import type {
  AttemptProgress,
  ChannelMemoryPort,
  KeptPassphrasesPort,
  KeptPasswordsPort,
  Transport,
} from '../../../src/application/ports/transport.ts';
import { HostKeyJudge } from '../../../src/application/ssh/hostKeyJudge.ts';
import { HostKeyUpdates, type Announcement } from '../../../src/application/trust/hostKeyUpdates.ts';
import { ChangedKeys } from '../../../src/application/trust/changedKeys.ts';
import { isTermindError, type Fault } from '../../../src/domain/fault.ts';
import type { ChannelFacts } from '../../../src/domain/host/host.ts';
import { newHostId, type HostId } from '../../../src/domain/host/hostId.ts';
import { usualChoice } from '../../support/algorithms.ts';
import { patienceMs, withinDeadline } from '../../support/withinDeadline.ts';
import { ConnectTrace } from '../../../src/domain/ssh/trace.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { HostKeyAnswer, HostKeyQuestion } from '../../../src/domain/trust/trust.ts';
import { authorityVerdict } from '../../../src/infrastructure/ssh/keys/verifyCertificate.ts';
import { KnownHostsFiles } from '../../../src/infrastructure/ssh/knownHostsFiles.ts';
import { AgentSearch } from '../../../src/infrastructure/ssh/agentSearch.ts';
import { MemoryKnownHostsStore } from '../../../src/infrastructure/store/memory/memoryKnownHostsStore.ts';
import { SshTransport } from '../../../src/infrastructure/ssh/sshTransport.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { startSshd, type Sshd, type SshdOptions } from '../../lab/sshd.ts';

export const quietLog = { trace() {}, info() {}, warn() {}, error() {} };
export const never = new AbortController().signal;

/** A person with prepared answers. Every question is kept; one without an answer is an error of the test. */
export class ScriptedPerson implements ConnectionPromptPort {
  readonly hostKeys: HostKeyQuestion[] = [];
  readonly changed: HostKeyQuestion[] = [];
  readonly secrets: SecretQuestion[] = [];
  readonly confirmations: ConfirmQuestion[] = [];
  readonly notices: SigningNotice[] = [];
  answerHostKey: (question: HostKeyQuestion, signal: AbortSignal) => Promise<HostKeyAnswer> | HostKeyAnswer =
    () => 'once';
  answerSecret: (
    question: SecretQuestion,
    signal: AbortSignal,
  ) => Promise<string | undefined> | string | undefined = (question) => {
    throw new Error(`nobody expected the question "${question.title}: ${question.prompt}"`);
  };
  remember = false;
  answerConfirm: (question: ConfirmQuestion) => boolean = (question) => {
    throw new Error(`nobody expected the question ${question.k}`);
  };
  /** Called when a notice appears; resolves when the person cancels it. */
  cancelSigning: (notice: SigningNotice) => Promise<void> = () => new Promise<never>(() => {});

  async hostKey(question: HostKeyQuestion, signal: AbortSignal): Promise<HostKeyAnswer> {
    this.hostKeys.push(question);
    return this.answerHostKey(question, signal);
  }

  async changedKey(question: HostKeyQuestion): Promise<void> {
    this.changed.push(question);
  }

  async secret(
    question: SecretQuestion,
    signal: AbortSignal,
  ): Promise<{ text: string; remember: boolean } | undefined> {
    this.secrets.push(question);
    const text = await this.answerSecret(question, signal);
    return text === undefined ? undefined : { text, remember: this.remember };
  }

  async confirm(question: ConfirmQuestion): Promise<boolean> {
    this.confirmations.push(question);
    return this.answerConfirm(question);
  }

  async signing(notice: SigningNotice, signal: AbortSignal): Promise<boolean> {
    this.notices.push(notice);
    const over = new Promise<boolean>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true });
      if (signal.aborted) resolve(false);
    });
    return Promise.race([over, this.cancelSigning(notice).then(() => true)]);
  }
}

export class MemoryKnownHosts extends MemoryKnownHostsStore {
  list: readonly KnownHostRow[] = [];
  lines: readonly TrustAuditLine[] = [];

  override async change(change: KnownHostsChange): Promise<void> {
    await super.change(change);
    this.list = await this.rows();
    this.lines = await this.audit();
  }
}

export class MemoryPasswords implements KeptPasswordsPort {
  password: string | undefined;
  readonly kept: string[] = [];
  async find(): Promise<string | undefined> {
    return this.password;
  }
  async keep(_target: Target, password: string): Promise<void> {
    this.kept.push(password);
  }
}

/** Knows what its test says and tells it what was learned. */
export class MemoryChannels implements ChannelMemoryPort {
  known: ChannelFacts | undefined;
  onRemember: (learned: Omit<ChannelFacts, 'at'>) => void = () => {};
  async recall(): Promise<ChannelFacts | undefined> {
    return this.known;
  }
  remember(_host: HostId, learned: Omit<ChannelFacts, 'at'>): void {
    this.onRemember(learned);
  }
}

export class MemoryPassphrases implements KeptPassphrasesPort {
  readonly kept = new Map<string, string>();
  async find(key: string): Promise<string | undefined> {
    return this.kept.get(key);
  }
  async keep(key: string, passphrase: string): Promise<void> {
    this.kept.set(key, passphrase);
  }
  async forget(key: string): Promise<void> {
    this.kept.delete(key);
  }
}

/** Tells when an announcement of host keys has been dealt with. */
export class WatchedUpdates extends HostKeyUpdates {
  #tell: () => void = () => {};
  /** Of the next one. */
  readonly nextLearned = (): Promise<void> => new Promise((resolve) => (this.#tell = resolve));

  override async learn(announcement: Announcement, signal: AbortSignal): Promise<void> {
    await super.learn(announcement, signal);
    this.#tell();
  }
}

export interface BenchOptions {
  readonly clock?: ClockPort;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A transport with everything around it in memory, for tests against real servers. */
export class SshBench {
  readonly person = new ScriptedPerson();
  readonly knownHosts = new MemoryKnownHosts();
  readonly changedKeys = new ChangedKeys();
  appendsToUserFile = false;
  readonly passwords = new MemoryPasswords();
  readonly passphrases = new MemoryPassphrases();
  readonly channelMemory = new MemoryChannels();
  readonly progress: AttemptProgress[] = [];
  readonly proxySecrets = new Map<string, string>();
  mayRunPrograms = true;
  readonly trace: ConnectTrace;
  readonly keyUpdates: WatchedUpdates;
  readonly transport: SshTransport;
  readonly #opened: Transport[] = [];

  constructor(options: BenchOptions = {}) {
    const clock = options.clock ?? systemClock;
    this.trace = new ConnectTrace(() => clock.now());
    const files = new KnownHostsFiles(quietLog);
    this.keyUpdates = new WatchedUpdates({
      store: this.knownHosts,
      files,
      prompts: this.person,
      clock,
      log: quietLog,
    });
    this.transport = new SshTransport({
      clock,
      log: quietLog,
      prompts: this.person,
      keyUpdates: this.keyUpdates,
      judge: new HostKeyJudge({
        store: this.knownHosts,
        files,
        changed: this.changedKeys,
        appendsToUserFile: () => this.appendsToUserFile,
        verifyCertificate: authorityVerdict,
        clock,
        log: quietLog,
      }),
      passwords: this.passwords,
      passphrases: this.passphrases,
      channelMemory: this.channelMemory,
      agents: new AgentSearch({
        clock,
        environment: options.environment ?? {},
        home: '/nowhere',
        platform: process.platform,
      }),
      environment: options.environment ?? {},
      mayRunPrograms: () => this.mayRunPrograms,
      proxySecrets: { get: async (reference) => this.proxySecrets.get(reference) },
    });
  }

  async open(
    target: Target,
    options: { readonly signal?: AbortSignal; readonly lastSucceeded?: string } = {},
  ): Promise<Transport> {
    const transport = await this.transport.open(
      {
        target,
        hop: { user: target.user, label: target.label, index: 1, count: 1, via: [] },
        via: undefined,
        mayAsk: () => true,
        lastSucceeded: options.lastSucceeded,
        onProgress: (progress) => this.progress.push(progress),
        trace: this.trace,
      },
      options.signal ?? never,
    );
    this.#opened.push(transport);
    return transport;
  }

  /** The fault of an attempt that must fail. */
  async fault(target: Target, signal?: AbortSignal): Promise<Fault> {
    return faultOf(this.open(target, signal === undefined ? {} : { signal }));
  }

  /** Closes everything that was opened and waits for it. */
  async dispose(): Promise<void> {
    this.transport.dispose();
    for (const transport of this.#opened) transport.close();
    await Promise.all(this.#opened.map((transport) => transport.lost));
  }
}

/** A target at a lab server with its own key and no known_hosts files, which learns no further host keys. */
export function targetOf(
  server: Pick<Sshd, 'host' | 'port' | 'account' | 'key'>,
  change: Partial<Target> = {},
): Target {
  return {
    hostId: newHostId(),
    label: 'lab',
    tier: undefined,
    addresses: [server.host],
    port: server.port,
    user: server.account.name,
    trustName: server.host,
    trustNameIsAlias: false,
    identities: [{ kind: 'keyFile', path: server.key.privateFile, configured: true }],
    identitiesOnly: false,
    certificateFiles: [],
    identityAgent: 'none',
    identity: { kind: 'default' },
    passwordPlace: { reference: undefined, account: 'lab' },
    preferredAuthentications: undefined,
    passwordPrompts: 3,
    attemptLimit: 6,
    agentForwarding: undefined,
    userKnownHostsFiles: [],
    globalKnownHostsFiles: [],
    revokedHostKeys: undefined,
    strictHostKeyChecking: 'ask',
    updateHostKeys: 'no',
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

/** A target at a server that knows nobody, without identities. */
export function targetAt({ host, port }: Pick<Sshd, 'host' | 'port'>, change: Partial<Target> = {}): Target {
  const account = {
    name: 'op',
    uid: 0,
    gid: 0,
    home: '/',
    shell: '/bin/sh',
    isDedicated: false,
    dispose() {},
  };
  const nowhere = {
    type: 'ed25519',
    privateFile: '',
    publicFile: '',
    publicLine: '',
    fingerprint: '',
  } as const;
  return targetOf({ host, port, account, key: nowhere }, { identities: [], ...change });
}

export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  try {
    await promise;
  } catch (error) {
    if (isTermindError(error)) return error.fault;
    throw error;
  }
  throw new Error('it succeeded');
}

export interface Finished {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exit: Awaited<ManagedChannel['exit']>;
}

/** Everything a channel gives until it has closed. */
export async function finish(channel: ManagedChannel): Promise<Finished> {
  const parts = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  channel.onData(({ stream, bytes }) => parts[stream].push(Buffer.from(bytes)));
  await channel.closed;
  return {
    stdout: Buffer.concat(parts.stdout),
    stderr: Buffer.concat(parts.stderr),
    exit: await channel.exit,
  };
}

export async function runCommand(transport: Transport, command: string): Promise<Finished> {
  return finish(await transport.exec(command, never));
}

/** `withinDeadline`, with the promise first. */
export function within<T>(promise: Promise<T>, what: string, deadlineMs = patienceMs): Promise<T> {
  return withinDeadline(what, promise, deadlineMs);
}

/**
 * A lab server with an account of its own, so that nobody's start-up files run in front of a command. Where accounts cannot be created
 * it is the account that runs the tests.
 */
export function startServer(options: SshdOptions = {}): Promise<Sshd> {
  return startSshd(canCreateAccounts() ? { account: {}, ...options } : options);
}
