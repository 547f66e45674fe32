import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

export interface KexServerOptions {
  /** Lists of the server's KEXINIT; what is absent is the usual one. */
  readonly kex?: readonly string[];
  readonly hostKey?: readonly string[];
  readonly cipher?: readonly string[];
  readonly mac?: readonly string[];
  readonly compression?: readonly string[];
  /** Payloads sent in front of the server's KEXINIT. */
  readonly before?: readonly Buffer[];
  /** Gets everything that the client sends. */
  readonly onBytes?: (chunk: Buffer) => void;
  /** The payloads sent once the client has sent its share, which is what follows the type in KEX_ECDH_INIT or KEX_DH_GEX_INIT; nothing when absent. */
  readonly reply?: (clientShare: Buffer) => readonly Buffer[];
  /** The group of a group exchange, as payload, once the client asks for one. */
  readonly group?: Buffer;
}

/** Message numbers. Source: RFC 4250 section 4.1.2; RFC 5656 section 7.1; RFC 4419 section 5. */
export const kexMessage = {
  ignore: 2,
  kexInit: 20,
  newKeys: 21,
  ecdhInit: 30,
  ecdhReply: 31,
  group: 31,
  groupInit: 32,
  groupReply: 33,
  groupRequest: 34,
} as const;

/** A server that speaks the first exchange of keys and no further, for what no real one sends. Whoever starts it stops it. */
export interface KexServer {
  readonly port: number;
  stop(): Promise<void>;
}

const usual = {
  hostKey: ['ssh-ed25519'],
  cipher: ['aes128-ctr'],
  mac: ['hmac-sha2-256'],
  compression: ['none'],
};

export async function startKexServer(options: KexServerOptions): Promise<KexServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket, options);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return {
    port: address.port,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Length and bytes. Source: RFC 4251 section 5. */
export function wireString(bytes: string | Uint8Array): Buffer {
  const content = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

function serve(socket: net.Socket, options: KexServerOptions): void {
  socket.write('SSH-2.0-KexServer\r\n');
  for (const payload of options.before ?? []) socket.write(packet(payload));
  socket.write(packet(kexInit(options)));
  let waiting = Buffer.alloc(0);
  let isIdentified = false;
  socket.on('data', (chunk: Buffer) => {
    options.onBytes?.(chunk);
    waiting = Buffer.concat([waiting, chunk]);
    if (!isIdentified) {
      const end = waiting.indexOf('\n');
      if (end < 0) return;
      isIdentified = true;
      waiting = waiting.subarray(end + 1);
    }
    while (waiting.length >= 5 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
      const length = waiting.readUInt32BE(0);
      const payload = waiting.subarray(5, 4 + length - waiting.readUInt8(4));
      waiting = waiting.subarray(4 + length);
      const type = payload[0];
      const isShare = type === kexMessage.ecdhInit || type === kexMessage.groupInit;
      const answers = isShare ? (options.reply?.(payload.subarray(5)) ?? []) : [];
      if (type === kexMessage.groupRequest && options.group !== undefined)
        socket.write(packet(options.group));
      for (const answer of answers) socket.write(packet(answer));
    }
  });
}

/** Source: RFC 4253 section 7.1. */
function kexInit(options: KexServerOptions): Buffer {
  const list = (names: readonly string[] = []): Buffer => wireString(names.join(','));
  const { hostKey, cipher, mac, compression } = { ...usual, ...options };
  return Buffer.concat([
    Buffer.from([kexMessage.kexInit]),
    randomBytes(16),
    list(options.kex ?? ['curve25519-sha256']),
    list(hostKey),
    ...[cipher, cipher, mac, mac, compression, compression, [], []].map(list),
    Buffer.from([0, 0, 0, 0, 0]),
  ]);
}

/** A packet before encryption. Source: RFC 4253 section 6. */
function packet(payload: Buffer): Buffer {
  const padding = 16 - ((5 + payload.length) % 8);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head.writeUInt8(padding, 4);
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}
