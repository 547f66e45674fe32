import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { ensureDebianRoot } from '../../scripts/setup/debianRoot.ts';
import type { LabAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';
import { configTextOf, knownHostsOf, sshArgumentsOf, type LabServer } from './labServer.ts';
import { LogText } from './logText.ts';
import { createPrivateAccount } from './privateAccount.ts';
import { inPrivateRoot, prepareEtc } from './privateRoot.ts';
import { descendantsOf, ended, processesOfUser, processesWithEnvironment, signalEach } from './processes.ts';
import { generateKey, type KeyPair, type KeyRequest } from './sshKey.ts';

export interface PrivateServerOptions {
  /** Gives the account a password besides its key. */
  readonly hasPassword?: boolean;
  /** Further arguments for the program. */
  readonly config?: readonly string[];
}

const markName = 'TERMIND_LAB_SERVER';

/**
 * What servers of another make than OpenSSH have in common here: a folder, an account that exists only in their root directory, keys,
 * a log. A subclass starts the program and tells its port.
 */
export abstract class PrivateServer implements LabServer {
  readonly host = '127.0.0.1';
  port = 0;
  hostKeys: readonly KeyPair[] = [];
  readonly account: LabAccount;
  readonly folder: string;
  readonly key: KeyPair;
  protected readonly output = new LogText();
  readonly #root: string;
  readonly #mark = randomBytes(8).toString('hex');
  readonly #takeBack: () => void;
  #keysMade = 0;

  protected constructor(parts: PrivateParts) {
    this.account = parts.account;
    this.folder = parts.folder;
    this.key = parts.key;
    this.#root = parts.root;
    this.#takeBack = onProcessEnd(() => this.#end());
  }

  log(): string {
    return this.output.text;
  }

  waitForLog(pattern: RegExp, deadlineMs = 45_000): Promise<RegExpExecArray> {
    return this.output.waitFor(pattern, { deadlineMs });
  }

  newKey(request: KeyRequest = {}): Promise<KeyPair> {
    this.#keysMade += 1;
    return generateKey(path.join(this.folder, `key_${this.#keysMade}`), request);
  }

  async authorize(key: KeyPair, options?: string): Promise<void> {
    const folder = path.join(this.account.home, '.ssh');
    const file = path.join(folder, 'authorized_keys');
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    const line = options === undefined ? key.publicLine : `${options} ${key.publicLine}`;
    await fs.appendFile(file, `${line}\n`, { mode: 0o600 });
    for (const one of [folder, file]) await fs.chown(one, this.account.uid, this.account.gid);
  }

  abstract dropConnections(): void;

  knownHosts(): string {
    return knownHostsOf(this);
  }

  sshArguments(command?: string, options?: Readonly<Record<string, string>>): string[] {
    return sshArgumentsOf(this, command, options);
  }

  configText(alias: string): string {
    return configTextOf(this, alias);
  }

  async stop(): Promise<void> {
    await ended(this.#end());
    this.#takeBack();
  }

  /** What to spawn so that a program runs where this server lives. */
  protected command(command: readonly [string, ...string[]]): { program: string; args: string[] } {
    return inPrivateRoot({ root: this.#root, etc: path.join(this.folder, 'etc') }, command);
  }

  protected get environment(): NodeJS.ProcessEnv {
    return { PATH: '/usr/sbin:/usr/bin', [markName]: this.#mark };
  }

  /** Stops taking connections; synchronous. */
  protected abstract closeListener(): void;

  #end(): number[] {
    this.closeListener();
    const own = processesWithEnvironment(`${markName}=${this.#mark}`);
    const all = new Set([...own, ...own.flatMap(descendantsOf), ...processesOfUser(this.account.uid)]);
    signalEach(all, 'SIGKILL');
    this.account.dispose();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
    return [...all];
  }
}

export interface PrivateParts {
  readonly root: string;
  readonly folder: string;
  readonly account: LabAccount;
  readonly key: KeyPair;
}

/** Makes the folder, the account and its key. The server owns them from its construction on. */
export async function preparePrivateServer(options: PrivateServerOptions): Promise<PrivateParts> {
  const root = await ensureDebianRoot();
  const folder = await fs.mkdtemp('/tmp/termind-server-');
  const account = await createPrivateAccount({ hasPassword: options.hasPassword === true });
  try {
    const key = await generateKey(path.join(folder, 'user_key'));
    await prepareEtc(path.join(folder, 'etc'), { root, accounts: [account] });
    return { root, folder, account, key };
  } catch (error) {
    account.dispose();
    await fs.rm(folder, { recursive: true, force: true });
    throw error;
  }
}
