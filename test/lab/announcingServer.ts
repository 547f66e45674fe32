import ssh2 from 'ssh2';
import { ed25519Pair } from './ed25519Pair.ts';
import { sshString } from '../../src/domain/keys/wire.ts';
import { sendMessage } from './sendMessage.ts';

const prove = 'hostkeys-prove-00@openssh.com';
const messages = { globalRequest: 80, requestSuccess: 81 };

export interface Announcement {
  /** In the order in which they are announced; the server holds the first one only. */
  readonly keys: readonly Buffer[];
  /** For which blobs the server's own key signs, in the order of the answers. */
  readonly signed: readonly Buffer[];
  /** The proof for a blob where it is not one by the server's own key: a whole signature over `bytes`. */
  readonly proof?: (bytes: Buffer, blob: Buffer) => Buffer | undefined;
}

export interface AnnouncingServer {
  readonly port: number;
  /** The blob of its host key. */
  readonly key: Buffer;
  close(): void;
}

/**
 * A server that lets everybody in, announces host keys and proves them as it is told, rightly or not. It may announce what belongs to
 * others. Whoever starts it closes it. Source: OpenSSH PROTOCOL, section 2.5.
 */
export async function startAnnouncingServer(
  announce: (own: Buffer) => Announcement,
): Promise<AnnouncingServer> {
  const pair = ed25519Pair();
  const own = ssh2.utils.parseKey(pair.private);
  if (own instanceof Error) throw own;
  const key = own.getPublicSSH();
  const { keys, signed, proof } = announce(key);
  const server = new ssh2.Server({ hostKeys: [pair.private] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => context.accept());
    client.on('ready', () => {
      const protocol: unknown = Reflect.get(client, '_protocol');
      if (!isProtocol(protocol)) throw new Error('the library has changed');
      const original = protocol._handlers.GLOBAL_REQUEST;
      protocol._handlers.GLOBAL_REQUEST = (...request) => {
        if (request[1] !== prove) return original(...request);
        const answers = signed.map((blob) => {
          const bytes = Buffer.concat([prove, protocol._kex.sessionID, blob].map(sshString));
          return sshString(
            proof?.(bytes, blob) ?? Buffer.concat(['ssh-ed25519', own.sign(bytes)].map(sshString)),
          );
        });
        sendMessage(client, messages.requestSuccess, Buffer.concat(answers));
      };
      const body = [sshString('hostkeys-00@openssh.com'), Buffer.from([0]), ...keys.map(sshString)];
      sendMessage(client, messages.globalRequest, Buffer.concat(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: unknown = server.address();
  if (typeof address !== 'object' || address === null || !('port' in address)) throw new Error('no port');
  return { port: Number(address.port), key, close: () => server.close() };
}

/** What the library keeps to itself. */
interface Protocol {
  readonly _handlers: {
    /** Gets the protocol, the name, whether a reply is wanted, and the data. */
    GLOBAL_REQUEST: (...request: readonly unknown[]) => void;
  };
  readonly _kex: { readonly sessionID: Buffer };
}

function isProtocol(value: unknown): value is Protocol {
  return typeof value === 'object' && value !== null && '_handlers' in value && '_kex' in value;
}
