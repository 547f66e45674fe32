import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { abortReason, type ClockPort } from '../../../agentkit/index.ts';
import type { ConnectionPromptPort, LogPort } from '../../../application/ports/prompts.ts';
import type { Transport, TransportPort, TransportRequest } from '../../../application/ports/transport.ts';
import type { Fault } from '../../../domain/fault.ts';
import { connectionFault, faultError } from '../../../domain/ssh/connectionFault.ts';
import { hopName } from '../../../domain/ssh/hop.ts';
import { destinationArguments, nameSystemSshError } from '../../../domain/ssh/systemSsh.ts';
import type { Target } from '../../../domain/ssh/target.ts';
import { longText, showUntrusted } from '../../../domain/ssh/untrustedText.ts';
import { childEnvironment } from '../../config/childEnvironment.ts';
import { findLocalPty } from './localPty.ts';
import { Askpass, type AskpassQuestion } from './askpass.ts';
import { SystemConnection } from './systemConnection.ts';

export interface SystemSshOptions {
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly prompts: ConnectionPromptPort;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program; `ssh` when undefined. */
  readonly program: () => string | undefined;
  /** A configuration to use in place of the person's own. */
  readonly configFile: () => string | undefined;
  /** Where private folders are made; a short path, for sockets are in them. */
  readonly temporaryFolder: string;
  /** False in a folder that is not trusted: `ssh` may run programs of its configuration. */
  readonly mayRunPrograms: () => boolean;
  /** As `process.platform`; there is no control connection on Windows. */
  readonly platform: NodeJS.Platform;
}

/** How much of what `ssh` says is kept. */
const keptWords = 64 * 1024;
const aliveSeconds = 10;

/** Opens connections with the system's own `ssh`, for hosts whose record asks for it. Trust, keys and configuration are its own. Source: ssh.md 1.8. */
export class SystemSshTransport implements TransportPort {
  readonly #options: SystemSshOptions;

  constructor(options: SystemSshOptions) {
    this.#options = options;
  }

