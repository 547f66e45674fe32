import {
  isAborted,
  type ClockPort,
  type ConsumedSecret,
  type Disposable,
  type OutputSource,
} from '../../agentkit/index.ts';
import { MarkFilter } from './markFilter.ts';

/** The passwords for one `sudo -S`: one that is there, or none yet, and a person for another. */
export interface SudoPassword {
  /** What `sudo -p` was given: `termind-sudo-` and 32 hexadecimal digits. */
  readonly marker: string;
  /** Absent = a person is asked once sudo asks, which it may not. */
  readonly first?: ConsumedSecret;
  /** Asks a person, after a wrong one too; undefined when nobody answers. Absent = nobody is asked. */
  readonly again?: (signal: AbortSignal) => Promise<ConsumedSecret | undefined>;
}

/** Why a command behind `sudo` did not run. */
export type SudoFault = 'refused' | 'noPrompt' | 'needsTerminal';

export interface SudoDialogueOptions {
  readonly password: SudoPassword;
  readonly clock: ClockPort;
  /** Writes to the command's input. The bytes are not kept. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** No prompt came and nothing was printed: the command waits for what it will not get. */
  readonly onStuck: () => void;
}

/** How long sudo may take to ask. Source: ssh.md 1.9. */
const promptMs = 10_000;
/**
 * A wrong password is told by a second prompt, a right one by nothing. PAM holds a wrong one back for two to three seconds; behind this
 * time without a second prompt the command has the input.
 */
const verdictMs = 5_000;
/** As many as sudo itself takes. */
const maxPasswords = 3;
/** How much of what sudo says is looked at. */
const keptWords = 4_096;
const wantsTerminal = /^sudo: .*(?:must have a tty|tty (?:is )?required)/m;
const lineFeed = Uint8Array.of(0x0a);

/**
 * Hands passwords to `sudo -S`, each only after its prompt has appeared, and takes the prompts out of the output. A second prompt means
 * wrong: a person is asked, three passwords in all. Whoever makes one disposes it at the end of the command. Source: ssh.md 1.9.
 */
export class SudoDialogue implements Disposable {
  /** Resolves when the input belongs to the command: true when it takes some, false when it must be closed. */
  readonly inputMayFollow: Promise<boolean>;
  readonly #options: SudoDialogueOptions;
  readonly #filters: Readonly<Record<OutputSource, MarkFilter>>;
  readonly #over = new AbortController();
  readonly #secrets = new Set<ConsumedSecret>();
  #resolve: (mayFollow: boolean) => void = () => {};
  #timer: Disposable;
  #passwords = 0;
  #hasPrinted = false;
  #words = '';
  #fault: SudoFault | undefined;

  constructor(options: SudoDialogueOptions) {
    this.#options = options;
    this.inputMayFollow = new Promise((resolve) => (this.#resolve = resolve));
    const { marker, first } = options.password;
    const onMark = (): void => void this.#prompted();
    this.#filters = { stdout: new MarkFilter(marker, onMark), stderr: new MarkFilter(marker, onMark) };
    if (first !== undefined) this.#secrets.add(first);
    this.#timer = options.clock.after(promptMs, () => this.#noPrompt());
  }

  /** Why the command did not run, as far as it is known; `exitCode` of the whole line, once it has ended. */
  fault(exitCode: number | undefined): SudoFault | undefined {
    if (this.#fault !== undefined || this.#passwords > 0 || exitCode !== 1) return this.#fault;
    return wantsTerminal.test(this.#words) ? 'needsTerminal' : undefined;
  }

  /** The bytes of the command. A server without a separate stderr has the prompts among the output. */
  push(bytes: Uint8Array, source: OutputSource): Uint8Array {
    const own = this.#filters[source].push(bytes);
    if (own.length === 0) return own;
    if (source === 'stderr' && this.#words.length < keptWords)
      this.#words += Buffer.from(own).toString('latin1').slice(0, keptWords);
    this.#hasPrinted = true;
    if (source === 'stdout' && this.#passwords > 0) this.#settle(true);
    return own;
  }

  /** What was held back when a stream ended. */
  end(source: OutputSource): Uint8Array {
    return this.#filters[source].end();
  }

  dispose(): void {
    this.#timer.dispose();
    this.#over.abort(new Error('the command has ended'));
    this.#resolve(false);
    for (const secret of this.#secrets) secret.dispose();
    this.#secrets.clear();
  }

  async #prompted(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#timer.dispose();
    const given = this.#passwords === 0 ? this.#options.password.first : undefined;
    const secret = given ?? (await this.#another());
    if (isAborted(this.#over.signal)) return secret?.dispose();
    if (secret === undefined) {
      this.#fault = 'refused';
      return this.#settle(false);
    }
    this.#secrets.add(secret);
    this.#passwords += 1;
    try {
      await this.#options.write(secret.bytes);
      await this.#options.write(lineFeed);
    } catch {
      return this.#settle(false); // the command reads no more
    }
    this.#timer.dispose();
    this.#timer = this.#options.clock.after(verdictMs, () => this.#settle(true));
  }

  async #another(): Promise<ConsumedSecret | undefined> {
    if (this.#passwords >= maxPasswords) return undefined;
    try {
      return await this.#options.password.again?.(this.#over.signal);
    } catch {
      return undefined;
    }
  }

  /** Something was printed without a prompt: sudo needed no password, and the command runs. */
  #noPrompt(): void {
    if (this.#hasPrinted) return this.#settle(true);
    this.#fault = 'noPrompt';
    this.#settle(false);
    this.#options.onStuck();
  }

  #settle(mayFollow: boolean): void {
    this.#timer.dispose();
    this.#resolve(mayFollow);
  }
}
