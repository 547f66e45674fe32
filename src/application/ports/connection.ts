import type { Duplex } from 'node:stream';
import type { Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';

/** Why a lease is taken; decides the channel budget. Source: ssh.md 1.1 and 1.5. */
export type Purpose =
  'terminal' | 'exec' | 'sftp-browse' | 'sftp-transfer' | 'forward' | 'metrics' | 'agent-exec' | 'agent-sftp';

export type PromptKind = 'hostKey' | 'password' | 'passphrase' | 'keyboardInteractive';

/** Live only; never stored, never inferred from the past. */
export type ConnectionState =
  | { readonly k: 'idle' }
  | { readonly k: 'resolving' }
  | { readonly k: 'connecting'; readonly hop: number }
  | { readonly k: 'asking'; readonly hop: number; readonly what: PromptKind }
  | { readonly k: 'ready'; readonly since: number; readonly rttMs: number | undefined }
  | { readonly k: 'suspect'; readonly since: number }
  | { readonly k: 'waiting'; readonly attempt: number; readonly at: number; readonly fault: Fault }
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
}

export interface ConnectionManager {
  /**
   * A lease on the one connection to this host; concurrent calls share one attempt, one result and one set of prompts.
   * Rejects with `TermindError` carrying the attempt's one fault; an abort only stops this caller's waiting.
   */
  acquire(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease>;
  state(host: HostId): ConnectionState;
  negotiated(host: HostId): NegotiatedFacts | undefined;
  readonly onDidChange: Event<ConnectionChange>;
  /** Closes at once; pending calls end with `outcome-unknown`. */
  disconnect(host: HostId): void;
  dispose(): void;
}

export interface Lease {
  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel>;
  /** Sends exactly `command` on its own exec channel, no pseudoterminal. Rejects with `channel-limit` only when nothing was sent. */
  exec(command: string, signal: AbortSignal): Promise<ManagedChannel>;
  /**
   * Bytes to and from `to`, connected to by the server: back-pressure both ways, half-close kept, errors never unhandled. Destroyed
   * with the fault when the connection ends. Not a counted channel, so no limit of the server's applies. Rejects with
   * `forward-refused` (fact `reason` is an `OpenRefusal`). Whoever holds it destroys it. Source: ssh.md 1.2 and 6.
   */
  direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex>;
  /** Resolves once, when the connection behind the lease is gone, before its channels report `closed`. */
  readonly lost: Promise<Fault>;
  /** As whom and to which port the connection was opened. */
  readonly user: string;
  readonly port: number;
  release(): void;
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
