import { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import type { Disposable } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';

/** Called by the library with what is to be signed, and back with the signature. */
export type SignRequest = (data: Buffer, done: (signature: Buffer) => void) => void;

/** What we use of the library's protocol object beyond its public interface. Source: ssh.md 5.5. */
export interface ProtocolParts {
  /** User, key, then algorithm and signing callback, of which either may be missing. */
  authPK: (...request: unknown[]) => void;
  ping(): void;
  signal(channel: number, name: string): void;
  readonly _kex: { readonly sessionID: Buffer };
  readonly _kexinit: unknown;
  _queue: Buffer[] | undefined;
  readonly _authsQueue: string[];
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number;
      alloc(size: number): Buffer;
      finalize(packet: Buffer): Buffer;
    };
  };
  readonly _cipher: { encrypt(packet: Buffer): void };
  readonly _handlers: {
    EXT_INFO: (
      protocol: unknown,
      extensions: readonly { readonly name: string; readonly algs?: unknown }[],
    ) => void;
    /** Gets the protocol, the name of the request, whether an answer is wanted, and its data. */
    GLOBAL_REQUEST: (...request: readonly unknown[]) => void;
  };
}

/** The replies to global requests come in order; each has its callback here. */
export type GlobalReplies = ((...args: unknown[]) => void)[];

const functionsOfProtocol = ['authPK', 'ping', 'signal'] as const;

/**
 * The protocol object of a client that has begun to connect. Throws `internal` when the library is not built the way this was written
 * for: the package is pinned to an exact version for that reason. Source: TRAP-23.
 */
export function protocolOf(client: Client): ProtocolParts {
  const protocol = property(client, '_protocol');
  if (!isProtocol(protocol)) throw unknownLibrary('protocol');
  return protocol;
}

export function globalRepliesOf(client: Client): GlobalReplies {
  const replies = property(client, '_callbacks');
  if (!isList(replies)) throw unknownLibrary('callbacks');
  return replies;
}

/**
 * Answers a server that wants a new password for an expired one. The library takes the old one from its own configuration, which holds
 * it for this call only, and keeps the request that was answered in its queue, where it would take the next answer for its own.
 * Source: TRAP-17; RFC 4252 section 8.
 */
export function changePassword(
  client: Client,
  passwords: { readonly current: string; readonly next: string },
  send: (next: string) => void,
): void {
  const config = property(client, 'config');
  if (typeof config !== 'object' || config === null) throw unknownLibrary('configuration');
  protocolOf(client)._authsQueue.shift();
  Reflect.set(config, 'password', passwords.current);
  try {
    send(passwords.next);
  } finally {
    Reflect.set(config, 'password', undefined);
  }
}

/**
 * Drops every message of the server that `mayPass` is false for, by the library's own name for it. Nothing of the exchange of keys is
 * asked about: the library has that to itself.
 */
export function filterMessages(client: Client, mayPass: (message: string) => boolean): void {
  const handlers: object = protocolOf(client)._handlers;
  for (const [message, handle] of Object.entries(handlers)) {
    if (!isMethod(handle)) continue;
    Reflect.set(handlers, message, (...words: unknown[]) => {
      if (mayPass(message)) handle(...words);
    });
  }
}

/** Called by the library when a server opens a channel to the agent; `done` gives it the other end. */
export type OpenAgentStream = (done: (error: Error | undefined, stream?: Duplex) => void) => void;

const sessionStarts = ['shell', 'exec', 'subsystem'] as const;

/**
 * Switches agent forwarding on for a client that is signed in: each session asks the server for it as it starts, without waiting for an
 * answer, so that a server that refuses still runs the session; channels that the server opens to the agent are accepted from now on.
 * Disposing refuses them again. Source: TRAP-15; PROTOCOL.agent.
 */
export function armAgentForwarding(client: Client, getStream: OpenAgentStream): Disposable {
  const protocol: object = protocolOf(client);
  const ask = property(protocol, 'openssh_agentForward');
  if (!isMethod(ask)) throw unknownLibrary('agent forwarding');
  let isOn = true;
  for (const name of sessionStarts) {
    const start = property(protocol, name);
    if (!isMethod(start)) throw unknownLibrary(name);
    Reflect.set(protocol, name, (channel: unknown, ...words: unknown[]) => {
      if (isOn) ask.call(protocol, channel, false);
      return start.call(protocol, channel, ...words);
    });
  }
  Reflect.set(client, '_agent', { getStream });
  Reflect.set(client, '_agentFwdEnabled', true);
  return {
    dispose: () => {
      isOn = false;
      Reflect.set(client, '_agentFwdEnabled', false);
    },
  };
}

/** The number of the channel whose opening was asked for last. */
export function lastChannelOf(client: Client): number {
  const current = property(property(client, '_chanMgr'), '_cur');
  if (typeof current !== 'number') throw unknownLibrary('channels');
  return current;
}

/** The library's channel of that number; undefined when it is not open. */
export function openChannelOf(client: Client, channel: number): ClientChannel | undefined {
  const found = property(property(property(client, '_chanMgr'), '_channels'), String(channel));
  return isChannel(found) ? found : undefined;
}

/** Whether requests may still be sent on a channel: its own input may be at its end, but it is not being closed. */
export function openRemoteIdOf(channel: object): number | undefined {
  const outgoing = property(channel, 'outgoing');
  const state = property(outgoing, 'state');
  const id = property(outgoing, 'id');
  return typeof id === 'number' && (state === 'open' || state === 'eof') ? id : undefined;
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? (Reflect.get(of, name) as unknown) : undefined;
}

function isProtocol(value: unknown): value is ProtocolParts {
  const write = property(property(value, '_packetRW'), 'write');
  return (
    functionsOfProtocol.every((name) => typeof property(value, name) === 'function') &&
    typeof property(write, 'alloc') === 'function' &&
    typeof property(write, 'finalize') === 'function' &&
    typeof property(write, 'allocStart') === 'number' &&
    typeof property(property(value, '_cipher'), 'encrypt') === 'function' &&
    typeof property(property(value, '_handlers'), 'EXT_INFO') === 'function' &&
    typeof property(property(value, '_handlers'), 'GLOBAL_REQUEST') === 'function' &&
    Array.isArray(property(value, '_authsQueue'))
  );
}

function isChannel(value: unknown): value is ClientChannel {
  return value instanceof Duplex && 'stderr' in value && 'close' in value;
}

function isMethod(value: unknown): value is (...words: unknown[]) => unknown {
  return typeof value === 'function';
}

function isList(value: unknown): value is GlobalReplies {
  return Array.isArray(value);
}

function unknownLibrary(part: string): Error {
  return localFault('internal', { reason: `the SSH library has no ${part} of the expected form` });
}
