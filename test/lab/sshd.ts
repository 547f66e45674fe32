import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createAccount, currentAccount, type AccountRequest, type LabAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';
import { ensureDebianRoot } from '../../scripts/setup/debianRoot.ts';
import { freePort } from './freePort.ts';
import { configTextOf, knownHostsOf, sshArgumentsOf, started, type LabServer } from './labServer.ts';
import { LogText } from './logText.ts';
import { descendantsOf, ended, processesWithEnvironment, signalEach } from './processes.ts';
import { createPrivateAccount } from './privateAccount.ts';
import { inPrivateRoot, prepareEtc } from './privateRoot.ts';
import { sshdConfig } from './sshdConfig.ts';
import {
  generateKey,
  readKey,
  signKey,
  type CertificateRequest,
  type KeyPair,
  type KeyRequest,
  type KeyType,
} from './sshKey.ts';

export interface SshdOptions {
  /** Host key types, offered in this order; `['ed25519']` when absent. */
  readonly hostKeys?: readonly KeyType[];
  /**
   * Folder for keys and configuration, which then outlives the server: started there again it has the same host
   * keys. A temporary one when absent.
   */
  readonly folder?: string;
  /** A free one when absent. */
  readonly port?: number;
  /**
   * Who may log in. Absent: the account that runs the lab, by key. A request: a dedicated account that lives as long
   * as this server (needs root). An existing account is shared and stays with whoever made it.
   */
  readonly account?: AccountRequest | LabAccount;
  /** Lines for sshd_config that win over the lab's own, for example `MaxAuthTries 2`. No `Match` blocks here. */
  readonly config?: readonly string[];
  /** Lines for the end of sshd_config, where `Match` blocks belong. */
  readonly matchBlocks?: readonly string[];
  readonly maxSessions?: number;
  readonly maxAuthTries?: number;
  /** As sshd_config, for example `1M`. */
  readonly rekeyLimit?: string;
  /** Text shown before authentication. */
  readonly banner?: string;
  readonly forceCommand?: string;
  /** How SFTP is served: inside sshd (when absent), by OpenSSH's program, or not at all. */
  readonly sftp?: 'internal' | 'program' | 'none';
  /** As sshd_config, for example `publickey,password`. */
  readonly authenticationMethods?: string;
  /** Environment of every session. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly logLevel?: 'VERBOSE' | 'DEBUG1' | 'DEBUG2' | 'DEBUG3';
  /**
   * Which OpenSSH: that of the machine (when absent), or `newest`, which is OpenSSH 10 in a root directory of its own, with accounts
   * that only exist there (see `privateRootObstacle`). An existing account may be shared with it when it has no password.
   */
  readonly build?: 'machine' | 'newest';
  /** Asks PAM for passwords, in both methods that it can use. Needs the build `newest`. */
  readonly pam?: PamPolicy;
}

export interface PamPolicy {
  /** The lines of `/etc/pam.d/sshd`. Source: pam.conf(5). */
  readonly lines: readonly string[];
  /** The account's password has expired. */
  readonly mustChangePassword?: boolean;
}

/** One running OpenSSH server on 127.0.0.1. Whoever starts it stops it. */
export interface Sshd extends LabServer {
  /** Signs user certificates that open the account when they name it as principal. */
  readonly userCa: KeyPair;
  /** Signs `key` with the user CA for the account and returns the file of the certificate. */
  certify(key: KeyPair, request?: Partial<CertificateRequest>): Promise<string>;
  /** Replaces the host keys, which is what a changed key looks like. Open connections stay. */
  replaceHostKeys(types?: readonly KeyType[]): Promise<void>;
  /** For a server that says more than a test may keep in its memory. */
  forgetLog(): void;
}

const program = '/usr/sbin/sshd';
const listening = /Server listening on 127\.0\.0\.1 port/;

/**
 * Starts sshd in the foreground, without PAM unless asked for, and resolves when it listens. Works as an ordinary user too,
 * for the own account and key log-in. Rejects with the server's own words when it does not come up.
 */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  return started(new LabSshd(options));
}

class LabSshd implements Sshd {
  readonly host = '127.0.0.1';
  readonly #options: SshdOptions;
  readonly #log = new LogText();
  readonly #mark: string;
  readonly #takeBack: () => void;
  #process: ChildProcess | undefined;
  #folder: string | undefined;
  #parts: Parts | undefined;
  #port = 0;
  #keysMade = 0;

