import { isAborted } from '../../agentkit/index.ts';
import type { PromptKind } from '../../application/ports/connection.ts';
import type { ConnectionPromptPort } from '../../application/ports/prompts.ts';
import type { StageTimer } from './stageTimer.ts';

export interface AttemptPromptsOptions {
  readonly prompts: ConnectionPromptPort;
  readonly timer: StageTimer;
  readonly hop: string;
  /** Ends with the attempt; an open question closes then. */
  readonly signal: AbortSignal;
  readonly onAsking: (what: PromptKind | undefined) => void;
}

/** What a person typed. */
export interface TypedSecret {
  readonly text: string;
  readonly remember: boolean;
}

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
  async secret(question: {
    readonly kind: 'password' | 'passphrase' | 'keyboardInteractive';
    readonly prompt: string;
    readonly echo: boolean;
    readonly canRemember: boolean;
  }): Promise<TypedSecret | undefined> {
    const { hop, signal } = this.#options;
    const title = `${titles[question.kind]} ${hop}`;
    const answer = await this.#ask(question.kind, () =>
      this.#options.prompts.secret({ ...question, hop, title }, signal),
    );
    signal.throwIfAborted();
    return answer;
  }

  async #ask<T>(what: PromptKind, show: () => Promise<T>): Promise<T> {
    const { timer, onAsking, signal } = this.#options;
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

const titles = {
  password: 'Password for',
  passphrase: 'Passphrase for',
  keyboardInteractive: 'Sign-in to',
} as const;
