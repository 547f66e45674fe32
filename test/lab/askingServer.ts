import { generateKeyPairSync } from 'node:crypto';
import ssh2, { type AuthContext, type Connection, type KeyboardAuthContext } from 'ssh2';

/** A password as it arrived; `next` is the one that takes its place. */
export interface SentPassword {
  readonly current: string;
  readonly next: string | undefined;
}

/** A server of the library that signs in as its script says. Whoever starts it stops it. */
export interface AskingServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Every password that was sent, in order. */
  readonly passwords: readonly SentPassword[];
  /** Methods that were tried, `none` included. */
  readonly methods: readonly string[];
  /** Ends every connection. */
  stop(): void;
}

/**
 * Starts a server whose `script` answers each request to sign in, for what OpenSSH does through PAM only or never: odd prompts, changes
 * of passwords, servers that ask without end or hang up. It opens nothing behind the sign-in.
 */
export async function startAskingServer(
  script: (context: AuthContext, client: Connection) => void,
  options: {
    /** Says nothing about the signature algorithms that it takes, as servers before RFC 8308 do. */
    readonly isSilent?: boolean;
  } = {},
): Promise<AskingServer> {
  const passwords: SentPassword[] = [];
  const methods: string[] = [];
  const clients = new Set<Connection>();
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const hostKey = key.export({ format: 'pem', type: 'sec1' });
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    watchPasswords(client, passwords);
    if (options.isSilent === true) silence(client);
    client.on('authentication', (context) => {
      methods.push(context.method);
      script(context, client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: unknown = server.address();
  if (typeof address !== 'object' || address === null || !('port' in address))
    throw new Error('The server has no port.');
  return {
    host: '127.0.0.1',
    port: Number(address.port),
    passwords,
    methods,
    stop() {
      for (const client of clients) client.end();
      server.close();
    },
  };
}

export function isKeyboardInteractive(context: AuthContext): context is KeyboardAuthContext {
  return context.method === 'keyboard-interactive';
}

/** The key exchange remembers whether the client wants to know more; here it forgets. */
function silence(client: Connection): void {
  const protocol = Object(Reflect.get(client, '_protocol')) as object;
  let exchange: unknown;
  Object.defineProperty(protocol, '_kex', {
    get: () => exchange,
    set: (value: unknown) => {
      exchange = value;
      if (typeof value === 'object' && value !== null)
        Object.defineProperty(value, 'remoteExtInfoEnabled', { get: () => false, set: () => {} });
    },
  });
}

/** The library tells a script the new password of a change and keeps the current one to itself. */
function watchPasswords(client: Connection, seen: SentPassword[]): void {
  const protocol: unknown = Reflect.get(client, '_protocol');
  const handlers: unknown = Reflect.get(Object(protocol) as object, '_handlers');
  if (typeof handlers !== 'object' || handlers === null) throw new Error('The library has changed.');
  const queue: unknown = Reflect.get(Object(protocol) as object, '_authsQueue');
  const original: unknown = Reflect.get(handlers, 'USERAUTH_REQUEST');
  Reflect.set(handlers, 'USERAUTH_REQUEST', (...request: readonly unknown[]): unknown => {
    const [, , , method, data] = request;
    if (method === 'password') seen.push(readPassword(data));
    // The library's server counts a change as a request of its own and then takes the next method for a password.
    if (method === 'password' && seen.at(-1)?.next !== undefined && Array.isArray(queue)) queue.shift();
    return typeof original === 'function'
      ? (Reflect.apply(original, undefined, request) as unknown)
      : undefined;
  });
}

function readPassword(data: unknown): SentPassword {
  if (typeof data === 'string') return { current: data, next: undefined };
  const text = (name: string): string => String(Reflect.get(Object(data) as object, name));
  return { current: text('oldPassword'), next: text('newPassword') };
}
