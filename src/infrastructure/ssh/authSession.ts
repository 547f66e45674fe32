import type { AnyAuthMethod } from 'ssh2';
import type { ClockPort } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import {
  advanceAuth,
  beginAuth,
  learnAuth,
  leftOutOf,
  type AuthEvent,
  type AuthState,
  type AuthStep,
} from '../../domain/ssh/authEngine.ts';
import { signatureAlgorithms } from '../../domain/ssh/authIdentity.ts';
import { connectionFault, type ConnectionFaultCode } from '../../domain/ssh/connectionFault.ts';
import { authFacts, authFault, describeResult } from '../../domain/ssh/describeAuth.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { TraceFact } from '../../domain/ssh/trace.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { fingerprintOf, keyTypeOf } from '../../domain/trust/hostKey.ts';
import type { AgentSearch, FoundAgent } from './agentSearch.ts';
import type { AttemptPassphrases } from './attemptPassphrases.ts';
import type { AttemptPasswords } from './attemptPasswords.ts';
import type { AttemptPrompts } from './attemptPrompts.ts';
import { findIdentities, type FoundIdentities } from './identities.ts';
import { InteractiveRounds, TooManyRounds, type InteractiveRound } from './interactiveRounds.ts';
import { KeySigners } from './keySigners.ts';
import { askNewPassword } from './newPassword.ts';
import type { OfferedKey, PublickeySender } from './publickeySender.ts';
import { SignerRefusal, type Signer } from './signer.ts';

export interface AuthSessionOptions {
  readonly target: Target;
  readonly hop: string;
  readonly agents: Pick<AgentSearch, 'find'>;
  readonly sender: PublickeySender;
  readonly prompts: AttemptPrompts;
  readonly passwords: AttemptPasswords;
  readonly passphrases: AttemptPassphrases;
  readonly clock: ClockPort;
  readonly lastSucceeded: string | undefined;
  /** Ends with the attempt. */
  readonly signal: AbortSignal;
  /** Signature algorithms that the server has named; undefined when it is silent about them. */
  readonly serverTakes: () => readonly string[] | undefined;
  /** The server has something to answer now, or no longer. Runs and stops the timer of a round trip. */
  readonly onWaiting: (isWaiting: boolean) => void;
  /** The sign-in is over without success. */
  readonly onStopped: (fault: Fault) => void;
  readonly record: (fact: TraceFact) => void;
}

type Next = (method: AnyAuthMethod) => void;

/**
 * Carries out what the method engine decides: answers the library each time it asks for the next method, makes signatures, asks people.
 * Every method fails alone. Source: ssh.md 2.1 and 2.2; TRAP-9, TRAP-10, TRAP-17, TRAP-22.
 */
export class AuthSession {
  readonly #options: AuthSessionOptions;
  readonly #signers: KeySigners;
  readonly #rounds: InteractiveRounds;
  #state: AuthState | undefined;
  #found: FoundIdentities = { identities: [], keyProblems: [], certificateProblems: [] };
  #agent: FoundAgent | undefined;
  readonly #knows = { keys: false, password: false };
  #offered: OfferedKey | undefined;
  /** The password that is on its way; a server that finds it expired wants it once more. */
  #sentPassword: string | undefined;
  /** The server's words about an expired password whose change is under way or was refused. */
  #expiry: string | undefined;

  constructor(options: AuthSessionOptions) {
    this.#options = options;
    this.#signers = new KeySigners(options);
    this.#rounds = new InteractiveRounds(options.prompts, options.passwords);
  }

  /** The library's handler: what the server allows, whether it wants more after an accepted method, and where the next one goes. */
  readonly handler = (
    methods: readonly string[] | null,
    isPartial: boolean | null,
    next: Next,
  ): undefined => {
    this.#options.onWaiting(false);
    this.#guard(this.#advance(methods, { isPartial: isPartial === true, next }));
    return undefined;
  };

