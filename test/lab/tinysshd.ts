import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { started, type LabServer } from './labServer.ts';
import {
  PrivateServer,
  preparePrivateServer,
  type PrivateParts,
  type PrivateServerOptions,
} from './privateServer.ts';
import { descendantsOf, signalEach } from './processes.ts';
import { mustRun } from './run.ts';
import type { KeyPair } from './sshKey.ts';

/**
 * Starts tinysshd behind a listener of ours, which gives each connection to a process of its own, as inetd would. It knows Ed25519
 * keys and nothing else, no forwards, and SFTP through OpenSSH's program. See `privateRootObstacle`.
 */
export async function startTinysshd(
  options: Omit<PrivateServerOptions, 'hasPassword'> = {},
): Promise<LabServer> {
  return started(new Tinysshd(await preparePrivateServer(options), options.config ?? []));
}

class Tinysshd extends PrivateServer {
  readonly #config: readonly string[];
  readonly #listener = net.createServer({ pauseOnConnect: true }, (socket) => this.#serve(socket));
  readonly #sessions = new Set<ChildProcess>();
  #keys = '';

  constructor(parts: PrivateParts, config: readonly string[]) {
    super(parts);
    this.#config = config;
  }

  async start(): Promise<void> {
    await this.authorize(this.key);
    this.#keys = path.join(this.folder, 'tinysshd_keys');
    const make = this.command(['/usr/sbin/tinysshd-makekey', this.#keys]);
    await mustRun(make.program, make.args, { env: this.environment });
    this.hostKeys = [await readHostKey(this.#keys, path.join(this.folder, 'host_ed25519.pub'))];
    this.#listener.listen(0, this.host);
    await once(this.#listener, 'listening');
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
    this.port = address.port;
  }

  dropConnections(): void {
    for (const { pid } of this.#sessions)
      if (pid !== undefined) signalEach([pid, ...descendantsOf(pid)], 'SIGKILL');
  }

  protected closeListener(): void {
    this.#listener.close();
    this.dropConnections();
  }

  #serve(socket: net.Socket): void {
    const { program, args } = this.command([
      '/usr/sbin/tinysshd',
      ...['-v', '-v', '-x', 'sftp=/usr/lib/openssh/sftp-server'],
      ...this.#config,
      this.#keys,
    ]);
    const child = spawn(program, args, {
      detached: true,
      stdio: [socket, socket, 'pipe'],
      env: this.environment,
    });
    this.#sessions.add(child);
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.output.append(text));
    child.once('error', (error) => this.output.append(`tinysshd could not be started: ${String(error)}\n`));
    child.once('exit', () => this.#sessions.delete(child));
    // The process has its own descriptor of it.
    socket.destroy();
  }
}

/** The public half is 32 bytes in a file. Source: tinysshd-makekey(8); RFC 8709 section 4. */
async function readHostKey(keys: string, publicFile: string): Promise<KeyPair> {
  const raw = await fs.readFile(path.join(keys, 'ed25519.pk'));
  const part = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(raw)]);
  const publicLine = `ssh-ed25519 ${blob.toString('base64')}`;
  await fs.writeFile(publicFile, `${publicLine}\n`);
  const fingerprint = (await mustRun('ssh-keygen', ['-l', '-f', publicFile])).split(' ')[1] ?? '';
  return {
    type: 'ed25519',
    privateFile: path.join(keys, '.ed25519.sk'),
    publicFile,
    publicLine,
    fingerprint,
  };
}
