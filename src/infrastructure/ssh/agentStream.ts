import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import net, { type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { abortReason } from '../../agentkit/index.ts';
import type { AgentPlace } from '../../domain/ssh/agentPlaces.ts';
import { openCygwinSocket, parseCygwinFile } from './cygwinSocket.ts';
import { PageantStream } from './pageantStream.ts';

/** A socket file is one short line. */
const maxSocketFileBytes = 4096;
const cygpathMs = 3_000;

/**
 * A stream of bytes to whatever listens at `place`. Whoever gets it destroys it. Rejects with the reason of the operating system, or
 * with the signal's. Source: ssh.md 2.3; TRAP-11.
 */
export async function openAgentStream(place: AgentPlace, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  switch (place.k) {
    case 'socket':
      return connected(net.connect(place.path), signal);
    case 'pageant':
      return new PageantStream();
    case 'cygwin': {
      const file = parseCygwinFile(await readSocketFile(place.path));
      if (file === undefined) throw new Error('this is no socket file of Cygwin or MSYS');
      return openCygwinSocket(file, (port) => connected(net.connect(port, '127.0.0.1'), signal), signal);
    }
  }
}

function connected(socket: Socket, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect);
      socket.off('error', onError);
      finish();
    };
    const refuse = (error: Error): void =>
      settle(() => {
        socket.on('error', () => {}); // nobody waits for what comes late
        socket.destroy();
        reject(error);
      });
    const onConnect = (): void => settle(() => resolve(socket));
    const onError = (error: Error): void => refuse(error);
    const onAbort = (): void => refuse(abortReason(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('connect', onConnect);
    socket.once('error', onError);
  });
}

/** The variable of a Cygwin or MSYS shell holds a path of its own kind, which `cygpath` translates. */
async function readSocketFile(path: string): Promise<string> {
  try {
    return await readShort(path);
  } catch (error) {
    if (!path.startsWith('/')) throw error;
    return readShort(await windowsPath(path));
  }
}

async function readShort(path: string): Promise<string> {
  const { size } = await fs.stat(path);
  if (size > maxSocketFileBytes) throw new Error('this is no socket file of Cygwin or MSYS');
  return fs.readFile(path, 'latin1');
}

function windowsPath(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: cygpathMs, windowsHide: true, maxBuffer: maxSocketFileBytes };
    execFile('cygpath', ['-w', '--', path], options, (error, output) =>
      error === null ? resolve(output.trim()) : reject(new Error('there is no such file', { cause: error })),
    );
  });
}
