import { once } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { abortReason, isAborted, type ClockPort } from '../../agentkit/index.ts';
import type { LocalListener, LocalNetworkPort } from '../../application/ports/forwards.ts';
import { localFault, type TermindError } from '../../domain/fault.ts';
import type { ForwardDestination } from '../../domain/forward/forward.ts';
import { endText } from '../../domain/forward/forwardText.ts';
import { errorCode } from './errorCode.ts';
import { listenLocally } from './localListener.ts';
import { portOwner } from './portOwner.ts';

/** As for the address of a host. Source: ssh.md 1.3. */
const dialMs = 15_000;

/** The network of the machine on which Termind runs. */
export class LocalNetwork implements LocalNetworkPort {
  readonly #clock: ClockPort;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  listen(request: Parameters<LocalNetworkPort['listen']>[0], signal: AbortSignal): Promise<LocalListener> {
    return listenLocally(request, { ownerOf: (port) => portOwner(port, this.#clock) }, signal);
  }

  async dial(to: ForwardDestination, signal: AbortSignal): Promise<Duplex> {
    if (signal.aborted) throw abortReason(signal);
    const socket = net.connect({ ...to, allowHalfOpen: true, noDelay: true });
    socket.on('error', () => {});
    const late = new AbortController();
    const timer = this.#clock.after(dialMs, () => late.abort());
    try {
      await once(socket, 'connect', { signal: AbortSignal.any([signal, late.signal]) });
      return socket;
    } catch (error) {
      socket.destroy();
      if (isAborted(signal)) throw abortReason(signal);
      throw dialFault(to, late.signal.aborted ? 'ETIMEDOUT' : errorCode(error), error);
    } finally {
      timer.dispose();
    }
  }
}

function dialFault(to: ForwardDestination, code: string, cause: unknown): TermindError {
  const facts =
    'path' in to ? { address: endText(to), port: '' } : { address: to.host, port: String(to.port) };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return localFault('refused', facts, cause);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return localFault('name-not-found', facts, cause);
    case 'ETIMEDOUT':
      return localFault('connect-timeout', facts, cause);
    default:
      return localFault('unreachable', facts, cause);
  }
}