  /** How the person or key was accepted, for people. Call when the server has said yes. */
  get authenticatedBy(): string {
    const step = this.#state?.step ?? { k: 'none' };
    if (step.k !== 'publickey') return step.k;
    const { fingerprint, label } = step.identity;
    return ['publickey', fingerprint ?? this.#offeredFingerprint(), showUntrusted(label)]
      .filter(Boolean)
      .join(' ');
  }

  get acceptedKey(): string | undefined {
    const step = this.#state?.step;
    return step?.k === 'publickey' ? (step.identity.fingerprint ?? this.#offeredFingerprint()) : undefined;
  }

  /** The agent that was asked for keys. */
  get agent(): FoundAgent['agent'] {
    return this.#agent?.agent;
  }

  /** The server has said yes: what was to be kept is kept. Never rejects. */
  async succeeded(): Promise<void> {
    const step = this.#state?.step;
    if (step !== undefined && step.k !== 'none' && step.k !== 'stop') this.#recordIdentity(step, 'accepted');
    await this.#options.passwords.keep();
    this.dispose();
  }

  dispose(): void {
    this.#options.passwords.dispose();
    this.#signers.dispose();
    this.#sentPassword = undefined;
  }

  /**
   * The server takes the password and wants a new one. `answer` sends both. A new one that it does not like brings it back here with its
   * reason; one that it refuses makes the next method. Source: RFC 4252 section 8; TRAP-17.
   */
  passwordExpired(words: string, answer: (current: string, next: string) => void): void {
    this.#options.onWaiting(false);
    this.#guard(this.#changePassword(words, answer));
  }

  async #changePassword(words: string, answer: (current: string, next: string) => void): Promise<void> {
    const { prompts, passwords, signal } = this.#options;
    const current = this.#sentPassword;
    this.#expiry = words;
    passwords.forgetTyped();
    const next = await askNewPassword(prompts, { words, canRemember: passwords.canKeep });
    if (next === undefined || current === undefined)
      return this.#stop('auth-expired', { ...this.#facts(), reason: showUntrusted(words) });
    passwords.typed(next.text, next.remember);
    signal.throwIfAborted();
    this.#options.onWaiting(true);
    answer(current, next.text);
  }

  async #advance(
    methods: readonly string[] | null,
    turn: { readonly isPartial: boolean; readonly next: Next },
  ): Promise<void> {
    const { target, signal } = this.#options;
    if (methods === null) return this.#send(turn.next, { type: 'none', username: target.user });
    const offered = methods.map((method) => showUntrusted(method));
    this.#options.record({ k: 'methods', offered, isPartial: turn.isPartial });
    const known = await this.#learn(this.#state ?? this.#begin(), methods);
    this.#move(known, this.#eventOf(methods, turn.isPartial));
    for (;;) {
      signal.throwIfAborted();
      const state = this.#state;
      if (state === undefined) return;
      const event = await this.#perform(state.step, turn.next);
      if (event === undefined) return;
      this.#move(state, event);
    }
  }

