import { isAborted } from '../../agentkit/index.ts';
import type { PromptKind } from '../../application/ports/connection.ts';
import type {
  ConfirmQuestion,
  ConnectionPromptPort,
  SecretQuestion,
  SigningNotice,
} from '../../application/ports/prompts.ts';
import type { StageTimer } from './stageTimer.ts';

export interface AttemptPromptsOptions {
  readonly prompts: ConnectionPromptPort;
  readonly timer: StageTimer;
  readonly hop: string;
  /** Ends with the attempt; an open question closes then. */
  readonly signal: AbortSignal;
  readonly onAsking: (what: PromptKind | undefined) => void;
  /** Called first: ends the attempt where nobody may be asked. */
  readonly beforeAsking?: (what: PromptKind) => void;
}

/** What a person typed. */
export interface TypedSecret {
  readonly text: string;
  readonly remember: boolean;
}

/** A question as whoever asks puts it; what is left out is nothing. */
export type SecretRequest = Pick<SecretQuestion, 'kind'> & Partial<Omit<SecretQuestion, 'hop' | 'title'>>;

/** The questions of one attempt: while one is open every timer stands still. Source: ssh.md 1.3. */
export class AttemptPrompts {
  readonly #options: AttemptPromptsOptions;
  #open = 0;

  constructor(options: AttemptPromptsOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  readonly hostKey: ConnectionPromptPort['hostKey'] = (question, signal) =>
    this.#ask('hostKey', () => this.#options.prompts.hostKey(question, signal));

  /** Undefined when it was closed without an answer. Rejects when the attempt has ended meanwhile. */
  async secret(request: SecretRequest): Promise<TypedSecret | undefined> {
    const { hop, signal, prompts } = this.#options;
    const question: SecretQuestion = {
      heading: '',
      prompt: '',
      echo: false,
      canRemember: false,
      isRepeated: false,
      keysLeftOut: 0,
      ...request,
      hop,
      title: `${titles[request.kind]} ${hop}`,
    };
    const what = request.kind === 'repeatPassword' ? 'newPassword' : request.kind;
    const answer = await this.#ask(what, () => prompts.secret(question, signal));
    signal.throwIfAborted();
    return answer;
  }

  /** False unless a person said yes. Rejects when the attempt has ended meanwhile. */
  async confirm(question: ConfirmQuestion): Promise<boolean> {
    const { signal, prompts } = this.#options;
    const answer = await this.#ask('confirm', () => prompts.confirm(question, signal));
    signal.throwIfAborted();
    return answer;
  }

  /** Resolves true when the person cancels, false when `signal` or the attempt ends. */
  signing(notice: Omit<SigningNotice, 'hop'>, signal: AbortSignal): Promise<boolean> {
    const { hop, prompts } = this.#options;
    const until = AbortSignal.any([signal, this.#options.signal]);
    return this.#ask('signing', () => prompts.signing({ ...notice, hop }, until));
  }

  async #ask<T>(what: PromptKind, show: () => Promise<T>): Promise<T> {
    const { timer, onAsking, beforeAsking, signal } = this.#options;
    beforeAsking?.(what);
    signal.throwIfAborted();
    this.#open += 1;
    timer.pause();
    onAsking(what);
    try {
      return await show();
    } finally {
      this.#open -= 1;
      timer.resume();
      if (!isAborted(signal)) onAsking(undefined);
    }
  }
}

const titles: Readonly<Record<SecretQuestion['kind'], string>> = {
  password: 'Password for',
  passphrase: 'Passphrase for',
  keyboardInteractive: 'Sign-in to',
  newPassword: 'New password for',
  repeatPassword: 'New password again for',
};
