import fs from 'node:fs/promises';
import type { ClockPort } from '../../agentkit/index.ts';
import type { SshDebug } from '../../application/ports/hosts.ts';
import { debugConnect, effectiveConfig, findSshProgram, sshVersion } from './sshProgram.ts';

export interface SshClientOptions {
  /** The setting `termind.ssh.path`. */
  readonly configured: () => string | undefined;
  /** False in an untrusted workspace. */
  readonly mayRun: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: ClockPort;
}

export type SshAnswer =
  | { readonly k: 'printed'; readonly lines: readonly string[] }
  /** In its own words. */
  | { readonly k: 'refused'; readonly why: string }
  | { readonly k: 'notRun'; readonly why: 'noProgram' | 'untrusted' | 'programs' };

export interface SshQuestion {
  readonly alias: string;
  readonly user?: string;
  readonly port?: number;
  /** Read instead of the user's and the system's files; `none` is no file at all. */
  readonly configFile: string | undefined;
}

/** The `ssh` of this machine, as it is at the moment: found anew for each question, asked for its version once. */
export class SshClient {
  readonly #options: SshClientOptions;
  #known: { readonly mark: string; readonly version: string } | undefined;

  constructor(options: SshClientOptions) {
    this.#options = options;
  }

  /** `OpenSSH_9.2p1 …`; empty without a program that may be run. Rejects only on abort. */
  async version(signal: AbortSignal): Promise<string> {
    const program = await this.#program();
    if (program === undefined) return '';
    const stat = await fs.stat(program).catch(() => undefined);
    const mark = `${program} ${String(stat?.mtimeMs)} ${String(stat?.size)}`;
    if (this.#known?.mark === mark) return this.#known.version;
    const { environment, clock } = this.#options;
    const version = await sshVersion({ program, environment }, clock, signal);
    this.#known = { mark, version };
    return version;
  }

  /** Rejects only on abort. The caller has made sure that no program runs that nobody allowed. */
  async ask(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer> {
    const { environment, clock, mayRun } = this.#options;
    if (!mayRun()) return { k: 'notRun', why: 'untrusted' };
    const program = await this.#program();
    if (program === undefined) return { k: 'notRun', why: 'noProgram' };
    const { alias, configFile, user, port } = question;
    const answer = await effectiveConfig(
      { program, configFile, alias, user, port, environment },
      clock,
      signal,
    );
    return answer.ok ? { k: 'printed', lines: answer.lines } : { k: 'refused', why: answer.why };
  }

  /** What `ssh -vvv` writes. Rejects only on abort. The caller has made sure that no program runs that nobody allowed. */
  async debug(question: SshQuestion, signal: AbortSignal): Promise<SshDebug> {
    const { environment, clock, mayRun } = this.#options;
    if (!mayRun()) return { k: 'notRun', why: 'untrusted' };
    const program = await this.#program();
    if (program === undefined) return { k: 'notRun', why: 'noProgram' };
    const { alias, configFile, user, port } = question;
    const text = await debugConnect({ program, configFile, alias, user, port, environment }, clock, signal);
    return { k: 'ran', text };
  }

  #program(): Promise<string | undefined> | undefined {
    const { configured, environment, mayRun } = this.#options;
    return mayRun() ? findSshProgram(configured(), environment) : undefined;
  }
}
