import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { freePort } from './freePort.ts';
import { started, type LabServer } from './labServer.ts';
import {
  PrivateServer,
  preparePrivateServer,
  type PrivateParts,
  type PrivateServerOptions,
} from './privateServer.ts';
import { descendantsOf, signalEach } from './processes.ts';
import { mustRun } from './run.ts';
import { generateKey, type KeyPair, type KeyType } from './sshKey.ts';

const isUp = /Not backgrounding/;

export interface DropbearOptions extends PrivateServerOptions {
  /** `['ed25519']` when absent. */
  readonly hostKeys?: readonly KeyType[];
}

/** Starts dropbear in the foreground and resolves when it listens. See `privateRootObstacle`. */
export async function startDropbear(options: DropbearOptions = {}): Promise<LabServer> {
  return started(new Dropbear(await preparePrivateServer(options), options));
}

class Dropbear extends PrivateServer {
  readonly #options: DropbearOptions;
  #process: ChildProcess | undefined;

  constructor(parts: PrivateParts, options: DropbearOptions) {
    super(parts);
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.authorize(this.key);
    const made = await Promise.all(
      (this.#options.hostKeys ?? ['ed25519']).map((type) => this.#hostKey(type)),
    );
    this.hostKeys = made.map(({ key }) => key);
    for (let attempt = 1; ; attempt++) {
      this.port = await freePort();
      try {
        await this.#launch(made.flatMap(({ file }) => ['-r', file]));
        return;
      } catch (error) {
        if (attempt === 5 || !this.log().includes('Address already in use')) throw error;
      }
    }
  }

  dropConnections(): void {
    if (this.#process?.pid !== undefined) signalEach(descendantsOf(this.#process.pid), 'SIGKILL');
  }

  protected closeListener(): void {
    this.#process?.kill('SIGKILL');
  }

  async #hostKey(type: KeyType): Promise<{ readonly key: KeyPair; readonly file: string }> {
    const key = await generateKey(path.join(this.folder, `host_${type}`), { type });
    const file = path.join(this.folder, `dropbear_${type}`);
    const convert = this.command(['/usr/bin/dropbearconvert', 'openssh', 'dropbear', key.privateFile, file]);
    await mustRun(convert.program, convert.args);
    return { key, file };
  }

  async #launch(keys: readonly string[]): Promise<void> {
    const fromOffset = this.log().length;
    const listen = ['-F', '-E', '-p', `${this.host}:${this.port}`, '-P', '/run/dropbear.pid'];
    const { program, args } = this.command([
      '/usr/sbin/dropbear',
      ...listen,
      ...keys,
      ...(this.account.password === undefined ? ['-s'] : []),
      ...(this.#options.config ?? []),
    ]);
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: this.environment,
    });
    this.#process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.output.append(text));
    const gone = new Promise<never>((_, reject) => {
      child.once('error', (cause) => reject(new Error('dropbear could not be started.', { cause })));
      child.once('close', () =>
        reject(new Error(`dropbear did not start:\n${this.log().slice(fromOffset)}`)),
      );
    });
    gone.catch(() => {}); // after the start an end is seen by whoever is connected
    await Promise.race([this.output.waitFor(isUp, { fromOffset }), gone]);
  }
}
