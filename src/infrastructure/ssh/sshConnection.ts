import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { abortReason, Emitter, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import type {
  DirectTarget,
  ManagedChannel,
  NegotiatedFacts,
  ShellOptions,
} from '../../application/ports/connection.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { Liveness, Transport } from '../../application/ports/transport.ts';
import type { Fault } from '../../domain/fault.ts';
import { connectionFault, faultError, outcomeUnknown } from '../../domain/ssh/connectionFault.ts';
import { forwardRefused, openRefusal } from '../../domain/ssh/openRefusal.ts';
import { ChannelBudget } from './channelBudget.ts';
import { ChannelStream } from './channelStream.ts';
import {
  globalRepliesOf,
  lastChannelOf,
  openRemoteIdOf,
  protocolOf,
  remoteChannelOf,
} from './libraryParts.ts';
import { LivenessWatch } from './liveness.ts';
import { SshChannel } from './sshChannel.ts';

export interface SshConnectionOptions {
  readonly client: Client;
  readonly hop: string;
  readonly facts: NegotiatedFacts;
  readonly acceptedKey: string | undefined;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveCountMax: number;
}

/** A server that neither opens nor refuses a channel is not waited for longer. */
const openChannelMs = 60_000;
/** How long the goodbye may take before the socket is destroyed. */
const goodbyeMs = 1_000;

type ChannelRequest = (done: (error: Error | undefined, channel: ClientChannel) => void) => void;

/** How one kind of channel is opened and handed out. */
interface Opening<T> {
  readonly request: ChannelRequest;
  /** Called at once, so that nothing the channel tells is missed. */
  readonly adopt: (channel: ClientChannel) => T;
  /** Nobody waits for it any more. */
  readonly discard: (opened: T) => void;
  /** The fault of a refusal; `channel` is the library's number of what was asked for. */
  readonly failed: (error: Error, channel: number) => Error;
  readonly notSent?: () => void;
}

/** An authenticated connection. Whoever holds it closes it; every channel ends with it. */
export class SshConnection implements Transport {
  readonly facts: NegotiatedFacts;
  readonly acceptedKey: string | undefined;
  readonly lost: Promise<Fault>;
  readonly #options: SshConnectionOptions;
  readonly #liveness: LivenessWatch;
  readonly #budget = new ChannelBudget();
  readonly #end = new Emitter<Fault>();
  #tellLost: (fault: Fault) => void = () => {};
  /** What ends with the connection. A set and not the promise, which would keep every channel for its whole life. */
  readonly #dependents = new Set<(fault: Fault) => void>();
  /** The first cause of the end. */
  #fault: Fault | undefined;

  constructor(options: SshConnectionOptions) {
    const { clock } = options;
    this.#options = options;
    this.facts = options.facts;
    this.acceptedKey = options.acceptedKey;
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
    this.#liveness = new LivenessWatch({
      clock,
      intervalMs: options.keepAliveIntervalMs,
      maxSilentProbes: options.keepAliveCountMax,
      probe: (onReply) => this.#probe(onReply),
      onDead: () => this.ended(this.#linkFault('not-responding')),
    });
  }

  get onEnd(): Event<Fault> {
    return this.#end.event;
  }

  get onLiveness(): Event<Liveness> {
    return this.#liveness.onChange;
  }

  /** Every inbound chunk is a sign of life. */
  noteInbound(): void {
    this.#liveness.noteInbound();
  }

  /** The connection is over; the first fault counts. Destroys the socket, which ends every channel. */
  ended(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#finish(fault);
    this.#options.client.destroy();
  }

  exec(command: string, signal: AbortSignal): Promise<ManagedChannel> {
    return this.#openCounted((done) => this.#options.client.exec(command, done), signal);
  }

  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel> {
    const { rows, cols, environment } = options;
    const env = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
    const window = { rows, cols, width: 0, height: 0, term: 'xterm-256color' };
    return this.#openCounted((done) => this.#options.client.shell(window, { env }, done), signal);
  }

  direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex> {
    const { client, hop } = this.#options;
    const opening: Opening<ChannelStream> = {
      request: (done) => {
        if ('path' in to) return client.openssh_forwardOutStreamLocal(to.path, done);
        const from = to.originator ?? { address: '127.0.0.1', port: 0 };
        return client.forwardOut(from.address, from.port, to.host, to.port, done);
      },
      adopt: (channel) =>
        new ChannelStream({ channel, hop, onLost: (tell) => this.#onLost(tell), onClosed: () => {} }),
      discard: (stream) => stream.destroy(),
      failed: (error) => {
        if (this.#fault !== undefined) return faultError(outcomeUnknown(this.#fault), error);
        const { reason, text } = refusalOf(error);
        return faultError(
          forwardRefused({ hop, to: destinationName(to) }, { reason: openRefusal(reason), text }),
          error,
        );
      },
    };
    return this.#open(opening, signal);
  }

  close(): void {
    if (this.#fault !== undefined) return;
    this.#finish(this.#linkFault('cancelled'));
    const { client, clock } = this.#options;
    client.end();
    const insist = clock.after(goodbyeMs, () => client.destroy());
    client.once('close', () => insist.dispose());
  }

  #finish(fault: Fault): void {
    this.#fault = fault;
    this.#liveness.dispose();
    this.#end.fire(fault);
    this.#end.dispose();
    for (const tell of this.#dependents) tell(fault);
    this.#dependents.clear();
    this.#tellLost(fault);
  }

  #onLost(tell: (fault: Fault) => void): Disposable {
    this.#dependents.add(tell);
    return { dispose: () => void this.#dependents.delete(tell) };
  }

  #openCounted(request: ChannelRequest, signal: AbortSignal): Promise<ManagedChannel> {
    if (this.#isUsable(signal) && !this.#budget.take())
      return Promise.reject(faultError(this.#channelLimit()));
    return this.#open(
      {
        request,
        adopt: (channel) => {
          this.#budget.granted();
          return this.#manage(channel);
        },
        discard: (channel) => channel.close(),
        failed: (error, channel) => this.#openingFailed(error, channel),
        notSent: () => this.#budget.giveBack(),
      },
      signal,
    );
  }

  #isUsable(signal: AbortSignal): boolean {
    return !signal.aborted && this.#fault === undefined;
  }

  /** Resolves with an open channel. A channel that opens when nobody waits for it any more is closed at once. */
  #open<T>(opening: Opening<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    if (this.#fault !== undefined) return Promise.reject(faultError({ ...this.#fault, outcome: 'not-sent' }));
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const settle = (finish: () => void): void => {
        if (!isWaiting) return;
        isWaiting = false;
        deadline.dispose();
        lost.dispose();
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const unanswered = (code: 'cancelled' | 'not-responding'): void =>
        settle(() => reject(faultError(this.#unanswered(code))));
      const onAbort = (): void => unanswered('cancelled');
      const deadline = clock.after(openChannelMs, () => unanswered('not-responding'));
      signal.addEventListener('abort', onAbort, { once: true });
      const lost = this.#onLost((fault) => settle(() => reject(faultError(outcomeUnknown(fault)))));
      let opened = -1;
      try {
        opening.request((error, channel) => {
          if (error !== undefined) {
            const failure = opening.failed(error, opened);
            return settle(() => reject(failure));
          }
          const adopted = opening.adopt(channel);
          if (isWaiting) settle(() => resolve(adopted));
          else opening.discard(adopted);
        });
        opened = lastChannelOf(this.#options.client);
      } catch (error) {
        // The library throws only before it sends anything.
        opening.notSent?.();
        settle(() => reject(faultError({ ...this.#linkFault('link-lost'), outcome: 'not-sent' }, error)));
      }
    });
  }

  #manage(channel: ClientChannel): SshChannel {
    return new SshChannel({
      channel,
      hop: this.#options.hop,
      onLost: (tell) => this.#onLost(tell),
      sendSignal: (of, name) => {
        const id = openRemoteIdOf(of);
        if (id === undefined || this.#fault !== undefined) return false;
        protocolOf(this.#options.client).signal(id, name);
        return true;
      },
      onClosed: () => this.#budget.giveBack(),
    });
  }

  /**
   * A number as reason means that the channel itself was refused, so nothing ran. Otherwise it was open and the request on it was
   * refused; the library leaves such a channel open. Source: ssh.md 1.5; RFC 4254 section 5.1.
   */
  #openingFailed(error: Error, channel: number): Error {
    if (this.#fault !== undefined) return faultError(outcomeUnknown(this.#fault), error);
    if ('reason' in error) {
      this.#budget.refused();
      return faultError(this.#channelLimit(), error);
    }
    this.#budget.giveBack();
    const { client, hop } = this.#options;
    const remote = remoteChannelOf(client, channel);
    if (remote !== undefined) protocolOf(client).channelClose(remote);
    return faultError(
      connectionFault('limited-host', { stage: 'channel', hop }, { family: 'unknown' }),
      error,
    );
  }

  #channelLimit(): Fault {
    const { used, limit } = this.#budget;
    const facts = { used: String(used), limit: String(limit) };
    return connectionFault('channel-limit', { stage: 'channel', hop: this.#options.hop }, facts);
  }

  #linkFault(code: 'not-responding' | 'link-lost' | 'cancelled'): Fault {
    return connectionFault(code, { stage: 'link', hop: this.#options.hop, outcome: 'unknown' });
  }

  /** The request is on its way and may still be carried out. */
  #unanswered(code: 'cancelled' | 'not-responding'): Fault {
    return { ...this.#linkFault(code), stage: 'channel' };
  }

  #probe(onReply: () => void): void {
    const { client, log } = this.#options;
    try {
      // Replies to global requests carry no number: the order of this list is the order of the answers.
      globalRepliesOf(client).push(() => {
        if (this.#fault === undefined) onReply();
      });
      protocolOf(client).ping();
    } catch (error) {
      log.warn(
        'ssh',
        `a keepalive probe could not be sent: ${error instanceof Error ? error.name : 'error'}`,
      );
    }
  }
}

/** The library puts the reason number on the error; a server that closed instead has an empty one. Source: RFC 4254 section 5.1. */
function refusalOf(error: Error): { readonly reason: number | undefined; readonly text: string } {
  const reason: unknown = Reflect.get(error, 'reason');
  const text = error.message.replace(/^\(SSH\) Channel open failure: /, '');
  return { reason: typeof reason === 'number' ? reason : undefined, text };
}

function destinationName(to: DirectTarget): string {
  if ('path' in to) return to.path;
  return to.host.includes(':') ? `[${to.host}]:${String(to.port)}` : `${to.host}:${String(to.port)}`;
}
