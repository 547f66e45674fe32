import { chmodSync } from 'node:fs';
import fs from 'node:fs/promises';
import net, { type ListenOptions, type Server, type Socket } from 'node:net';
import { isAborted, abortReason } from '../../agentkit/index.ts';
import type { LocalClient, LocalListener } from '../../application/ports/forwards.ts';
import { localFault, type TermindError } from '../../domain/fault.ts';
import type { SocketRules } from '../../domain/forward/configForwards.ts';
import type { ForwardBind } from '../../domain/forward/forward.ts';
import { bindText } from '../../domain/forward/forwardText.ts';
import { errorCode } from './errorCode.ts';

export interface ListenRequest {
  readonly bind: ForwardBind;
  readonly sockets: SocketRules;
  readonly onClient: (client: LocalClient) => void;
}

export interface ListenTools {
  readonly ownerOf: (port: number) => Promise<string | undefined>;
}

/** How often a free port is looked for that both families have. */
const freePortTries = 5;

/** This machine has no such address, or no IPv6 at all. */
const noSuchAddress: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);

/** See `LocalNetworkPort.listen`. Closing the result ends its clients as well. Source: ssh.md 6. */
export async function listenLocally(
  request: ListenRequest,
  tools: ListenTools,
  signal: AbortSignal,
): Promise<LocalListener> {
  if (signal.aborted) throw abortReason(signal);
  const listener = new Listener(request.onClient);
  try {
    const at = await bound(listener, request);
    if (isAborted(signal)) throw abortReason(signal);
    return listener.at(at);
  } catch (error) {
    await listener.close();
    throw isAborted(signal) ? abortReason(signal) : await listenFault(request.bind, error, tools);
  }
}

async function bound(listener: Listener, { bind, sockets }: ListenRequest): Promise<ForwardBind> {
  if ('path' in bind) {
    if (sockets.replaces) await removeSocket(bind.path);
    await listener.add({ path: bind.path }, () => chmodSync(bind.path, 0o777 & ~sockets.mask));
    return bind;
  }
  const { host, port } = bind;
  if (host === undefined || host.toLowerCase() === 'localhost')
    return { ...bind, port: await bothLoopbacks(listener, port) };
  if (host !== '') return { host, port: await listener.add({ host, port }) };
  try {
    return { host, port: await listener.add({ host: '::', port }) };
  } catch (error) {
    if (!noSuchAddress.has(errorCode(error))) throw error;
    return { host, port: await listener.add({ host: '0.0.0.0', port }) };
  }
}

/** The same port on 127.0.0.1 and ::1; a machine with one of the families only has it there. */
async function bothLoopbacks(listener: Listener, port: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    const chosen = await listener.add({ host: '127.0.0.1', port });
    try {
      await listener.add({ host: '::1', port: chosen, ipv6Only: true });
      return chosen;
    } catch (error) {
      if (noSuchAddress.has(errorCode(error))) return chosen;
      await listener.close();
      if (port !== 0 || tries === freePortTries) throw error;
    }
  }
}

/** Only a socket: whatever else stands there is not ours to remove. */
async function removeSocket(path: string): Promise<void> {
  const stands = await fs.lstat(path).catch(() => undefined);
  if (stands?.isSocket() === true) await fs.unlink(path);
}

async function listenFault(
  bind: ForwardBind,
  error: unknown,
  { ownerOf }: ListenTools,
): Promise<TermindError> {
  const code = errorCode(error);
  if (code !== 'EADDRINUSE')
    return localFault('listen-failed', { at: bindText(bind), reason: reasonOf(code, error) }, error);
  if ('path' in bind) return localFault('port-in-use', { path: bind.path }, error);
  const owner = await ownerOf(bind.port);
  return localFault(
    'port-in-use',
    { port: String(bind.port), ...(owner === undefined ? {} : { owner }) },
    error,
  );
}

function reasonOf(code: string, error: unknown): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address';
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such folder';
    default:
      return code === '' && error instanceof Error ? error.message : code;
  }
}

/** One or two servers that are one listener. */
class Listener {
  readonly #onClient: (client: LocalClient) => void;
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();
  readonly #failed: Promise<Error>;
  #tellFailed: (error: Error) => void = () => {};

  constructor(onClient: (client: LocalClient) => void) {
    this.#onClient = onClient;
    this.#failed = new Promise((resolve) => (this.#tellFailed = resolve));
  }

  at(bind: ForwardBind): LocalListener {
    return { at: bind, failed: this.#failed, close: () => this.close() };
  }

  /** Resolves with the port, 0 for a path. `onBound` is called before anybody else runs. */
  add(where: ListenOptions, onBound: () => void = () => {}): Promise<number> {
    const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    server.on('connection', (socket) => this.#connected(socket));
    this.#servers.add(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...where, exclusive: true }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#tellFailed(error));
        const at = server.address();
        resolve(at !== null && typeof at === 'object' ? at.port : 0);
      });
      // A path is bound by now, an address perhaps later.
      if (server.listening) onBound();
    });
  }

  async close(): Promise<void> {
    const servers = [...this.#servers];
    this.#servers.clear();
    const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    const { remoteAddress, remotePort } = socket;
    this.#onClient({
      originator:
        remoteAddress === undefined || remotePort === undefined
          ? undefined
          : { address: remoteAddress, port: remotePort },
      accept: () => socket,
      reject: () => {
        if (remoteAddress === undefined) socket.destroy();
        else socket.resetAndDestroy();
      },
    });
  }
}
