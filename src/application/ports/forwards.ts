import type { Duplex } from 'node:stream';
import type { SocketRules } from '../../domain/forward/configForwards.ts';
import type {
  ForwardBind,
  ForwardDestination,
  ForwardId,
  ForwardPlace,
} from '../../domain/forward/forward.ts';
import type { HostListing } from '../../domain/host/host.ts';

/**
 * Which window runs a forward that starts by itself. A lease that was not renewed for 45 s, or whose window is gone, is nobody's.
 * Source: ssh.md 6.
 */
export interface ForwardLeasePort {
  /** Takes or renews it. False while another window has it. */
  take(id: ForwardId): Promise<boolean>;
  /** Gives it back; nothing when this window does not have it. */
  release(id: ForwardId): Promise<void>;
}

/** A program on this machine, or on one that may reach it, has connected. Exactly one of the two is called, once. */
export interface LocalClient {
  /** Absent for a Unix socket. */
  readonly originator: { readonly address: string; readonly port: number } | undefined;
  /** Bytes both ways with back-pressure and half-close; errors are never unhandled. Nothing is read before. The caller destroys it. */
  accept(): Duplex;
  /** Ends it so that the program sees a broken connection and not an empty answer. */
  reject(): void;
}

export interface LocalListener {
  /** Where it listens, with the port that the system chose for port 0. */
  readonly at: ForwardBind;
  /** It failed by itself and listens no longer. */
  readonly failed: Promise<Error>;
  /** Resolves when the port is free again. Accepted clients stay. */
  close(): Promise<void>;
}

export interface LocalNetworkPort {
  /**
   * Listens; an address that is left out is 127.0.0.1 and ::1, both or none of them taken. Rejects with `port-in-use` (facts `port` or
   * `path`, and `owner` when the system tells) and `listen-failed`. The caller closes it.
   */
  listen(
    request: {
      readonly bind: ForwardBind;
      readonly sockets: SocketRules;
      readonly onClient: (client: LocalClient) => void;
    },
    signal: AbortSignal,
  ): Promise<LocalListener>;
  /** Connects from this machine. Rejects with `refused`, `unreachable`, `name-not-found` or `connect-timeout`. The caller destroys it. */
  dial(to: ForwardDestination, signal: AbortSignal): Promise<Duplex>;
}

export interface ForwardPromptPort {
  /** May other machines connect to it? No answer is no. */
  wideBinding(
    question: { readonly host: Pick<HostListing, 'label'>; readonly place: ForwardPlace },
    signal: AbortSignal,
  ): Promise<boolean>;
}
