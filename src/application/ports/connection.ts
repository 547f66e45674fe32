import type { Duplex } from 'node:stream';
import type { Disposable, Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { AgreedAlgorithms, ConnectTrace } from '../../domain/ssh/trace.ts';

/** Why a lease is taken; decides the channel budget. Source: ssh.md 1.1 and 1.5. */
export type Purpose =
  'terminal' | 'exec' | 'sftp-browse' | 'sftp-transfer' | 'forward' | 'metrics' | 'agent-exec' | 'agent-sftp';

/** `signing`: an agent takes its time, perhaps for a touch. */
export type PromptKind =
  'hostKey' | 'password' | 'passphrase' | 'keyboardInteractive' | 'newPassword' | 'confirm' | 'signing';

/** Live only; never stored, never inferred from the past. */
export type ConnectionState =
  | { readonly k: 'idle' }
  | { readonly k: 'resolving' }
  | { readonly k: 'connecting'; readonly hop: number }
  | { readonly k: 'asking'; readonly hop: number; readonly what: PromptKind }
  | { readonly k: 'ready'; readonly since: number; readonly rttMs: number | undefined }
  | { readonly k: 'suspect'; readonly since: number }
  /** Lost by `fault`, and wanted. The next attempt begins at `at`; undefined: when the person asks for it, who has to answer something. */
  | {
      readonly k: 'waiting';
      readonly attempt: number;
      readonly at: number | undefined;
      readonly fault: Fault;
    }
  | { readonly k: 'stopped'; readonly fault: Fault };

export interface ConnectionChange {
  readonly hostId: HostId;
  readonly state: ConnectionState;
}

/** What was agreed on with the server, for the connection view. */
export interface NegotiatedFacts {
  readonly user: string;
  readonly address: string;
  readonly port: number;
  readonly serverIdentification: string;
  readonly hostKeyType: string;
  readonly hostKeyFingerprint: string;
  readonly authenticatedBy: string;
  /**
   * What the last exchange of keys came to; every name is empty when the system's `ssh` holds the connection, which does not tell.
   * `isPostQuantum` of `domain/ssh/algorithms` judges the exchange itself.
   */
  readonly algorithms: AgreedAlgorithms;
  /** The agent that was asked for keys; undefined when none was. */
  readonly agent: string | undefined;
  /** The agent that the server may use; undefined when forwarding is off. */
  readonly forwardedAgent: string | undefined;
}

export interface ConnectionManager {
  /**
   * A lease on the one connection to this host; concurrent calls share one attempt, one result and one set of prompts.
   * Rejects with `TermindError` carrying the attempt's one fault; an abort only stops this caller's waiting.
   */
  acquire(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease>;
  /**
   * As `acquire`, for somebody who may not ask a person: rejects with `answer-needed` where a question would come, and with the refusal of
   * the last sign-in while that stands. Source: vscode.md 7, "First access connects".
   */
  acquireUnasked(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease>;
  state(host: HostId): ConnectionState;
  negotiated(host: HostId): NegotiatedFacts | undefined;
  readonly onDidChange: Event<ConnectionChange>;
  /** What the last attempt did, one trace for each server on the way in order; empty when there was none. Source: ssh.md 1.10. */
  trace(host: HostId): readonly ConnectTrace[];
  /**
   * Says that somebody wants this host connected: after a network fault it is connected again, as it is while leases for terminals,
   * forwards and file browsing are held. By itself it neither connects nor keeps an idle connection open. The caller disposes it.
   * Source: ssh.md 1.7.
   */
  keepConnected(host: HostId): Disposable;
  /** The next attempt at once, with questions if there are any. The state tells how it goes. */
  reconnectNow(host: HostId): void;
  /** Closes at once; pending calls end with `outcome-unknown`. */
  disconnect(host: HostId): void;
  dispose(): void;
}

/**
 * What runs over one connection. Shells, commands and byte channels are *counted*: they wait, at most `queueMs`, for a place among
 * those that the server grants, and reject with `channel-limit` when none became free; an abort while waiting rejects with `cancelled`
 * and outcome `not-sent`. Nothing was sent unless the outcome says otherwise. Source: ssh.md 1.1 and 1.5.
 */
export interface Channels {
  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel>;
  /** Sends exactly the command on its own exec channel, no pseudoterminal. */
  exec(command: string | ExecOptions, signal: AbortSignal): Promise<ManagedChannel>;
  /** A raw stream of bytes to a subsystem or a command. Rejects with `sftp-missing` when the server refuses the subsystem. */
  bytes<K extends ByteKind>(kind: K, options: ByteOptions[K], signal: AbortSignal): Promise<ByteStream>;
  /**
   * Bytes to and from `to`, connected to by the server: back-pressure both ways, half-close kept, errors never unhandled. Destroyed
   * with the fault when the connection ends. Not a counted channel, so no limit of the server's applies. Rejects with
   * `forward-refused` (fact `reason` is an `OpenRefusal`, to a socket a `SocketRefusal`). Whoever holds it destroys it. Source: ssh.md 1.2 and 6.
   */
  direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex>;
  /**
   * Lets the server listen and tells each client that connects there. Resolves when it listens. Rejects with `forward-refused`. Ends
   * with the connection. Whoever holds it closes it. Source: ssh.md 6; TRAP-15.
   */
  listen(
    bind: RemoteBind,
    onClient: (client: RemoteClient) => void,
    signal: AbortSignal,
  ): Promise<RemoteListener>;
  /** How many counted channels this purpose may have open now. Whoever has more gives some back. Source: ssh.md 1.5. */
  readonly allowed: number;
  readonly onAllowedChange: Event<void>;
}

export interface Lease extends Channels {
  /** Resolves once, when the connection behind the lease is gone, before its channels report `closed`. */
  readonly lost: Promise<Fault>;
  /** As whom and to which port the connection was opened. */
  readonly user: string;
  readonly port: number;
  /**
   * What the server had to say to whoever signs in, for the top of a terminal: fit to be shown, bounded, lines apart by `\n`. The first
   * who takes it of a connection gets it; empty for everybody else, and when there is none. Source: RFC 4252 section 5.4; ssh.md 0.6.
   */
  takeBanner(): string;
  release(): void;
}

/** How a counted channel is opened. */
export interface ChannelOptions {
  /** How long it waits for a place; a default of the purpose when absent. */
  readonly queueMs?: number;
}

export interface ExecOptions extends ChannelOptions {
  readonly command: string;
  /** It ends something, so it may take what is reserved for others. */
  readonly isUrgent?: boolean;
}

export interface ByteOptions {
  readonly sftp: ChannelOptions;
  readonly subsystem: ChannelOptions & { readonly name: string };
  readonly exec: ChannelOptions & { readonly command: string };
}
export type ByteKind = keyof ByteOptions;

/** The bytes of one channel: stdin one way, stdout the other. Whoever holds it destroys it. */
export interface ByteStream extends Duplex {
  /** What arrives beside the bytes. The first listener also gets the first 64 KiB that came before it; later, what nobody listens to is dropped. */
  readonly onStderr: Event<Uint8Array>;
  /** As `ManagedChannel.exit`. */
  readonly exit: Promise<ChannelExit>;
}

/** Where the server listens: address and port, 0 for one of its choice, or the path of a Unix socket. */
export type RemoteBind = { readonly address: string; readonly port: number } | { readonly path: string };

/** Somebody connected to a remote listener. Exactly one of `accept` and `reject` is called, once, at any later time. */
export interface RemoteClient {
  /** Absent for a Unix socket. */
  readonly originator: { readonly address: string; readonly port: number } | undefined;
  /** As the stream of `direct`. */
  accept(): Duplex;
  reject(): void;
}

export interface RemoteListener {
  /** The port that the server listens on, also when it chose it; undefined for a Unix socket. */
  readonly port: number | undefined;
  /** The server no longer listens, has not answered in time, or is gone. Accepted clients stay. */
  close(): Promise<void>;
}

/** A TCP port as the server sees it, or one of its Unix sockets. `originator` is who connected at this end, for the server's log. */
export type DirectTarget =
  | {
      readonly host: string;
      readonly port: number;
      readonly originator?: { readonly address: string; readonly port: number };
    }
  | { readonly path: string };

export interface ShellOptions {
  readonly rows: number;
  readonly cols: number;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
}

/** How a channel ended. No status is `unknown`, never 0. Source: ssh.md 1.9, TRAP-12. */
export type ChannelExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** One SSH channel with back-pressure both ways. Whoever holds it disposes it. */
export interface ManagedChannel {
  /** Raw bytes in arrival order. While paused, nothing arrives and the server is held back by the window. */
  readonly onData: Event<{ readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }>;
  pause(): void;
  resume(): void;
  /** Resolves when the bytes are handed to the transport and it wants more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends EOF. */
  end(): void;
  /** Rows first. Only positive sizes are sent. */
  resize(size: { readonly rows: number; readonly cols: number }): void;
  /** Asks the server to signal the process; true when it was sent. */
  signal(name: 'TERM' | 'INT' | 'HUP' | 'QUIT' | 'KILL'): boolean;
  /** The exit status as soon as the server tells it; also when the channel closes without one. */
  readonly exit: Promise<ChannelExit>;
  /** After `close` arrived (or the connection is gone): every byte was delivered before. */
  readonly closed: Promise<void>;
  /** Closes the channel; the remote process may survive. */
  close(): void;
}
