import type { AcceptConnection, RejectConnection, TcpConnectionDetails, UNIXConnectionDetails } from 'ssh2';
import type { ClockPort } from '../../agentkit/index.ts';
import type { RemoteBind, RemoteClient, RemoteListener } from '../../application/ports/connection.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { forwardRefused } from '../../domain/ssh/openRefusal.ts';
import type { ChannelOpener } from './channelOpener.ts';
import { ChannelStream } from './channelStream.ts';
import { placeText } from '../../domain/host/placeText.ts';

type OnClient = (client: RemoteClient) => void;
type Accept = AcceptConnection;

/** A server that knows nothing of such requests may leave them unanswered, as tinysshd does. */
const answerMs = 20_000;
/** How long a server may take to confirm that it no longer listens. */
const cancelMs = 5_000;

/**
 * What the server listens on for us, by TCP or on Unix sockets, on one connection. A server tells a client by the name and port that
 * was asked for, with the port that it chose. Source: ssh.md 6; RFC 4254 section 7; OpenSSH PROTOCOL, 2.4; TRAP-15.
 */
export class RemoteListeners {
  readonly #opener: ChannelOpener;
  readonly #clock: ClockPort;
  readonly #clients = new Map<string, OnClient>();

  constructor(opener: ChannelOpener, clock: ClockPort) {
    this.#opener = opener;
    this.#clock = clock;
    const { client } = opener;
    client.on('tcp connection', (details, accept, reject) => this.#onTcp(details, accept, reject));
    client.on('unix connection', (details, accept, reject) => this.#onUnix(details, accept, reject));
  }

  listen(bind: RemoteBind, onClient: OnClient, signal: AbortSignal): Promise<RemoteListener> {
    const { client, hop } = this.#opener;
    return this.#opener.open<number | undefined, RemoteListener>(
      {
        request: (done) => {
          if ('path' in bind)
            client.openssh_forwardInStreamLocal(bind.path, (error?: Error | null) =>
              done(error ?? undefined, undefined),
            );
          else
            client.forwardIn(bind.address, bind.port, (error: Error | undefined, port: number) =>
              done(error, port),
            );
        },
        adopt: (port) => {
          const at = port === undefined || 'path' in bind ? bind : { ...bind, port };
          this.#clients.set(keyOf(at), onClient);
          return { port, close: () => this.#cancel(at) };
        },
        discard: (unwanted) => void unwanted.close(),
        refused: (error) =>
          faultError(
            forwardRefused({ hop, to: nameOf(bind) }, { reason: 'prohibited', text: error.message }),
            error,
          ),
        unanswered: {
          afterMs: answerMs,
          error: () => {
            const text = 'it has not answered, so it may know no such forwards';
            const fault = forwardRefused({ hop, to: nameOf(bind) }, { reason: 'other', text });
            return faultError({ ...fault, outcome: 'unknown' });
          },
        },
      },
      signal,
    );
  }

  /** Resolves when the server has confirmed, when it did not in time, or when the connection is gone. */
  #cancel(at: RemoteBind): Promise<void> {
    if (!this.#clients.delete(keyOf(at)) || this.#opener.isOver) return Promise.resolve();
    const { client, onLost } = this.#opener;
    return new Promise((resolve) => {
      const settle = (): void => {
        timer.dispose();
        lost.dispose();
        resolve();
      };
      const timer = this.#clock.after(cancelMs, settle);
      const lost = onLost(settle);
      try {
        if ('path' in at) client.openssh_unforwardInStreamLocal(at.path, settle);
        else client.unforwardIn(at.address, at.port, settle);
      } catch {
        settle(); // the connection is going
      }
    });
  }

  #onTcp(details: TcpConnectionDetails, accept: Accept, reject: RejectConnection): void {
    const at = { address: details.destIP, port: details.destPort };
    this.#tell(
      this.#clients.get(keyOf(at)),
      { address: details.srcIP, port: details.srcPort },
      { accept, reject },
    );
  }

  #onUnix(details: UNIXConnectionDetails, accept: Accept, reject: RejectConnection): void {
    this.#tell(this.#clients.get(keyOf({ path: details.socketPath })), undefined, { accept, reject });
  }

  #tell(
    onClient: OnClient | undefined,
    originator: RemoteClient['originator'],
    answer: { readonly accept: Accept; readonly reject: RejectConnection },
  ): void {
    if (onClient === undefined) return answer.reject();
    const { hop, onLost } = this.#opener;
    onClient({
      originator,
      accept: () => new ChannelStream({ channel: answer.accept(), hop, onLost, onClosed: () => {} }),
      reject: () => answer.reject(),
    });
  }
}

function keyOf(bind: RemoteBind): string {
  return JSON.stringify('path' in bind ? [bind.path] : [bind.address, bind.port]);
}

function nameOf(bind: RemoteBind): string {
  if ('path' in bind) return bind.path;
  return placeText(bind.address || '*', bind.port);
}
