import type { Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { ChannelFacts } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Hop } from '../../domain/ssh/hop.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
import type { Channels, NegotiatedFacts, PromptKind, Purpose } from './connection.ts';

/** How far an attempt is, for the views. */
export type AttemptProgress =
  { readonly k: 'connecting' } | { readonly k: 'asking'; readonly what: PromptKind };

/** The jump host that carries a connection. */
export interface Carrier extends Pick<Channels, 'direct'> {
  /** `guard@gate (hop 1 of 2)`. */
  readonly hop: string;
}

export interface TransportRequest {
  readonly target: Target;
  readonly hop: Hop;
  /** There when the target's route is a jump. Whoever asks keeps it open. */
  readonly via: Carrier | undefined;
  /** Asked when a question would be shown. False ends the attempt with `answer-needed`: nobody is there to answer. */
  readonly mayAsk: () => boolean;
  /** Fingerprint of the key that opened this host last. */
  readonly lastSucceeded: string | undefined;
  readonly onProgress: (progress: AttemptProgress) => void;
  /** What happens is written down here. */
  readonly trace: ConnectTrace;
}

/** Opens authenticated transports. Its one implementation is the only place that knows the SSH library. */
export interface TransportPort {
  /**
   * One attempt, prompts included. Rejects with `TermindError` carrying the attempt's one fault; an abort ends the attempt, closes its
   * prompts and rejects with `cancelled`.
   */
  open(request: TransportRequest, signal: AbortSignal): Promise<Transport>;
}

/** What arrives, or does not, on an open connection. */
export type Liveness =
  { readonly k: 'alive'; readonly rttMs: number | undefined } | { readonly k: 'suspect' };

/** One authenticated connection to one hop; by itself its channels are those of purpose `exec`. Whoever opened it closes it. */
export interface Transport extends Channels {
  readonly facts: NegotiatedFacts;
  /** Fingerprint of the key that was accepted; undefined for other methods. */
  readonly acceptedKey: string | undefined;
  /** What the server had to say before it let us in: fit to be shown, bounded, lines apart by `\n`; empty when it said nothing. */
  readonly banner: string;
  readonly onLiveness: Event<Liveness>;
  /** Fires once, at the moment the connection is gone and before any of its channels reports it. */
  readonly onEnd: Event<Fault>;
  /** Resolves once, when the connection is gone, by whatever cause; after `close` with `cancelled`. */
  readonly lost: Promise<Fault>;
  /** Its channels as those of a purpose. */
  as(purpose: Purpose): Channels;
  /** One probe at once; when nothing arrives within `withinMs` the connection is over with `not-responding`. */
  check(withinMs: number): void;
  /** What carries it is gone: it is over with this fault. Does nothing when it is over already. */
  ended(fault: Fault): void;
  /** At once; channels end as unknown. */
  close(): void;
}

/**
 * Passphrases of key files that a person wanted kept. `key` names the key: its fingerprint, or the path where that is not known. Each
 * call rejects when the secret store fails. Source: ssh.md 2.4.
 */
export interface KeptPassphrasesPort {
  find(key: string): Promise<string | undefined>;
  keep(key: string, passphrase: string): Promise<void>;
  forget(key: string): Promise<void>;
}

/** Passwords that are kept for targets with a place for one, and keeping one. Source: ssh.md 10.2. */
export interface KeptPasswordsPort {
  /** What was kept when the target was resolved, whatever became of its host since. Rejects when the secret cannot be read. */
  find(target: Pick<Target, 'passwordPlace'>): Promise<string | undefined>;
  /** Does nothing when the account of the host or its password has changed since. */
  keep(target: Pick<Target, 'hostId' | 'passwordPlace'>, password: string): Promise<void>;
}

/** What earlier connections to a host have learned about its channels. Source: ssh.md 1.5. */
export interface ChannelMemoryPort {
  /** Undefined when nothing is known any more. Never rejects. */
  recall(host: HostId): Promise<ChannelFacts | undefined>;
  remember(host: HostId, learned: Omit<ChannelFacts, 'at'>): void;
}
