import os from 'node:os';
import type { ClockPort } from '../../agentkit/index.ts';
import type { ConfigQuestion, ProgramFile } from '../../application/ports/hosts.ts';
import type { ProgramConsents } from '../../application/vault/programConsents.ts';
import type { NameLookup } from '../../domain/config/canonicalName.ts';
import { readPrinted } from '../../domain/config/printedConfig.ts';
import {
  programKey,
  resolveAlias,
  type Findings,
  type OwnResolution,
  type WantedProgram,
} from '../../domain/config/resolveAlias.ts';
import type { ConfigTree } from './configTree.ts';
import { lookUpName } from './lookUpName.ts';
import { runMatchProgram } from './matchProgram.ts';
import { programFiles } from './programFiles.ts';

export interface ResolveByHandOptions {
  readonly tree: ConfigTree;
  /** What `ssh -V` says; empty when it was not asked. */
  readonly version: string;
  readonly consents: ProgramConsents;
  readonly localUser: string;
  readonly local: Findings['local'];
  readonly clock: ClockPort;
}

/** Our own reading of one name, with everything found out that it depends on. */
export interface HandResolution {
  readonly own: OwnResolution;
  /** What was not evaluated, for people. */
  readonly notes: readonly string[];
}

/** More programs or names than a configuration asks about; a rule that asks for ever ends here. */
const mostRounds = 200;

/**
 * Resolves a name by our own reading: runs the programs that the person allows, and looks up names where the configuration asks to
 * canonicalise them. For one question. Source: ssh.md 4.1 and 4.3.
 */
export class ResolveByHand {
  readonly #options: ResolveByHandOptions;
  readonly #files: readonly ProgramFile[];
  readonly #programs = new Map<string, boolean>();
  readonly #names = new Map<string, NameLookup>();
  readonly #notes = new Map<string, string>();

  constructor(options: ResolveByHandOptions) {
    this.#options = options;
    this.#files = programFiles(options.tree);
  }

  /**
   * Asks about the programs that decide about this name and runs those that are allowed. `areProgramsAllowed` says whether every
   * program that `ssh` could run in these files is. Rejects with `config-consent` when a question was closed, and on abort.
   */
  async decidePrograms(
    question: ConfigQuestion,
    signal: AbortSignal,
  ): Promise<{ readonly areProgramsAllowed: boolean }> {
    for (let round = 0; round < mostRounds; round++) {
      const wanted = this.#own(question).programs.find((program) => !this.#notes.has(placeOf(program)));
      if (wanted === undefined) break;
      await this.#decide(wanted, { question, signal });
    }
    return {
      areProgramsAllowed: this.#files.every((file) => this.#options.consents.decided(file) === true),
    };
  }

  /** With the names looked up that canonicalisation wants. Rejects on abort. */
  async lookUpNames(question: ConfigQuestion, signal: AbortSignal): Promise<HandResolution> {
    let own = this.#own(question);
    for (let round = 0; own.wantedName !== undefined && round < mostRounds; round++) {
      const family = own.values.get('addressfamily')?.[0];
      const lookup = await lookUpName(
        own.wantedName,
        {
          family: family === 'inet' ? 4 : family === 'inet6' ? 6 : 0,
          followsAliases: own.values.has('canonicalizepermittedcnames'),
          clock: this.#options.clock,
        },
        signal,
      );
      this.#names.set(own.wantedName, lookup);
      own = this.#own(question);
    }
    return this.#with(own);
  }

  /** With the name that `ssh` has found, so that nothing is looked up a second time. */
  asSsh(question: ConfigQuestion, lines: readonly string[]): HandResolution {
    const found = readPrinted(lines).get('hostname')?.[0];
    let own = this.#own(question);
    for (let round = 0; own.wantedName !== undefined && round < mostRounds; round++) {
      this.#names.set(own.wantedName, { isFound: own.wantedName === `${found ?? ''}.`, alias: undefined });
      own = this.#own(question);
    }
    return this.#with(own);
  }

  #with(own: OwnResolution): HandResolution {
    const undecided = own.undecided.map(
      ({ at, kind }) => `match ${kind} in ${at.path}:${String(at.line)} was not evaluated`,
    );
    return { own, notes: [...this.#notes.values(), ...undecided] };
  }

  #own(question: ConfigQuestion): OwnResolution {
    const { tree, localUser, local, version } = this.#options;
    const findings: Findings = {
      local,
      programs: this.#programs,
      names: this.#names,
      interfaces: Object.values(os.networkInterfaces()).flatMap((list = []) =>
        list.map(({ address }) => address),
      ),
      version: /^OpenSSH_[^ ,]+/.exec(version)?.[0],
    };
    return resolveAlias(tree.config, { ...question, localUser, findings });
  }

  async #decide(
    wanted: WantedProgram,
    { question, signal }: { readonly question: ConfigQuestion; readonly signal: AbortSignal },
  ): Promise<void> {
    const { consents, clock, local } = this.#options;
    const leave = (why: string): void =>
      void this.#notes.set(
        placeOf(wanted),
        `match exec in ${placeOf(wanted)} ${why}, so its block does not apply`,
      );
    const file = this.#files.find(({ path }) => path === wanted.at.path);
    if (file === undefined || !(await consents.settle(file, question.alias, signal)))
      return leave('may not run');
    if (wanted.expanded === undefined) return leave('has a token that is not known');
    if (!isPlain(question.alias) || !isPlain(question.user ?? 'user'))
      return leave('was not given a name that a shell could misread');
    const outcome = await runMatchProgram(wanted.expanded, { environment: local.environment, clock }, signal);
    if (outcome === 'failed') return leave('did not end properly within 5 seconds');
    this.#programs.set(programKey(wanted), outcome === 'yes');
  }
}

function placeOf({ at }: WantedProgram): string {
  return `${at.path}:${String(at.line)}`;
}

/** Nothing in it means anything to a shell. Source: OpenSSH `ssh_valid_hostname`. */
function isPlain(name: string): boolean {
  return /^[^-'"`$\\;&<>|(){},\s\x00-\x1f\x7f][^'"`$\\;&<>|(){},\s\x00-\x1f\x7f]*$/.test(name);
}
