import type { Duplex } from 'node:stream';
import { isTermindError, localFault, type Fault } from '../../domain/fault.ts';
import type { ForwardDestination } from '../../domain/forward/forward.ts';
import type { Lease } from '../ports/connection.ts';
import type { LocalNetworkPort } from '../ports/forwards.ts';
import { remoteBind, type ForwardConnections } from './activeForward.ts';
import type { ForwardState } from './forwardState.ts';
import type { KnownForward } from './knownForward.ts';

/** What is looked at, in this order. Source: ssh.md 6. */
export type ForwardCheck = 'listener' | 'connection' | 'permission' | 'destination';

/** One thing that was looked at. What stands behind a failure is not looked at. */
export type CheckedForward =
  | { readonly check: ForwardCheck; readonly isFine: true }
  /** Only a client shows it: it names the destination. */
  | { readonly check: 'destination'; readonly isFine: 'unknown' }
  | { readonly check: ForwardCheck; readonly isFine: false; readonly fault: Fault };

export interface WhyDownOptions {
  readonly connections: ForwardConnections;
  readonly network: LocalNetworkPort;
}

/**
 * Finds out what keeps a forward from working: the listener, the connection, the permission of the server, the destination. It opens
 * what it needs and closes it again; it never connects a host. Rejects only on abort. Source: ssh.md 6.
 */
export async function whyDown(
  asked: { readonly forward: KnownForward; readonly state: ForwardState },
  { connections, network }: WhyDownOptions,
  signal: AbortSignal,
): Promise<readonly CheckedForward[]> {
  const { forward, state } = asked;
  const { id } = forward.host;
  const done: CheckedForward[] = [];
  const add = (check: ForwardCheck, fault: Fault | undefined): boolean => {
    done.push(fault === undefined ? { check, isFine: true } : { check, isFine: false, fault });
    return fault === undefined;
  };
  const isListening = state.k === 'listening';
  if (forward.kind !== 'remote') {
    // A socket that would be replaced is in nobody's way.
    const isFine = isListening || ('path' in forward.bind && forward.sockets.replaces);
    const fault = isFine
      ? undefined
      : await faultOf(async () => {
          const { bind, sockets } = forward;
          const free = await network.listen({ bind, sockets, onClient: (client) => client.reject() }, signal);
          await free.close();
        }, signal);
    if (!add('listener', fault)) return done;
  }
  const connection = connections.state(id);
  if (connection.k !== 'ready' && connection.k !== 'suspect') {
    const isFaulty = connection.k === 'stopped' || connection.k === 'waiting';
    add('connection', isFaulty ? connection.fault : localFault('link-lost').fault);
    return done;
  }
  add('connection', undefined);
  const lease = await connections.acquire(id, 'forward', signal);
  try {
    if (forward.kind === 'remote') {
      if (!add('permission', isListening ? undefined : await listenFault(lease, forward, signal)))
        return done;
      const to = forward.destination;
      done.push(await checkedDestination(to, (at) => network.dial(at, signal), signal));
      return done;
    }
    const to = forward.destination ?? { host: 'localhost', port: lease.port };
    const fault = await faultOf(async () => void (await lease.direct(to, signal)).destroy(), signal);
    if (fault?.facts['reason'] === 'socketUnavailable') {
      // It may as well be the permission, which nobody can tell: nothing is said of it.
      add('destination', fault);
      return done;
    }
    const isReached = fault === undefined || fault.facts['reason'] === 'connectFailed';
    if (!add('permission', isReached ? undefined : fault)) return done;
    if (forward.destination === undefined) done.push({ check: 'destination', isFine: 'unknown' });
    else add('destination', fault);
    return done;
  } finally {
    lease.release();
  }
}

async function checkedDestination(
  to: ForwardDestination | undefined,
  reach: (to: ForwardDestination) => Promise<Duplex>,
  signal: AbortSignal,
): Promise<CheckedForward> {
  const check = 'destination';
  if (to === undefined) return { check, isFine: 'unknown' };
  const fault = await faultOf(async () => void (await reach(to)).destroy(), signal);
  return fault === undefined ? { check, isFine: true } : { check, isFine: false, fault };
}

/** Whether the server would listen now. */
function listenFault(lease: Lease, forward: KnownForward, signal: AbortSignal): Promise<Fault | undefined> {
  return faultOf(async () => {
    const listener = await lease.listen(remoteBind(forward.bind), (client) => client.reject(), signal);
    await listener.close();
  }, signal);
}

async function faultOf(work: () => Promise<void>, signal: AbortSignal): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isTermindError(error)) return error.fault;
    throw error;
  }
}