  async open(request: TransportRequest, signal: AbortSignal): Promise<Transport> {
    const { target, trace } = request;
    const hop = hopName(request.hop);
    if (signal.aborted) throw abortReason(signal);
    if (target.systemSsh === undefined || this.#options.platform === 'win32')
      throw faultError(
        connectionFault(
          'needs-system-ssh',
          { stage: 'route', hop },
          { option: 'a control connection of ssh' },
        ),
      );
    if (!this.#options.mayRunPrograms())
      throw faultError(
        connectionFault('config-consent', { stage: 'route', hop }, { path: 'ssh', program: 'ssh' }),
      );
    const destination = destinationArguments(target.systemSsh);
    trace.add(hop, { k: 'carrier', kind: 'program', via: 'ssh' });
    request.onProgress({ k: 'connecting' });
    const folder = await mkdtemp(path.join(this.#options.temporaryFolder, 'tsh-')); // mode 0700
    const attempt = new Attempt(this.#options, request, { hop, folder, destination });
    return attempt.run(signal);
  }
}

/** The library for every host, and the system's `ssh` for those whose record asks for it. */
export function chosenTransport(library: TransportPort, system: TransportPort): TransportPort {
  return {
    open: (request, signal) =>
      (request.target.systemSsh === undefined ? library : system).open(request, signal),
  };
}

/** One control connection, from its start to the moment its socket is there. Use once. */
class Attempt {
  readonly #options: SystemSshOptions;
  readonly #request: TransportRequest;
  readonly #place: { readonly hop: string; readonly folder: string; readonly destination: readonly string[] };
  #askpass: Askpass | undefined;
  #words = '';
  #isReady = false;
  #needsAnswer = false;

  constructor(
    options: SystemSshOptions,
    request: TransportRequest,
    place: { readonly hop: string; readonly folder: string; readonly destination: readonly string[] },
  ) {
    this.#options = options;
    this.#request = request;
    this.#place = place;
  }

  async run(signal: AbortSignal): Promise<SystemConnection> {
    const { hop, folder, destination } = this.#place;
    try {
      this.#askpass = await Askpass.start(folder, (question, asking) => this.#answer(question, asking));
      const environment = { ...childEnvironment(this.#options.environment), ...this.#askpass.environment };
      const program = this.#options.program() ?? 'ssh';
      const pty = findLocalPty(environment, this.#options.platform);
      const socket = path.join(folder, 'c');
      const file = this.#options.configFile();
      const config = file === undefined ? [] : ['-F', file];
      const master = spawn(program, [...config, ...this.#masterOptions(socket), ...destination], {
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true, // a session of its own: it has no terminal to ask on
        windowsHide: true,
      });
      master.stderr.setEncoding('utf8').on('data', (text: string) => {
        this.#words = (this.#words + text).slice(-keptWords);
      });
      await this.#ready(master, { socket, folder }, signal);
      this.#isReady = true;
      const { target } = this.#request;
      return new SystemConnection({
        master,
        program,
        socket,
        base: [...config, '-S', socket, ...clientOptions, ...agentOptions(target)],
        destination,
        environment,
        pty: await pty,
        folder,
        hop,
        clock: this.#options.clock,
        facts: {
          user: target.user,
          address: target.addresses[0] ?? '',
          port: target.port,
          serverIdentification: '',
          hostKeyType: '',
          hostKeyFingerprint: '',
          authenticatedBy: 'ssh',
          agent: undefined,
          forwardedAgent: undefined,
          algorithms: { kex: '', hostKey: '', cipher: '', mac: '', compression: '' },
        },
        banner: showUntrusted(this.#words, longText),
        nameEnd: () => this.#fault(),
        onOver: () => void this.#cleanUp(),
      });
    } catch (error) {
      await this.#cleanUp();
      throw error;
    }
  }

  #masterOptions(socket: string): readonly string[] {
    const { target } = this.#request;
    const alive = (target.serverAliveIntervalMs ?? aliveSeconds * 1_000) / 1_000;
    const options = [
      'ControlMaster=yes',
      'ControlPersist=no',
      'ClearAllForwardings=yes',
      'PermitLocalCommand=no',
      'RemoteCommand=none',
      'RequestTTY=no',
      `ServerAliveInterval=${String(Math.ceil(alive))}`,
      `ServerAliveCountMax=${String(target.serverAliveCountMax ?? 3)}`,
    ];
    return ['-N', '-S', socket, ...options.flatMap((option) => ['-o', option]), ...agentOptions(target)];
  }

  /** Resolves when the control socket is there, which is behind the sign-in. */
  #ready(
    master: ChildProcess,
    at: { readonly socket: string; readonly folder: string },
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        watcher.close();
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const look = (): void => {
        if (existsSync(at.socket)) settle(resolve);
      };
      const onAbort = (): void => {
        endGroup(master);
        settle(() => reject(faultError(this.#cancelled(), abortReason(signal))));
      };
      const watcher = watch(at.folder, look);
      signal.addEventListener('abort', onAbort, { once: true });
      master.once('error', (error) => {
        const facts = { reason: `ssh could not be started: ${error.message}` };
        settle(() =>
          reject(
            faultError(connectionFault('internal', { stage: 'local', hop: this.#place.hop }, facts), error),
          ),
        );
      });
      master.once('close', () => settle(() => reject(faultError(this.#fault()))));
      if (signal.aborted) onAbort();
      else look();
    });
  }

  async #answer(question: AskpassQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { prompts } = this.#options;
    const { mayAsk, onProgress } = this.#request;
    if (question.kind === 'none') return undefined;
    if (!mayAsk()) {
      this.#needsAnswer = true;
      return undefined;
    }
    const { hop } = this.#place;
    const lines = showUntrusted(question.text, longText).split('\n');
    const prompt = lines.at(-1) ?? '';
    const isChoice = question.kind === 'confirm' || /\(yes\/no/.test(prompt);
    const kind = /passphrase/i.test(prompt)
      ? 'passphrase'
      : /password:\s*$/i.test(prompt)
        ? 'password'
        : 'keyboardInteractive';
    onProgress({ k: 'asking', what: isChoice ? 'hostKey' : kind });
    try {
      const given = await prompts.secret(
        {
          kind,
          hop,
          title: `ssh asks for ${hop}`,
          heading: lines.slice(0, -1).join('\n'),
          prompt,
          echo: isChoice,
          canRemember: false,
          isRepeated: false,
          keysLeftOut: 0,
        },
        signal,
      );
      return given?.text;
    } finally {
      onProgress({ k: 'connecting' });
    }
  }

  #fault(): Fault {
    const { target } = this.#request;
    const { hop } = this.#place;
    if (this.#needsAnswer)
      return connectionFault('answer-needed', { stage: 'auth', hop }, { what: 'password' });
    const address = target.addresses[0] ?? '';
    return nameSystemSshError(this.#words, { hop, address, port: target.port, isReady: this.#isReady });
  }

  #cancelled(): Fault {
    return connectionFault('cancelled', { stage: 'transport', hop: this.#place.hop });
  }

  async #cleanUp(): Promise<void> {
    this.#askpass?.dispose();
    try {
      await rm(this.#place.folder, { recursive: true, force: true });
    } catch (error) {
      const name = error instanceof Error ? error.name : 'error';
      this.#options.log.warn('ssh', `a folder could not be removed: ${name}`);
    }
  }
}

/** With the programs on its way: it leads a group of its own, and cannot end them when it is ended like this. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it is gone already
  }
}

/**
 * `ssh` forwards a whole agent without a question, so it does only where nobody wanted less: the host's own word, chosen keys, a question
 * before each signature, and a production host outweigh the configuration. Source: ssh.md 2.3.
 */
function agentOptions({ agentForwarding, tier }: Target): readonly string[] {
  const isWhole = agentForwarding?.keys === undefined && agentForwarding?.confirm === false;
  return isWhole && tier !== 'prod' ? [] : ['-o', 'ForwardAgent=no'];
}

/** Without its control connection a channel fails: it must not sign in on its own. */
const clientOptions = [
  'ControlMaster=no',
  'ProxyCommand=false',
  'ClearAllForwardings=yes',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'EscapeChar=none',
].flatMap((option) => ['-o', option]);
