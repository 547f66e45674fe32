import type { AnyAuthMethod, Prompt } from 'ssh2';
import type { KeptPasswordsPort } from '../../application/ports/transport.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { Fault } from '../../domain/fault.ts';
import {
  advanceAuth,
  beginAuth,
  type AuthEvent,
  type AuthState,
  type AuthStep,
} from '../../domain/ssh/authEngine.ts';
import { signatureAlgorithms, type AuthIdentity } from '../../domain/ssh/authIdentity.ts';
import { connectionFault } from '../../domain/ssh/connectionFault.ts';
import { authFacts } from '../../domain/ssh/describeAuth.ts';
import { isPasswordRound } from '../../domain/ssh/passwordPrompt.ts';
import type { Target } from '../../domain/ssh/target.ts';
import { longText, showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { fingerprintOf, keyTypeOf } from '../../domain/trust/hostKey.ts';
import type { AgentClient } from './agentClient.ts';
import type { AttemptPrompts } from './attemptPrompts.ts';
import { findIdentities, type FoundIdentities, type FoundIdentity } from './identities.ts';
import { unlockKey, type KeyFile, type UnlockedKey } from './keyFile.ts';
import type { OfferedKey, PublickeySender } from './publickeySender.ts';
import { SignerRefusal, signWith, type Signer } from './signer.ts';
import type { Ssh2 } from './ssh2Library.ts';

export interface AuthSessionOptions {
  readonly ssh2: Ssh2;
  readonly target: Target;
  readonly hop: string;
  readonly agent: AgentClient | undefined;
  readonly sender: PublickeySender;
  readonly prompts: AttemptPrompts;
  readonly passwords: KeptPasswordsPort;
  readonly log: LogPort;
  readonly lastSucceeded: string | undefined;
  /** Ends with the attempt. */
  readonly signal: AbortSignal;
  /** Signature algorithms that the server has named; undefined when it is silent about them. */
  readonly serverTakes: () => readonly string[] | undefined;
  /** The server has something to answer now, or no longer. Runs and stops the timer of a round trip. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** The sign-in is over without success. */
  readonly onStopped: (fault: Fault) => void;
}

type Next = (method: AnyAuthMethod) => void;

/** OpenSSH's own default; most servers allow as many. Source: ssh.md 2.1. */
const attemptLimit = 6;
const passwordRounds = 3;
/** Source: ssh.md 2.1. */
const interactiveRounds = 10;

/**
 * Carries out what the method engine decides: answers the library each time it asks for the next method, makes signatures, asks people.
 * Every method fails alone. Source: ssh.md 2.1 and 2.2; TRAP-9, TRAP-10, TRAP-22.
 */
export class AuthSession {
  readonly #options: AuthSessionOptions;
  #state: AuthState | undefined;
  #found: FoundIdentities = { identities: [], problems: [], agentProblem: undefined };
  #offered: OfferedKey | undefined;
  readonly #unlocked = new Map<string, UnlockedKey>();
  readonly #keyProblems: { readonly path: string; readonly reason: string }[] = [];
  /** A password that a person wants to be kept once it has proved right. Wiped after that. */
  #toKeep: Buffer | undefined;
  #storedPassword: string | undefined;
  #canKeep = false;
  #isStoredPasswordGiven = false;
  #interactiveRound = 0;

  constructor(options: AuthSessionOptions) {
    this.#options = options;
  }

  /** The library's handler: what the server allows, whether it wants more after an accepted method, and where the next one goes. */
  readonly handler = (
    methods: readonly string[] | null,
    isPartial: boolean | null,
    next: Next,
  ): undefined => {
    this.#options.onWaiting(false);
    this.#advance(methods, { isPartial: isPartial === true, next }).catch((error: unknown) => {
      if (!this.#options.signal.aborted) this.#stop(this.#internal(error));
    });
    return undefined;
  };

  /** How the person or key was accepted, for people. Call when the server has said yes. */
  get authenticatedBy(): string {
    const { step } = this.#state ?? { step: { k: 'none' } as AuthStep };
    return step.k === 'publickey'
      ? `publickey ${step.identity.fingerprint ?? ''} ${showUntrusted(step.identity.label)}`
      : step.k;
  }

  get acceptedKey(): string | undefined {
    const step = this.#state?.step;
    return step?.k === 'publickey' ? (step.identity.fingerprint ?? this.#offeredFingerprint()) : undefined;
  }

  /** Keeps a password that was to be remembered and forgets it here. */
  async succeeded(): Promise<void> {
    const password = this.#toKeep;
    if (password === undefined) return;
    try {
      await this.#options.passwords.keep(this.#options.target, password.toString('utf8'));
    } catch (error) {
      this.#options.log.error('ssh', 'a password could not be kept', error);
    } finally {
      this.dispose();
    }
  }

  dispose(): void {
    this.#toKeep?.fill(0);
    this.#toKeep = undefined;
    this.#storedPassword = undefined;
    this.#unlocked.clear();
  }

  async #advance(
    methods: readonly string[] | null,
    turn: { readonly isPartial: boolean; readonly next: Next },
  ): Promise<void> {
    const { target, signal } = this.#options;
    if (methods === null) return this.#send(turn.next, { type: 'none', username: target.user });
    this.#state = advanceAuth(
      this.#state ?? (await this.#begin(methods)),
      this.#eventOf(methods, turn.isPartial),
    );
    for (;;) {
      signal.throwIfAborted();
      const event = await this.#perform(this.#state.step, turn.next);
      if (event === undefined) return;
      this.#state = advanceAuth(this.#state, event);
    }
  }

  /** Keys are looked for only when the server takes keys, and a kept password only when it takes passwords. */
  async #begin(methods: readonly string[]): Promise<AuthState> {
    const { ssh2, target, agent, signal } = this.#options;
    if (methods.includes('publickey')) {
      this.#found = await findIdentities({ ssh2, target, agent }, signal);
      this.#keyProblems.push(...this.#found.problems);
    }
    if (methods.some((method) => method !== 'publickey')) await this.#findKeptPassword();
    return beginAuth({
      identities: this.#found.identities.map(({ identity }) => identity),
      identitiesOnly: target.identitiesOnly,
      preferred: target.preferredAuthentications,
      hasStoredPassword: this.#storedPassword !== undefined,
      attemptLimit,
      passwordRounds,
      lastSucceeded: this.#options.lastSucceeded,
    });
  }

  async #findKeptPassword(): Promise<void> {
    try {
      const { password, canKeep } = await this.#options.passwords.find(this.#options.target);
      this.#storedPassword = password;
      this.#canKeep = canKeep;
    } catch (error) {
      const name = error instanceof Error ? error.name : 'error';
      this.#options.log.warn('ssh', `a kept password cannot be read: ${name}`);
    }
  }

  /** What the library's call means for the step before it: the server's answer, or a signature that never was. */
  #eventOf(methods: readonly string[], isPartial: boolean): AuthEvent {
    const refusal = this.#offered?.refusal;
    const wasAsked = this.#interactiveRound > 0;
    this.#offered = undefined;
    this.#interactiveRound = 0;
    if (refusal !== undefined)
      return refusal.isCancelled
        ? { k: 'cancelled' }
        : { k: 'skipped', reason: refusal.message, wasOffered: true };
    if (!isPartial) this.#forgetTyped();
    return { k: 'answered', methods, isPartial, serverTakes: this.#options.serverTakes(), wasAsked };
  }

  #forgetTyped(): void {
    this.#toKeep?.fill(0);
    this.#toKeep = undefined;
  }

  /** Undefined when the step is on its way to the server, or everything is over. */
  async #perform(step: AuthStep, next: Next): Promise<AuthEvent | undefined> {
    const username = this.#options.target.user;
    switch (step.k) {
      case 'none':
        this.#send(next, { type: 'none', username });
        return undefined;
      case 'publickey':
        return this.#offerKey(step, next);
      case 'password': {
        const password = await this.#passwordFor(step.isStored);
        if (password === undefined)
          return step.isStored
            ? { k: 'skipped', reason: 'it was refused before', wasOffered: false }
            : { k: 'cancelled' };
        this.#send(next, { type: 'password', username, password });
        return undefined;
      }
      case 'keyboard-interactive':
        this.#send(next, {
          type: 'keyboard-interactive',
          username,
          prompt: (...[name, instructions, , prompts, finish]) => {
            this.#options.onWaiting(false);
            this.#answerRound({ name, instructions, prompts }, finish).catch((error: unknown) => {
              if (!this.#options.signal.aborted) this.#stop(this.#internal(error));
            });
          },
        });
        return undefined;
      case 'stop':
        this.#stop(this.#faultOf(step));
        return undefined;
    }
  }

  async #offerKey(step: AuthStep & { k: 'publickey' }, next: Next): Promise<AuthEvent | undefined> {
    const found = this.#found.identities.find(({ identity }) => identity.id === step.identity.id);
    if (found === undefined) return { k: 'skipped', reason: 'it is gone', wasOffered: false };
    try {
      const signer = await this.#signerFor(found);
      const algorithm = step.algorithm ?? this.#algorithmFor(signer.blob);
      if (algorithm === undefined)
        return { k: 'skipped', reason: 'the server takes no SHA-2 signature for it', wasOffered: false };
      this.#offered = this.#options.sender.offer(signer, algorithm);
      this.#send(next, { type: 'publickey', username: this.#options.target.user, key: this.#offered.handle });
      return undefined;
    } catch (error) {
      if (!(error instanceof SignerRefusal)) throw error;
      return error.isCancelled
        ? { k: 'cancelled' }
        : { k: 'skipped', reason: error.message, wasOffered: false };
    }
  }

  #algorithmFor(blob: Uint8Array): string | undefined {
    return signatureAlgorithms(keyTypeOf(blob) ?? '', this.#options.serverTakes())[0];
  }

  #offeredFingerprint(): string | undefined {
    return this.#offered === undefined ? undefined : fingerprintOf(this.#offered.signer.blob);
  }

  /** Where the public half is known the passphrase is only asked for once the server has said that it would take the key. */
  async #signerFor({ identity, from }: FoundIdentity): Promise<Signer> {
    if (from.k === 'agent') {
      const { agent, blob } = from;
      return { blob, sign: (data, algorithm, signal) => agent.sign(blob, data, { algorithm, signal }) };
    }
    const { file } = from;
    const blob = file.blob ?? (await this.#unlock(identity, file)).blob;
    return {
      blob,
      sign: async (data, algorithm) => signWith((await this.#unlock(identity, file)).key, data, algorithm),
    };
  }

  async #unlock(identity: AuthIdentity, file: KeyFile & { k: 'plain' | 'encrypted' }): Promise<UnlockedKey> {
    if (file.k === 'plain') return file;
    const known = this.#unlocked.get(identity.id);
    if (known !== undefined) return known;
    const typed = await this.#options.prompts.secret({
      kind: 'passphrase',
      prompt: file.path,
      echo: false,
      canRemember: false,
    });
    if (typed === undefined) throw new SignerRefusal('the passphrase was not given', { isCancelled: true });
    const passphrase = Buffer.from(typed.text, 'utf8');
    const unlocked = unlockKey(this.#options.ssh2, file.text, passphrase);
    passphrase.fill(0);
    if ('reason' in unlocked) {
      this.#keyProblems.push({ path: file.path, reason: unlocked.reason });
      throw new SignerRefusal(unlocked.reason);
    }
    this.#unlocked.set(identity.id, unlocked);
    return unlocked;
  }

  async #passwordFor(isStored: boolean): Promise<string | undefined> {
    if (isStored) {
      if (this.#isStoredPasswordGiven) return undefined;
      this.#isStoredPasswordGiven = true;
      return this.#storedPassword;
    }
    const canRemember = this.#canKeep;
    const typed = await this.#options.prompts.secret({
      kind: 'password',
      prompt: '',
      echo: false,
      canRemember,
    });
    if (typed?.remember === true && canRemember) this.#toKeep = Buffer.from(typed.text, 'utf8');
    return typed?.text;
  }

  /** One round of keyboard-interactive. The library answers a round without prompts by itself. */
  async #answerRound(
    round: { readonly name: string; readonly instructions: string; readonly prompts: readonly Prompt[] },
    finish: (answers: string[]) => void,
  ): Promise<void> {
    this.#interactiveRound += 1;
    if (this.#interactiveRound > interactiveRounds)
      return this.#stop(this.#fault('auth-failed', { reason: 'the server asks without end' }));
    const prompts = round.prompts.map(({ prompt, echo }) => ({ prompt, echo: echo === true }));
    const isPassword = isPasswordRound(prompts);
    if (isPassword && this.#storedPassword !== undefined && !this.#isStoredPasswordGiven) {
      this.#isStoredPasswordGiven = true;
      return this.#finish(finish, [this.#storedPassword]);
    }
    const canRemember = isPassword && this.#canKeep;
    const head = [round.name, round.instructions].filter((text) => text.trim() !== '');
    const answers: string[] = [];
    for (const { prompt, echo } of prompts) {
      const typed = await this.#options.prompts.secret({
        kind: 'keyboardInteractive',
        prompt: showUntrusted([...head, prompt].join('\n'), longText),
        echo,
        canRemember,
      });
      if (typed === undefined) return this.#stop(this.#fault('auth-cancelled', this.#facts()));
      if (typed.remember && canRemember) this.#toKeep = Buffer.from(typed.text, 'utf8');
      answers.push(typed.text);
    }
    this.#finish(finish, answers);
  }

  #finish(finish: (answers: string[]) => void, answers: string[]): void {
    this.#options.signal.throwIfAborted();
    this.#options.onWaiting(true);
    finish(answers);
  }

  #send(next: Next, method: AnyAuthMethod): void {
    this.#options.signal.throwIfAborted();
    this.#options.onWaiting(true);
    next(method);
  }

  #stop(fault: Fault): void {
    this.#options.onStopped(fault);
  }

  /**
   * A key that could not be read is the cause when nothing else was ever refused; a missing agent when only an agent was wanted.
   */
  #faultOf(step: AuthStep & { k: 'stop' }): Fault {
    const facts = this.#facts();
    const wasRefused =
      this.#state?.reports.some(({ result }) => result === 'refused' || result === 'partial') ?? false;
    const [problem] = this.#keyProblems;
    if (step.why !== 'cancelled' && !wasRefused && problem !== undefined)
      return this.#fault('key-unreadable', { ...facts, ...problem });
    if (
      !wasRefused &&
      this.#options.target.identity.kind === 'agent' &&
      this.#found.agentProblem !== undefined
    )
      return this.#fault('agent-missing', {
        ...facts,
        endpoint: this.#options.agent?.endpoint ?? 'none',
        reason: showUntrusted(this.#found.agentProblem),
      });
    const code = { failed: 'auth-failed', budget: 'auth-budget', cancelled: 'auth-cancelled' } as const;
    return this.#fault(code[step.why], facts);
  }

  #facts(): Readonly<Record<string, string>> {
    return this.#state === undefined ? {} : authFacts(this.#state);
  }

  #fault(code: Parameters<typeof connectionFault>[0], facts: Readonly<Record<string, string>>): Fault {
    return connectionFault(code, { stage: 'auth', hop: this.#options.hop, outcome: 'failed' }, facts);
  }

  #internal(error: unknown): Fault {
    return this.#fault('internal', { reason: error instanceof Error ? error.message : String(error) });
  }
}