  constructor(options: SshdOptions) {
    this.#options = options;
    this.#mark = randomBytes(8).toString('hex');
    this.#takeBack = onProcessEnd(() => this.#end());
  }

  get port(): number {
    return this.#port;
  }
  get folder(): string {
    return this.#made.folder;
  }
  get account(): LabAccount {
    return this.#made.account;
  }
  get key(): KeyPair {
    return this.#made.key;
  }
  get userCa(): KeyPair {
    return this.#made.userCa;
  }
  get hostKeys(): readonly KeyPair[] {
    return this.#made.hostKeys;
  }
  get #made(): Parts {
    if (this.#parts === undefined) throw new Error('The server has not been set up.');
    return this.#parts;
  }

  async start(): Promise<void> {
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const folder = await this.#makeFolder();
    const account = await this.#findAccount();
    const at = (name: string): string => path.join(folder, name);
    const [key, userCa, hostKeys] = await Promise.all([
      keepOrMake(at('user_key'), {}),
      keepOrMake(at('user_ca'), {}),
      Promise.all(this.#hostKeyTypes().map((type) => keepOrMake(at(`host_${type}`), { type }))),
    ]);
    this.#parts = { folder, account, key, userCa, hostKeys };
    await fs.writeFile(at('banner'), this.#options.banner ?? '');
    await this.#prepareAuthorizedKeys();
    await this.authorize(key);
    for (let attempt = 1; ; attempt++) {
      this.#port = this.#options.port ?? (await freePort());
      try {
        await this.#launch();
        return;
      } catch (error) {
        const isTaken = this.#log.text.includes('Address already in use');
        if (isTaken && this.#options.port !== undefined)
          throw new Error(`Port ${this.#port} on 127.0.0.1 is in use; choose another one or end its owner.`, {
            cause: error,
          });
        if (!isTaken || attempt === 5) throw error;
      }
    }
  }

  log(): string {
    return this.#log.text;
  }

  forgetLog(): void {
    this.#log.forget();
  }

  waitForLog(pattern: RegExp, deadlineMs = 45_000): Promise<RegExpExecArray> {
    return this.#log.waitFor(pattern, { deadlineMs });
  }

  newKey(request: KeyRequest = {}): Promise<KeyPair> {
    this.#keysMade += 1;
    return generateKey(path.join(this.folder, `key_${this.#keysMade}`), request);
  }

  async authorize(key: KeyPair, options?: string): Promise<void> {
    const line = options === undefined ? key.publicLine : `${options} ${key.publicLine}`;
    await fs.appendFile(this.#authorizedKeys, `${line}\n`);
  }

  certify(key: KeyPair, request: Partial<CertificateRequest> = {}): Promise<string> {
    return signKey(this.userCa, key, { kind: 'user', principals: [this.account.name], ...request });
  }

  async replaceHostKeys(types: readonly KeyType[] = this.#hostKeyTypes()): Promise<void> {
    const hostKeys = await Promise.all(
      types.map((type) => generateKey(path.join(this.folder, `host_${type}`), { type })),
    );
    this.#parts = { ...this.#made, hostKeys };
    await this.#writeConfig();
    const fromOffset = this.#log.text.length;
    this.#process?.kill('SIGHUP'); // it reads its configuration again and keeps its id and its connections
    await this.#log.waitFor(listening, { fromOffset });
  }

  dropConnections(): void {
    if (this.#process?.pid !== undefined) signalEach(descendantsOf(this.#process.pid), 'SIGKILL');
  }

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

  /**
   * Ends everything this server is and has started, and returns the ids. Synchronous, so that it also serves while
   * this process exits. The listener goes first: nothing new comes in.
   */
  #end(): number[] {
    const child = this.#process;
    const isRunning = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const own = isRunning ? [child.pid, ...descendantsOf(child.pid)] : [];
    signalEach(own, 'SIGKILL');
    const left = processesWithEnvironment(`${markName}=${this.#mark}`);
    signalEach(left, 'SIGKILL');
    const { account, folder } = this.#options;
    if (account === undefined || !('dispose' in account)) this.#parts?.account.dispose();
    if (this.#folder !== undefined && folder === undefined)
      rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    return [...own, ...left];
  }

  async #makeFolder(): Promise<string> {
    const { folder } = this.#options;
    if (folder === undefined) {
      // Inside a private root only this folder for temporary files is the same one.
      const parent = this.#options.build === 'newest' ? '/tmp' : os.tmpdir();
      this.#folder = await fs.mkdtemp(path.join(parent, 'termind-sshd-'));
      return this.#folder;
    }
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async #findAccount(): Promise<LabAccount> {
    const { account } = this.#options;
    if (account === undefined) return currentAccount();
    if ('dispose' in account) return account;
    return this.#options.build === 'newest' ? createPrivateAccount(account) : createAccount(account);
  }

  #hostKeyTypes(): readonly KeyType[] {
    return this.#options.hostKeys ?? ['ed25519'];
  }

  /** A dedicated account reads the file itself, and it may not enter our folder. */
  get #authorizedKeys(): string {
    const { account, folder } = this.#made;
    if (!account.isDedicated) return path.join(folder, 'authorized_keys');
    return path.join(account.home, '.ssh', `authorized_keys-${path.basename(folder)}`);
  }

  async #prepareAuthorizedKeys(): Promise<void> {
    const { account } = this.#made;
    const file = this.#authorizedKeys;
    if (account.isDedicated) {
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await fs.chown(path.dirname(file), account.uid, account.gid);
    }
    await fs.writeFile(file, '', { mode: 0o644 });
  }

  async #writeConfig(): Promise<string> {
    const { folder, account, hostKeys, userCa } = this.#made;
    const file = path.join(folder, 'sshd_config');
    const environment = {
      // Commands of the account that runs the lab do not run its own start-up files, which may wait for whatever they like: bash takes
      // a shell below another one for one that has read them.
      ...(account.isDedicated ? {} : { SHLVL: '1' }),
      ...this.#options.environment,
      [markName]: this.#mark,
    };
    const text = sshdConfig(
      { ...this.#options, environment },
      {
        port: this.#port,
        user: account.name,
        hasPassword: account.password !== undefined,
        paths: {
          hostKeys: hostKeys.map((key) => key.privateFile),
          authorizedKeys: this.#authorizedKeys,
          userCa: userCa.publicFile,
          banner: path.join(folder, 'banner'),
        },
      },
    );
    await fs.writeFile(file, text, { mode: 0o600 });
    return file;
  }

  async #launch(): Promise<void> {
    const config = await this.#writeConfig();
    const fromOffset = this.#log.text.length;
    const command = await this.#command(['-D', '-e', '-f', config]);
    const child = spawn(command.program, command.args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'] },
    });
    this.#process = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#log.append(text));
    const gone = new Promise<never>((_, reject) => {
      child.once('error', (cause) =>
        reject(new Error(`${program} could not be started: install openssh-server.`, { cause })),
      );
      child.once('exit', () => {
        // Its last words may still be in the pipe.
        setImmediate(() => reject(new Error(`sshd did not start:\n${this.#log.text.slice(fromOffset)}`)));
      });
    });
    gone.catch(() => {}); // after the start an end is seen by whoever is connected
    await Promise.race([this.#log.waitFor(listening, { fromOffset }), gone]);
  }

  async #command(args: string[]): Promise<{ readonly program: string; readonly args: string[] }> {
    const { build, pam } = this.#options;
    if (build !== 'newest') {
      if (pam !== undefined) throw new Error('PAM would be that of the machine; it needs the build newest.');
      return { program, args };
    }
    const root = await ensureDebianRoot();
    const etc = path.join(this.folder, 'etc');
    await prepareEtc(etc, {
      root,
      accounts: [this.account],
      ...(pam === undefined ? {} : { pam: pam.lines, mustChangePassword: pam.mustChangePassword === true }),
    });
    return inPrivateRoot({ root, etc }, [program, ...args]);
  }
}

interface Parts {
  readonly folder: string;
  readonly account: LabAccount;
  readonly key: KeyPair;
  readonly userCa: KeyPair;
  readonly hostKeys: readonly KeyPair[];
}

/** Every session carries this name, so that what it left in the background is found when the server stops. */
const markName = 'TERMIND_LAB_SSHD';

/** A kept folder keeps its keys: the server is then the same one again. */
async function keepOrMake(file: string, request: KeyRequest): Promise<KeyPair> {
  const isThere = await fs.access(file).then(
    () => true,
    () => false,
  );
  return isThere ? readKey(file, request) : generateKey(file, request);
}
