import net, { isIP, type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import { judgeAddress } from '../../../agentkit/index.ts';

export interface SocketOrder {
  /** Checked, http or https. */
  readonly url: URL;
  /** The only ones that are connected to, in this order. */
  readonly addresses: readonly string[];
}

export type OpenSocket = (order: SocketOrder, signal: AbortSignal) => Promise<Socket>;

/**
 * A connection to one of the addresses, encrypted where the URL says so, with the name of the URL in SNI and certificate. Rejects with
 * what the system reports, or the signal's reason, and leaves nothing open then. The socket is the caller's to destroy.
 * Source: agent runtime contract, section 19.
 */
export async function openSocket(order: SocketOrder, signal: AbortSignal): Promise<Socket> {
  const { url, addresses } = order;
  const host = hostOf(url);
  const isEncrypted = url.protocol === 'https:';
  const port = url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port);
  const plain = net.connect({ host, port, noDelay: true, autoSelectFamily: true, lookup: pinned(addresses) });
  await ready(plain, 'connect', signal);
  if (!isOneOf(plain.remoteAddress, addresses)) {
    plain.destroy();
    throw new Error('the connection reached another address');
  }
  if (!isEncrypted) return plain;
  const name = host.replace(/\.$/, '');
  const encrypted = tls.connect({
    socket: plain,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ALPNProtocols: ['http/1.1'],
  });
  await ready(encrypted, 'secureConnect', signal);
  return encrypted;
}

/** Without brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Answers every question for an address with the ones that were judged. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, done) => {
    if (options.all === true) return done(null, [...answers]);
    const [first] = answers;
    if (first === undefined) done(new Error('there is no address'), '', 0);
    else done(null, first.address, first.family);
  };
}

/** Resolves at `event`; on an error or abort it destroys the socket and rejects. */
function ready(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      socket.off(event, connected).off('error', failed).off('close', closed);
      signal.removeEventListener('abort', stopped);
      end();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        // One more error may follow; nobody waits for it.
        socket.on('error', () => {}).destroy();
        reject(error instanceof Error ? error : new Error('stopped', { cause: error }));
      });
    const connected = (): void => settle(resolve);
    const failed = (error: Error): void => fail(error);
    const closed = (): void => fail(new Error('the connection was closed'));
    const stopped = (): void => fail(signal.reason);
    socket.once(event, connected).once('error', failed).once('close', closed);
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
}

function isOneOf(reached: string | undefined, addresses: readonly string[]): boolean {
  const plain = (address: string): string | undefined => judgeAddress(address)?.address;
  return reached !== undefined && addresses.some((address) => plain(address) === plain(reached));
}
