import type { ClockPort } from '../../agentkit/index.ts';
import { plainAlgorithm, type AuthIdentity } from '../../domain/ssh/authIdentity.ts';
import type { IdentityProblem } from '../../domain/ssh/describeAuth.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { signatureFlags } from './agentClient.ts';
import type { AttemptPassphrases, EncryptedFile } from './attemptPassphrases.ts';
import type { AttemptPrompts } from './attemptPrompts.ts';
import type { FoundIdentity } from './identities.ts';
import type { KeyFile } from './keys/keyFile.ts';
import { openKey, type OpenedKey } from './keys/openKey.ts';
import type { PrivateKey } from './keys/privateKey.ts';
import { SignerRefusal, type Signer } from './signer.ts';

export interface KeySignersOptions {
  readonly prompts: AttemptPrompts;
  readonly passphrases: AttemptPassphrases;
  readonly clock: ClockPort;
  /** Ends with the attempt. */
  readonly signal: AbortSignal;
}

/** An agent that has not signed by then is waiting for a person, who is told so. A security key waits from the start. */
const noticeAfterMs = 2_000;

/**
 * Makes signers from what was found. A passphrase is asked for once per key and attempt, where the public half is known only when the
 * server would take the key. Disposing forgets unlocked keys. Source: ssh.md 2.3 and 2.4; AG-5.
 */
export class KeySigners {
  readonly #options: KeySignersOptions;
  readonly #unlocked = new Map<string, PrivateKey>();
  readonly #problems: IdentityProblem[] = [];
  #agentRefusal: string | undefined;

  constructor(options: KeySignersOptions) {
    this.#options = options;
  }

  /** Key files that could not be unlocked. */
  get problems(): readonly IdentityProblem[] {
    return this.#problems;
  }

  /** Why an agent did not sign, last. */
  get agentRefusal(): string | undefined {
    return this.#agentRefusal;
  }

  /** Rejects with `SignerRefusal` when the key has to be unlocked for its public half and is not. */
  async signerFor({ identity, from }: FoundIdentity): Promise<Signer> {
    if (from.k === 'agent')
      return {
        blob: from.blob,
        sign: (data, algorithm, signal) =>
          this.#askAgent(
            identity,
            (until) =>
              from.agent.sign(from.signingBlob, data, { flags: signatureFlags(algorithm), signal: until }),
            signal,
          ),
      };
    const { file } = from;
    const blob = from.blob ?? file.blob ?? (await this.#unlock(file)).publicKey.blob;
    return {
      blob,
      sign: async (data, algorithm) => (await this.#unlock(file)).sign(plainAlgorithm(algorithm), data),
    };
  }

  dispose(): void {
    this.#unlocked.clear();
  }

  /** Waits for an agent, with a notice and a way to cancel when that takes its time. */
  async #askAgent(
    identity: AuthIdentity,
    sign: (signal: AbortSignal) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { prompts, clock } = this.#options;
    const isSecurityKey = identity.keyType?.startsWith('sk-') ?? false;
    const cancelled = new AbortController();
    const over = new AbortController();
    const tell = (): void => {
      prompts.signing({ label: showUntrusted(identity.label), isSecurityKey }, over.signal).then(
        (isCancelled) => isCancelled && cancelled.abort(new SignerRefusal('the signature was cancelled')),
        () => undefined, // the attempt has ended, which also ends the signature
      );
    };
    if (isSecurityKey) tell();
    const notice = isSecurityKey ? undefined : clock.after(noticeAfterMs, tell);
    try {
      return await sign(AbortSignal.any([signal, cancelled.signal]));
    } catch (error) {
      if (error instanceof SignerRefusal) this.#agentRefusal = error.message;
      throw error;
    } finally {
      notice?.dispose();
      over.abort();
    }
  }

  async #unlock(file: KeyFile & { k: 'plain' | 'encrypted' }): Promise<PrivateKey> {
    if (file.k === 'plain') return file.key;
    const known = this.#unlocked.get(file.path);
    if (known !== undefined) return known;
    const key = (await this.#openKept(file)) ?? (await this.#openTyped(file));
    this.#unlocked.set(file.path, key);
    return key;
  }

  /** Undefined when there is no kept passphrase, or one that does not open the file any more, which is forgotten. */
  async #openKept(file: EncryptedFile): Promise<PrivateKey | undefined> {
    const { passphrases } = this.#options;
    const kept = await passphrases.find(file);
    if (kept === undefined) return undefined;
    const opened = await this.#open(file, kept);
    if (opened.k === 'key') return opened.key;
    if (opened.problem.code.startsWith('wrong-passphrase')) await passphrases.forget(file);
    return undefined;
  }

  async #openTyped(file: EncryptedFile): Promise<PrivateKey> {
    const { prompts, passphrases } = this.#options;
    const typed = await prompts.secret({ kind: 'passphrase', prompt: file.path, canRemember: true });
    if (typed === undefined) throw new SignerRefusal('the passphrase was not given', { isCancelled: true });
    const opened = await this.#open(file, typed.text);
    if (opened.k === 'unusable') {
      const { reason } = opened.problem;
      this.#problems.push({ path: file.path, reason });
      throw new SignerRefusal(reason);
    }
    if (typed.remember) await passphrases.keep(file, typed.text);
    return opened.key;
  }

  async #open(file: EncryptedFile, text: string): Promise<OpenedKey> {
    const passphrase = Buffer.from(text, 'utf8');
    try {
      return await openKey(file.container, passphrase, this.#options.signal);
    } finally {
      passphrase.fill(0);
    }
  }
}
