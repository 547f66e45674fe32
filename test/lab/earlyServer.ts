import {
  createCipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { wireInteger, wireString } from './sshWire.ts';

/** A server that does not wait until its host key is accepted. Whoever starts it stops it. */
export interface EarlyServer {
  readonly port: number;
  /** The payloads that the client has sent so far without encryption, behind its part of the exchange. */
  readonly inTheClear: readonly Buffer[];
  stop(): Promise<void>;
}

/**
 * Ends the exchange of keys on its own side and sends `payloads` encrypted, all in one piece with its host key. Up to then a client has
 * not said whether it takes the key, and writes in the clear. Source: RFC 4253 sections 7 and 8; RFC 8731.
 */
export async function startEarlyServer(payloads: readonly Buffer[]): Promise<EarlyServer> {
  const sockets = new Set<net.Socket>();
  const inTheClear: Buffer[] = [];
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket, payloads, inTheClear);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return {
    port: address.port,
    inTheClear,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

const identification = 'SSH-2.0-EarlyServer';
const types = { kexInit: 20, newKeys: 21, ecdhInit: 30, ecdhReply: 31 } as const;

function serve(socket: net.Socket, payloads: readonly Buffer[], inTheClear: Buffer[]): void {
  const ownInit = kexInit();
  socket.write(`${identification}\r\n`);
  socket.write(packet(ownInit, 8));
  let waiting = Buffer.alloc(0);
  let clientIdentification: string | undefined;
  let clientInit: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    if (clientIdentification === undefined) {
      const end = waiting.indexOf('\n');
      if (end < 0) return;
      clientIdentification = waiting.toString('latin1', 0, end).replace(/\r$/, '');
      waiting = waiting.subarray(end + 1);
    }
    while (waiting.length >= 5 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
      const length = waiting.readUInt32BE(0);
      const payload = Buffer.from(waiting.subarray(5, 4 + length - waiting.readUInt8(4)));
      waiting = waiting.subarray(4 + length);
      if (payload[0] === types.kexInit) clientInit = payload;
      else if (payload[0] === types.ecdhInit)
        socket.write(
          exchange({ clientIdentification, clientInit, ownInit, share: payload.subarray(5), payloads }),
        );
      else inTheClear.push(payload);
    }
  });
}

/** Reply, NEWKEYS and the encrypted payloads. */
function exchange(about: {
  readonly clientIdentification: string;
  readonly clientInit: Buffer;
  readonly ownInit: Buffer;
  readonly share: Buffer;
  readonly payloads: readonly Buffer[];
}): Buffer {
  const hostKey = generateKeyPairSync('ed25519');
  const own = generateKeyPairSync('x25519');
  const rawOf = (key: typeof own.publicKey): Buffer =>
    key.export({ type: 'spki', format: 'der' }).subarray(-32);
  const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(rawOf(hostKey.publicKey))]);
  const theirs = createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), about.share]),
    type: 'spki',
    format: 'der',
  });
  const secret = wireInteger(diffieHellman({ privateKey: own.privateKey, publicKey: theirs }));
  const parts = [about.clientIdentification, identification, about.clientInit, about.ownInit, blob];
  const shares = [about.share, rawOf(own.publicKey)];
  const hash = createHash('sha256');
  for (const part of [...parts, ...shares]) hash.update(wireString(part));
  const exchangeHash = hash.update(secret).digest();
  const signature = Buffer.concat([
    wireString('ssh-ed25519'),
    wireString(sign(null, exchangeHash, hostKey.privateKey)),
  ]);
  const derive = (letter: string): Buffer =>
    createHash('sha256').update(secret).update(exchangeHash).update(letter).update(exchangeHash).digest();
  const cipher = createCipheriv('aes-128-ctr', derive('D').subarray(0, 16), derive('B').subarray(0, 16));
  const reply = Buffer.concat([
    Buffer.from([types.ecdhReply]),
    wireString(blob),
    wireString(rawOf(own.publicKey)),
    wireString(signature),
  ]);
  const encrypted = about.payloads.map((payload, index) => {
    const plain = packet(payload, 16);
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32BE(3 + index); // behind KEXINIT, the reply and NEWKEYS
    const mac = createHmac('sha256', derive('F')).update(sequence).update(plain).digest();
    return Buffer.concat([cipher.update(plain), mac]);
  });
  return Buffer.concat([packet(reply, 8), packet(Buffer.from([types.newKeys]), 8), ...encrypted]);
}

/** Source: RFC 4253 section 7.1. */
function kexInit(): Buffer {
  const lists = ['curve25519-sha256', 'ssh-ed25519', 'aes128-ctr', 'aes128-ctr', 'hmac-sha2-256'];
  const all = [...lists, 'hmac-sha2-256', 'none', 'none', '', ''];
  return Buffer.concat([
    Buffer.from([types.kexInit]),
    randomBytes(16),
    ...all.map((names) => wireString(names)),
    Buffer.alloc(5),
  ]);
}

/** A packet before encryption. Source: RFC 4253 section 6. */
function packet(payload: Buffer, block: number): Buffer {
  const padding = 2 * block - ((5 + payload.length) % block);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head.writeUInt8(padding, 4);
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}
