import type { Disposable } from '../../agentkit/index.ts';
import { pasteEnd, pasteStart, readPaste, type Paste } from '../../domain/terminal/paste.ts';
import type { TerminalSession } from './terminalSession.ts';

/** A paste while it is being sent. */
export interface PasteProgress {
  sent(bytes: number): void;
  /** It is over, in whatever way. */
  done(): void;
}

export interface TerminalInputOptions {
  readonly session: Pick<TerminalSession, 'input' | 'paste' | 'shell'>;
  /** Whether a person has to see this one first. One that cannot be decided has to be seen. */
  readonly mustAsk: (paste: Paste) => Promise<boolean>;
  /** True only when the person wants it sent. */
  readonly ask: (paste: Paste) => Promise<boolean>;
  /** A paste begins to be sent; `cancel` ends it. */
  readonly showProgress: (paste: Paste, cancel: () => void) => PasteProgress;
}

const interrupt = '\x03';
/** What is smaller goes out like a key. Source: ssh.md 7.5. */
const pieceLength = 1024;

/**
 * What a person gives to a terminal, in order: keys at once, a paste when its question is answered, to the shell that it was meant for
 * and in pieces. Nothing of a paste is sent before the answer; without one it is dropped. Keys that come meanwhile wait for it, and
 * Ctrl+C ends one that is being sent. Source: ssh.md 7.5.
 */
export class TerminalInput implements Disposable {
  readonly #options: TerminalInputOptions;
  readonly #queue: Given[] = [];
  #isBusy = false;
  #sending: AbortController | undefined;
  #isDisposed = false;

  constructor(options: TerminalInputOptions) {
    this.#options = options;
  }

  /** What the editor hands over at once. */
  handle(data: string): void {
    if (this.#isDisposed) return;
    if (data === interrupt) this.#sending?.abort();
    const { shell } = this.#options.session;
    if (shell === undefined) return;
    this.#queue.push({ shell, what: readPaste(data) ?? data });
    if (!this.#isBusy) void this.#run();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#queue.length = 0;
    this.#sending?.abort();
  }

  /** Keys leave in the turn they came in while nothing waits. */
  async #run(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
      if (typeof next.what === 'string') this.#type(next.what, next.shell);
      else await this.#deal(next.what, next.shell);
    this.#isBusy = false;
  }

  #type(keys: string, shell: object): void {
    const { session } = this.#options;
    if (session.shell === shell) session.input(keys);
  }

  async #deal(paste: Paste, shell: object): Promise<void> {
    const { session } = this.#options;
    if (!(await this.#isWanted(paste)) || this.#isDisposed) return;
    if (paste.text.length <= pieceLength) return this.#type(written(paste), shell);
    const sending = new AbortController();
    this.#sending = sending;
    const progress = this.#options.showProgress(paste, () => sending.abort());
    await session.paste(paste, { shell, onSent: (bytes) => progress.sent(bytes) }, sending.signal);
    this.#sending = undefined;
    progress.done();
  }

  async #isWanted(paste: Paste): Promise<boolean> {
    const { mustAsk, ask } = this.#options;
    const isAsked = await mustAsk(paste).catch(() => true);
    return !isAsked || (await ask(paste).catch(() => false));
  }
}

/** Keys or a paste, and the shell that was open when they came. */
interface Given {
  readonly shell: object;
  readonly what: string | Paste;
}

function written({ text, isBracketed }: Paste): string {
  return isBracketed ? `${pasteStart}${text}${pasteEnd}` : text;
}
