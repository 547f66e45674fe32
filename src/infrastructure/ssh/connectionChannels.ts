import type { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { Event } from '../../agentkit/index.ts';
import type {
  ByteKind,
  ByteOptions,
  ByteStream,
  ChannelOptions,
  Channels,
  DirectTarget,
  ExecOptions,
  ManagedChannel,
  Purpose,
  RemoteBind,
  RemoteClient,
  RemoteListener,
  ShellOptions,
} from '../../application/ports/connection.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { forwardRefused, openRefusal, socketRefusal } from '../../domain/ssh/openRefusal.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
import type { ChannelBudget, ChannelPlace, ChannelWish } from './channelBudget.ts';
import { openFailureOf, type ChannelOpener, type OpenFailure } from './channelOpener.ts';
import { ChannelStream } from './channelStream.ts';
import { withChannelWindow } from './channelWindow.ts';
import { lastChannelOf, openChannelOf, openRemoteIdOf, protocolOf } from './libraryParts.ts';
import type { RemoteListeners } from './remoteListeners.ts';
import { SshChannel } from './sshChannel.ts';
import { placeText } from '../../domain/host/placeText.ts';

export interface ChannelParts {
  readonly opener: ChannelOpener;
  readonly budget: ChannelBudget;
  readonly listeners: RemoteListeners;
  readonly trace: ConnectTrace | undefined;
}

const movesFiles: ReadonlySet<Purpose> = new Set(['sftp-transfer', 'agent-sftp']);

type ChannelRequest = (done: (error: Error | undefined, channel: ClientChannel) => void) => unknown;

/** The server refused, and what it told says that another try may succeed once a channel is free. */
class TryAgain extends Error {}

/** The channels of one connection, for one purpose. They end with the connection. */
export class ConnectionChannels implements Channels {
  readonly #parts: ChannelParts;
  readonly #purpose: Purpose;

  constructor(parts: ChannelParts, purpose: Purpose) {
    this.#parts = parts;
    this.#purpose = purpose;
  }

  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel> {
    const { rows, cols, environment } = options;
    const env = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
    const window = { rows, cols, width: 0, height: 0, term: 'xterm-256color' };
    const { client } = this.#parts.opener;
    return this.#counted(
      {
        wish: this.#wish({}, false),
        request: (done) => client.shell(window, { env }, done),
        adopt: (channel, onClosed) => this.#manage(channel, onClosed),
        requestRefused: () => this.#limited(),
      },
      signal,
    );
  }

  exec(command: string | ExecOptions, signal: AbortSignal): Promise<ManagedChannel> {
    const options = typeof command === 'string' ? { command } : command;
    const { client } = this.#parts.opener;
    const isUrgent = options.isUrgent ?? false;
    return this.#counted(
      {
        wish: { ...this.#wish(options, true), isUrgent },
        request: (done) => client.exec(options.command, done),
        adopt: (channel, onClosed) => this.#manage(channel, onClosed),
        requestRefused: () => this.#limited(),
      },
      signal,
    );
  }

  bytes<K extends ByteKind>(kind: K, options: ByteOptions[K], signal: AbortSignal): Promise<ByteStream> {
    const { client, hop, onLost } = this.#parts.opener;
    const subsystem = 'name' in options ? options.name : 'sftp';
    return this.#counted(
      {
        wish: this.#wish(options, kind === 'exec'),
        request: (done) =>
          withChannelWindow(client, movesFiles.has(this.#purpose) ? 'transfer' : 'interactive', () =>
            'command' in options ? client.exec(options.command, done) : client.subsys(subsystem, done),
          ),
        adopt: (channel, onClosed) => new ChannelStream({ channel, hop, onLost, onClosed }),
        requestRefused: () =>
          kind === 'exec'
            ? this.#limited()
            : faultError(
                connectionFault('sftp-missing', { stage: 'channel', hop, outcome: 'failed' }, { subsystem }),
              ),
      },
      signal,
    );
  }

  direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex> {
    const { opener } = this.#parts;
    const { client, hop, onLost } = opener;
    return opener.open(
      {
        request: (done: (error: Error | undefined, channel: ClientChannel) => void) => {
          const from = ('path' in to ? undefined : to.originator) ?? { address: '127.0.0.1', port: 0 };
          // A forward may have hundreds of clients; whatever else goes through is the way to another host, with all of its transfers.
          withChannelWindow(client, this.#purpose === 'forward' ? 'interactive' : 'transfer', () =>
            'path' in to
              ? client.openssh_forwardOutStreamLocal(to.path, done)
              : client.forwardOut(from.address, from.port, to.host, to.port, done),
          );
        },
        adopt: (channel) => new ChannelStream({ channel, hop, onLost, onClosed: () => {} }),
        discard: (stream) => stream.destroy(),
        refused: (error) => {
          const failure = this.#noteRefusal(error);
          const given = typeof failure.reason === 'number' ? failure.reason : undefined;
          const reason = 'path' in to ? socketRefusal(given) : openRefusal(given);
          return faultError(
            forwardRefused({ hop, to: destinationName(to) }, { reason, text: failure.text, number: given }),
            error,
          );
        },
      },
      signal,
    );
  }

  listen(
    bind: RemoteBind,
    onClient: (client: RemoteClient) => void,
    signal: AbortSignal,
  ): Promise<RemoteListener> {
    return this.#parts.listeners.listen(bind, onClient, signal);
  }

  get allowed(): number {
    return this.#parts.budget.allowed(this.#purpose);
  }

  get onAllowedChange(): Event<void> {
    return this.#parts.budget.onChange;
  }

  #wish(options: ChannelOptions, isExec: boolean): ChannelWish {
    const { queueMs } = options;
    return { purpose: this.#purpose, isExec, ...(queueMs === undefined ? {} : { queueMs }) };
  }

  /** Waits for a place and opens the channel; after a refusal that told the limit it waits once more for each place that becomes free. */
  async #counted<Opened extends { close(): unknown } | Duplex>(
    channel: {
      readonly wish: ChannelWish;
      readonly request: ChannelRequest;
      readonly adopt: (channel: ClientChannel, onClosed: () => void) => Opened;
      readonly requestRefused: () => Error;
    },
    signal: AbortSignal,
  ): Promise<Opened> {
    const { budget, opener } = this.#parts;
    for (;;) {
      const place = budget.tryTake(channel.wish) ?? (await budget.wait(channel.wish, signal));
      let opened = -1;
      try {
        return await opener.open<ClientChannel, Opened>(
          {
            request: (done) => {
              channel.request(done);
              opened = lastChannelOf(opener.client);
            },
            adopt: (library) => {
              place.granted();
              return channel.adopt(library, () => place.giveBack());
            },
            discard: (unwanted) => ('destroy' in unwanted ? unwanted.destroy() : unwanted.close()),
            refused: (error) =>
              this.#refused(error, { place, opened, requestRefused: channel.requestRefused }),
            notSent: () => place.giveBack(),
          },
          signal,
        );
      } catch (error) {
        if (!(error instanceof TryAgain)) throw error;
      }
    }
  }

  #refused(
    error: Error,
    at: { readonly place: ChannelPlace; readonly opened: number; readonly requestRefused: () => Error },
  ): Error {
    const { budget, opener } = this.#parts;
    const failure = this.#noteRefusal(error);
    if (opener.isOver) {
      at.place.giveBack();
      return error;
    }
    if (failure.reason !== 'request')
      return at.place.refused() ? new TryAgain() : faultError(budget.limitFault(), error);
    const isBusy = at.place.commandRefused();
    // The library leaves a channel open whose request was refused. Not every server confirms its close, so nothing waits for that.
    closeUnwanted(openChannelOf(opener.client, at.opened));
    at.place.giveBack();
    return isBusy ? new TryAgain() : Object.assign(at.requestRefused(), { cause: error });
  }

  #noteRefusal(error: Error): OpenFailure {
    const failure = openFailureOf(error);
    const { trace, opener } = this.#parts;
    if (!opener.isOver && failure.reason !== 'request')
      trace?.add(opener.hop, {
        k: 'channelRefused',
        reason: typeof failure.reason === 'number' ? failure.reason : undefined,
        text: showUntrusted(failure.text),
      });
    return failure;
  }

  #limited(): Error {
    const { hop } = this.#parts.opener;
    return faultError(connectionFault('limited-host', { stage: 'channel', hop }, { family: 'unknown' }));
  }

  #manage(channel: ClientChannel, onClosed: () => void): SshChannel {
    const { opener } = this.#parts;
    return new SshChannel({
      channel,
      hop: opener.hop,
      onLost: opener.onLost,
      sendSignal: (of, name) => {
        const id = openRemoteIdOf(of);
        if (id === undefined || opener.isOver) return false;
        protocolOf(opener.client).signal(id, name);
        return true;
      },
      onClosed,
    });
  }
}

/** Closes a channel that nobody reads. */
function closeUnwanted(channel: ClientChannel | undefined): void {
  channel?.on('error', () => {}).resume();
  channel?.stderr.resume();
  channel?.close();
}

function destinationName(to: DirectTarget): string {
  return 'path' in to ? to.path : placeText(to.host, to.port);
}
