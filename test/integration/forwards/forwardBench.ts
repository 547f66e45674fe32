import { once } from 'node:events';
import net, { type Server, type Socket } from 'node:net';
import { systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import type { ForwardLeasePort } from '../../../src/application/ports/forwards.ts';
import { ForwardRegistry } from '../../../src/application/forwards/forwardRegistry.ts';
import type { ForwardState } from '../../../src/application/forwards/forwardState.ts';
import type { KnownForward } from '../../../src/application/forwards/knownForward.ts';
import { usualSocketRules } from '../../../src/domain/forward/configForwards.ts';
import { newForwardId, type ForwardId } from '../../../src/domain/forward/forward.ts';
import { readForward } from '../../../src/domain/forward/readForward.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { LocalNetwork } from '../../../src/infrastructure/net/localNetwork.ts';
import { RouteBench } from '../ssh/routeBench.ts';
import { quietLog, within } from '../ssh/sshBench.ts';

/** Leases of one window that nobody else wants. */
const ownLeases: ForwardLeasePort = { take: async () => true, release: async () => {} };

/** Forwards over real connections and real listeners, with servers to forward to. Whoever makes it disposes it. */
export class ForwardBench {
  readonly route: RouteBench;
  readonly registry: ForwardRegistry;
  readonly network: LocalNetwork;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(options: { readonly clock?: ClockPort; readonly leases?: ForwardLeasePort } = {}) {
    const clock = options.clock ?? systemClock;
    this.route = new RouteBench({ clock });
    // A reconnect asks nothing.
    this.route.ssh.person.answerHostKey = () => 'remember';
    this.network = new LocalNetwork(clock);
    this.registry = new ForwardRegistry({
      connections: this.route.manager,
      network: this.network,
      leases: options.leases ?? ownLeases,
      clock,
      log: quietLog,
    });
  }

  /** A forward of a target, spelled as for `ssh`. */
  forward(target: Target, text: string, change: Partial<KnownForward> = {}): KnownForward {
    const read = readForward(text, 'local');
    if (!read.ok) throw new Error(`"${text}" is no forward: ${read.problem.k}`);
    return {
      ...read.place,
      id: newForwardId(),
      autoStart: 'never',
      host: {
        id: this.route.host(target),
        label: target.label,
        source: 'vault',
        address: target.addresses[0] ?? '',
        port: target.port,
        user: target.user,
        group: undefined,
        tags: [],
        tier: undefined,
        alias: undefined,
      },
      sockets: usualSocketRules,
      failsTheConnection: false,
      ...change,
    };
  }

  /** Starts it and resolves with the port that it listens on, 0 for a socket. */
  async start(forward: KnownForward, port?: number): Promise<number> {
    await this.registry.start(forward, { by: 'person', ...(port === undefined ? {} : { port }) });
    const state = this.registry.state(forward.id);
    if (state.k !== 'listening') throw new Error(`it is ${state.k}`);
    return 'port' in state.at ? state.at.port : 0;
  }

  /** Resolves when the state of a forward is as asked, now or later. */
  async until(
    id: ForwardId,
    what: string,
    isReached: (state: ForwardState) => boolean,
  ): Promise<ForwardState> {
    if (isReached(this.registry.state(id))) return this.registry.state(id);
    let heard = { dispose(): void {} };
    const reached = new Promise<ForwardState>((resolve) => {
      heard = this.registry.onDidChange((changed) => {
        const state = this.registry.state(id);
        if (changed === id && isReached(state)) resolve(state);
      });
    });
    try {
      return await within(reached, what);
    } finally {
      heard.dispose();
    }
  }

  /** A server on 127.0.0.1; resolves with its port. */
  async serve(onClient: (socket: Socket) => void): Promise<number> {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
      onClient(socket);
    });
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = server.address();
    return at !== null && typeof at === 'object' ? at.port : 0;
  }

  /** A server that sends back what it gets. */
  echo(): Promise<number> {
    return this.serve((socket) => void socket.pipe(socket));
  }

  async dispose(): Promise<void> {
    this.registry.dispose();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    await this.route.dispose();
  }
}

/** Sends a text, ends, and resolves with everything that comes back. */
export async function ask(to: net.NetConnectOpts, text: string): Promise<string> {
  const socket = net.connect({ ...to, allowHalfOpen: true });
  socket.end(text);
  return Buffer.concat(await within(socket.toArray(), 'the answer')).toString();
}

/** How a connect ends: `connected`, or the system's name of the error. */
export async function connectOutcome(to: net.NetConnectOpts): Promise<string> {
  const socket = net.connect(to);
  try {
    await within(once(socket, 'connect'), 'the connect');
    return 'connected';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}