  #move(state: AuthState, event: AuthEvent): void {
    this.#state = advanceAuth(state, event);
    const report = this.#state.reports[state.reports.length];
    if (report !== undefined && state.step.k !== 'none' && state.step.k !== 'stop')
      this.#recordIdentity(state.step, describeResult(report));
  }

  #recordIdentity(step: Exclude<AuthStep, { k: 'none' | 'stop' }>, result: string): void {
    const identity = step.k === 'publickey' ? step.identity : undefined;
    this.#options.record({
      k: 'identity',
      method: step.k,
      label: showUntrusted(identity?.label ?? (step.k === 'password' && step.isStored ? 'stored' : '')),
      fingerprint: identity?.fingerprint,
      source: identity?.source,
      result,
    });
  }

  #begin(): AuthState {
    const { target, lastSucceeded } = this.#options;
    return beginAuth({
      identities: [],
      identitiesOnly: target.identitiesOnly,
      preferred: target.preferredAuthentications,
      hasStoredPassword: false,
      attemptLimit: target.attemptLimit,
      passwordRounds: target.passwordPrompts,
      lastSucceeded,
      accepted: target.algorithms.signature,
    });
  }

  /** Keys are looked for once the server takes keys, and a kept password once it takes passwords, which may be after another method. */
  async #learn(state: AuthState, methods: readonly string[]): Promise<AuthState> {
    const { passwords } = this.#options;
    let known = state;
    if (methods.includes('publickey') && !this.#knows.keys) {
      this.#knows.keys = true;
      await this.#findKeys();
      known = learnAuth(known, { identities: this.#found.identities.map(({ identity }) => identity) });
    }
    if (methods.some((method) => method !== 'publickey') && !this.#knows.password) {
      this.#knows.password = true;
      await passwords.find();
      known = learnAuth(known, { hasStoredPassword: passwords.hasStored });
    }
    return known;
  }

  async #findKeys(): Promise<void> {
    const { target, agents, clock, passphrases, signal, record } = this.#options;
    if (target.identities.some((candidate) => candidate.kind === 'agent')) {
      this.#agent = await agents.find(target.identityAgent, signal);
      for (const { endpoint, result } of this.#agent.asked)
        record({ k: 'agent', endpoint: showUntrusted(endpoint), result: showUntrusted(result) });
    }
    this.#found = await findIdentities({
      target,
      agent: this.#agent?.agent,
      passphrases,
      nowSeconds: BigInt(Math.floor(clock.now() / 1000)),
    });
    for (const { path, reason } of [...this.#found.keyProblems, ...this.#found.certificateProblems])
      record({
        k: 'identity',
        method: 'publickey',
        label: showUntrusted(path),
        fingerprint: undefined,
        source: undefined,
        result: `not offered, ${showUntrusted(reason)}`,
      });
  }

  /** What the library's call means for the step before it: the server's answer, or a signature that never was. */
  #eventOf(methods: readonly string[], isPartial: boolean): AuthEvent {
    const refusal = this.#offered?.refusal;
    const wasAsked = this.#rounds.hasAsked;
    this.#offered = undefined;
    this.#sentPassword = undefined;
    if (refusal !== undefined)
      return refusal.isCancelled
        ? { k: 'cancelled' }
        : { k: 'skipped', reason: refusal.message, wasOffered: true };
    if (isPartial) this.#expiry = undefined;
    else this.#options.passwords.forgetTyped();
    return { k: 'answered', methods, isPartial, serverTakes: this.#options.serverTakes(), wasAsked };
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
        this.#sentPassword = password;
        this.#send(next, { type: 'password', username, password });
        return undefined;
      }
      case 'keyboard-interactive':
        this.#rounds.begin();
        this.#send(next, {
          type: 'keyboard-interactive',
          username,
          prompt: (...[name, instructions, , prompts, finish]) => {
            this.#options.onWaiting(false);
            const asked = prompts.map(({ prompt, echo }) => ({ prompt, echo: echo === true }));
            this.#guard(this.#answerRound({ name, instructions, prompts: asked }, finish));
          },
        });
        return undefined;
      case 'stop': {
        const { code, facts } = this.#faultOf();
        this.#stop(code, facts);
        return undefined;
      }
    }
  }

  async #offerKey(step: AuthStep & { k: 'publickey' }, next: Next): Promise<AuthEvent | undefined> {
    const found = this.#found.identities.find(({ identity }) => identity.id === step.identity.id);
    if (found === undefined) return { k: 'skipped', reason: 'it is gone', wasOffered: false };
    try {
      const signer = await this.#signers.signerFor(found);
      const algorithm = step.algorithm ?? this.#algorithmFor(signer.blob);
      if (algorithm === undefined)
        return { k: 'skipped', reason: 'no signature by it is taken', wasOffered: false };
      this.#offered = this.#options.sender.offer(this.#timed(signer), algorithm);
      this.#send(next, { type: 'publickey', username: this.#options.target.user, key: this.#offered.handle });
      return undefined;
    } catch (error) {
      if (!(error instanceof SignerRefusal)) throw error;
      return error.isCancelled
        ? { k: 'cancelled' }
        : { k: 'skipped', reason: error.message, wasOffered: false };
    }
  }

  /** The server waits while something is signed here, so the timer of a round trip does not run. */
  #timed(signer: Signer): Signer {
    const { onWaiting } = this.#options;
    return {
      blob: signer.blob,
      sign: async (...request) => {
        onWaiting(false);
        const signature = await signer.sign(...request);
        onWaiting(true);
        return signature;
      },
    };
  }

  #algorithmFor(blob: Uint8Array): string | undefined {
    const { serverTakes, target } = this.#options;
    const rules = { serverTakes: serverTakes(), accepted: target.algorithms.signature };
    return signatureAlgorithms(keyTypeOf(blob) ?? '', rules)[0];
  }

  #offeredFingerprint(): string | undefined {
    return this.#offered === undefined ? undefined : fingerprintOf(this.#offered.signer.blob);
  }

  async #passwordFor(isStored: boolean): Promise<string | undefined> {
    const { passwords, prompts } = this.#options;
    if (isStored) return passwords.takeStored();
    const typed = await prompts.secret({
      kind: 'password',
      canRemember: passwords.canKeep,
      keysLeftOut: this.#keysLeftOut(),
    });
    if (typed !== undefined) passwords.typed(typed.text, typed.remember);
    return typed?.text;
  }

  async #answerRound(round: InteractiveRound, finish: (answers: string[]) => void): Promise<void> {
    let answers: string[] | undefined;
    try {
      answers = await this.#rounds.answer(round, this.#keysLeftOut());
    } catch (error) {
      if (!(error instanceof TooManyRounds)) throw error;
      return this.#stop('auth-failed', { ...this.#facts(), reason: error.message });
    }
    if (answers === undefined) return this.#stop('auth-cancelled', this.#facts());
    this.#options.signal.throwIfAborted();
    this.#options.onWaiting(true);
    finish(answers);
  }

  #keysLeftOut(): number {
    return this.#state === undefined ? 0 : leftOutOf(this.#state).length;
  }

  #send(next: Next, method: AnyAuthMethod): void {
    this.#options.signal.throwIfAborted();
    this.#options.onWaiting(true);
    next(method);
  }

  /** What fails here is ours; what ends with the attempt is no failure. */
  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#options.signal.aborted) this.#stop('internal', { reason });
    });
  }

  #faultOf(): { readonly code: ConnectionFaultCode; readonly facts: Readonly<Record<string, string>> } {
    const wantsAgent = this.#options.target.identity.kind === 'agent';
    if (this.#state === undefined) return { code: 'auth-failed', facts: {} };
    const isEmpty = wantsAgent && this.#agent?.agent?.keys.length === 0;
    return authFault(this.#state, {
      keyProblems: [...this.#found.keyProblems, ...this.#signers.problems],
      certificateProblems: this.#found.certificateProblems,
      wantsAgent,
      agent: {
        endpoint: this.#agent?.endpoint,
        missing: this.#agent?.problem,
        refusal: this.#signers.agentRefusal ?? (isEmpty ? 'it is locked or holds no key' : undefined),
      },
      passwordChange: this.#expiry,
    });
  }

  #facts(): Readonly<Record<string, string>> {
    return this.#state === undefined ? {} : authFacts(this.#state);
  }

  #stop(code: ConnectionFaultCode, facts: Readonly<Record<string, string>>): void {
    const place = { stage: 'auth', hop: this.#options.hop, outcome: 'failed' } as const;
    this.#options.onStopped(connectionFault(code, place, facts));
  }
}
