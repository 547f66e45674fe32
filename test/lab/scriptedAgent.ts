import net from 'node:net';
import { wireString } from './sshWire.ts';

/** What an agent does with one request. `hang`: nothing, ever; `hangUp`: closes the connection. Bytes go out as they are. */
export type AgentAnswer = Uint8Array | 'hang' | 'hangUp';

/** An agent behind a Unix socket that answers as its script says. Whoever starts it stops it. */
export interface ScriptedAgent {
  readonly socket: string;
  /** Payloads in the order in which they came, without their length. */
  readonly requests: readonly Buffer[];
  /** The most requests that came over one connection. */
  readonly mostPerConnection: number;
  stop(): void;
}

/** A key as an agent lists it. */
export interface ListedKey {
  readonly blob: Uint8Array;
  readonly comment: string;
}

export const agentRequest = { list: 11, sign: 13 } as const;

/** A message with its length in front of it. */
export function framed(payload: Uint8Array): Buffer {
  return wireString(payload);
}

/** The answer to a request for the keys. */
export function listAnswer(keys: readonly ListedKey[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(keys.length);
  return framed(
    Buffer.concat([
      Buffer.from([12]),
      count,
      ...keys.flatMap(({ blob, comment }) => [wireString(blob), wireString(comment)]),
    ]),
  );
}

/** The answer to a request for a signature. */
export function signAnswer(signature: Uint8Array): Buffer {
  return framed(Buffer.concat([Buffer.from([14]), wireString(signature)]));
}

/** What an agent says that is locked, or whose owner declined. */
export const refusal = framed(Buffer.from([5]));

/** The fields of a request for a signature: the key as the agent knows it, what is to be signed, flags. */
export function readSignRequest(payload: Buffer): { blob: Buffer; data: Buffer; flags: number } {
  const blobEnd = 5 + payload.readUInt32BE(1);
  const dataEnd = blobEnd + 4 + payload.readUInt32BE(blobEnd);
  return {
    blob: payload.subarray(5, blobEnd),
    data: payload.subarray(blobEnd + 4, dataEnd),
    flags: payload.readUInt32BE(dataEnd),
  };
}

/** Starts an agent at `socket`. */
export async function startScriptedAgent(
  socket: string,
  answer: (payload: Buffer) => AgentAnswer | Promise<AgentAnswer>,
): Promise<ScriptedAgent> {
  const requests: Buffer[] = [];
  const clients = new Set<net.Socket>();
  let mostPerConnection = 0;
  const listener = net.createServer((client) => {
    clients.add(client);
    let received = Buffer.alloc(0);
    let count = 0;
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0);
        const payload = Buffer.from(received.subarray(4, end));
        received = received.subarray(end);
        requests.push(payload);
        mostPerConnection = Math.max(mostPerConnection, ++count);
        void Promise.resolve(answer(payload)).then((said) => {
          if (said === 'hangUp') client.destroy();
          else if (said !== 'hang') client.write(said);
        });
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(socket, resolve);
  });
  return {
    socket,
    requests,
    get mostPerConnection() {
      return mostPerConnection;
    },
    stop() {
      for (const client of clients) client.destroy();
      listener.close();
    },
  };
}
