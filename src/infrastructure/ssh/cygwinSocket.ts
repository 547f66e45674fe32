import type { Socket } from 'node:net';
import { abortReason } from '../../agentkit/index.ts';

/** What a socket file of Cygwin or MSYS says. */
export interface CygwinFile {
  readonly port: number;
  /** 16 bytes, in the order in which they are sent. */
  readonly secret: Uint8Array;
}

const secretBytes = 16;
const credentialBytes = 12;

/** `!<socket >49152 s 0A1B2C3D-…`, four groups of eight hexadecimal digits; undefined for anything else. */
export function parseCygwinFile(text: string): CygwinFile | undefined {
  const [, port = '', groups = ''] =
    /^!<socket >(\d{1,5}) s ([0-9A-F]{8}(?:-[0-9A-F]{8}){3})\0?\s*$/i.exec(text) ?? [];
  const secret = Buffer.from(groups.replaceAll('-', ''), 'hex');
  if (secret.length !== secretBytes || Number(port) > 65_535 || Number(port) === 0) return undefined;
  // The digits are numbers of four bytes; Windows stores them the other way round.
  return { port: Number(port), secret: secret.swap32() };
}

/**
 * The handshake of an emulated Unix socket: the secret goes both ways, then process, user and group. The first round learns which user
 * and group the other side expects, the second one sends them. `connect` opens a socket to a port of this machine. Rejects when the
 * other side says something else. Source: ssh.md 2.3; TRAP-11.
 */
export async function openCygwinSocket(
  file: CygwinFile,
  connect: (port: number) => Promise<Socket>,
  signal: AbortSignal,
): Promise<Socket> {
  const probe = await connect(file.port);
  let credentials: Buffer;
  try {
    credentials = await shakeHands(probe, { file, credentials: Buffer.alloc(credentialBytes) }, signal);
  } finally {
    probe.destroy();
  }
  credentials.writeUInt32LE(process.pid, 0);
  const socket = await connect(file.port);
  try {
    await shakeHands(socket, { file, credentials }, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Resolves with the credentials that the other side sends. */
async function shakeHands(
  socket: Socket,
  ours: { readonly file: CygwinFile; readonly credentials: Buffer },
  signal: AbortSignal,
): Promise<Buffer> {
  socket.write(ours.file.secret);
  const echo = await readExactly(socket, secretBytes, signal);
  if (!echo.equals(ours.file.secret)) throw new Error('the socket does not know its secret');
  socket.write(ours.credentials);
  return readExactly(socket, credentialBytes, signal);
}

function readExactly(socket: Socket, length: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      socket.off('readable', onReadable);
      socket.off('error', onError);
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onReadable = (): void => {
      const bytes: unknown = socket.read(length);
      if (Buffer.isBuffer(bytes) && bytes.length === length) settle(() => resolve(bytes));
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new Error('the socket was closed')));
    const onAbort = (): void => settle(() => reject(abortReason(signal)));
    socket.on('readable', onReadable);
    socket.once('error', onError);
    socket.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    onReadable();
  });
}
