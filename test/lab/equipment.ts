import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';

export interface EquipmentOptions {
  /** What the server calls itself behind `SSH-2.0-`. */
  readonly ident?: string;
  /** Whether a command is taken; `running` counts those that run. Every one when absent. */
  readonly takes?: (command: string, running: number) => boolean;
  /** Serves a command that was taken. Ends with status 0 when absent. */
  readonly serve?: (channel: ServerChannel, command: string) => void;
  /** Serves a subsystem. Every one is refused when absent. */
  readonly serveSubsystem?: (channel: ServerChannel, name: string) => void;
  /** Whether another session may be opened beside `open` ones. Every one when absent. */
  readonly opens?: (open: number) => boolean;
  /** Whether the server listens when it is asked to, by TCP and on Unix sockets. */
  readonly listens?: boolean;
}

/** A server of the library, for what network equipment does and OpenSSH does not. It lets everybody in. Whoever starts it stops it. */
export interface Equipment {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Every command that arrived, taken or not. */
  readonly commands: readonly string[];
  /** Global requests that arrived, by name. */
  readonly requests: readonly string[];
  /** Ends every connection and goes on listening. */
  drop(): void;
  stop(): Promise<void>;
}

export async function startEquipment(options: EquipmentOptions = {}): Promise<Equipment> {
  const commands: string[] = [];
  const requests: string[] = [];
  const clients = new Set<Connection>();
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const hostKeys = [key.export({ format: 'pem', type: 'sec1' })];
  const ident = options.ident ?? 'Equipment_1.0';
  const server = new ssh2.Server({ hostKeys, ident }, (client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => context.accept());
    client.on('request', (accept, reject, name) => {
      requests.push(name);
      if (options.listens === true) accept?.();
      else reject?.();
    });
    client.on('ready', () => serveSessions(client, options, commands));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: unknown = server.address();
  if (typeof address !== 'object' || address === null || !('port' in address))
    throw new Error('The system gave no port.');
  const drop = (): void => {
    for (const client of clients) client.end();
  };
  return {
    host: '127.0.0.1',
    port: Number(address.port),
    commands,
    requests,
    drop,
    async stop() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}

function serveSessions(client: Connection, options: EquipmentOptions, commands: string[]): void {
  let open = 0;
  let running = 0;
  client.on('session', (acceptSession, rejectSession) => {
    if (options.opens?.(open) === false) return rejectSession();
    open += 1;
    const session = acceptSession();
    session.on('close', () => (open -= 1));
    const { serveSubsystem } = options;
    if (serveSubsystem !== undefined)
      session.on('subsystem', (accept, _reject, { name }) => {
        const channel = accept();
        channel.on('error', () => {});
        serveSubsystem(channel, name);
      });
    session.on('exec', (accept, reject, { command }) => {
      commands.push(command);
      if (options.takes?.(command, running) === false) return reject();
      running += 1;
      const channel = accept();
      channel.on('error', () => {});
      channel.on('close', () => (running -= 1));
      channel.resume(); // the library tells the close behind the last byte of input
      if (options.serve === undefined) {
        channel.exit(0);
        channel.end();
      } else options.serve(channel, command);
    });
  });
}
