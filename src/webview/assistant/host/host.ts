import {
  limits,
  protocolVersion,
  type FromWebview,
  type Refusal,
  type ReplyValue,
  type ToWebview,
} from '../protocol.ts';

/** What the editor gives a webview, once. */
export interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** Why a request was not done. `text` is localised; undefined when no answer came in time. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly why: Refusal | 'timedOut';
  readonly text: string | undefined;

  constructor(why: Refusal | 'timedOut', text?: string) {
    super(why);
    this.why = why;
    this.text = text;
  }
}

type Request = Extract<FromWebview, { requestId: number }>;
type WithoutId<T> = T extends Request ? Omit<T, 'requestId'> : never;

interface Pending {
  readonly resolve: (value: ReplyValue) => void;
  readonly reject: (failure: RequestFailure) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export interface HostListener {
  /** Everything but pings, and replies, which their requests get. A page reply comes here first, in its place of the sequence. */
  onMessage(message: Exclude<ToWebview, { kind: 'ping' | 'reply' | 'refused' }>): void;
  onPage(page: Extract<ReplyValue, { kind: 'page' }>): void;
}

/** The extension host as the page sees it: says hello, answers pings, keeps track of requests. */
export class Host {
  readonly #api: EditorApi;
  readonly #listener: HostListener;
  readonly #pending = new Map<number, Pending>();
  #lastRequest = 0;

  constructor(api: EditorApi, listener: HostListener) {
    this.#api = api;
    this.#listener = listener;
  }

  hello(): void {
    this.send({ kind: 'hello', protocol: protocolVersion });
  }

  /** A message without an answer. */
  send(message: Exclude<FromWebview, Request>): void {
    this.#api.postMessage(message);
  }

  /** Resolves with the answer; rejects with a `RequestFailure`, after `limits.requestTimeoutMs` at the latest. */
  request(message: WithoutId<Request>): Promise<ReplyValue> {
    this.#lastRequest += 1;
    const requestId = this.#lastRequest;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(requestId);
        reject(new RequestFailure('timedOut'));
      }, limits.requestTimeoutMs);
      this.#pending.set(requestId, { resolve, reject, timer });
      this.#api.postMessage({ ...message, requestId });
    });
  }

  /** Takes one message of the extension host. */
  take(message: ToWebview): void {
    switch (message.kind) {
      case 'ping':
        return this.send({ kind: 'pong', n: message.n });
      case 'reply':
        if (message.value.kind === 'page') this.#listener.onPage(message.value);
        return this.#settle(message.requestId)?.resolve(message.value);
      case 'refused':
        return this.#settle(message.requestId)?.reject(new RequestFailure(message.why, message.text));
      case 'frame':
      case 'delta':
      case 'focusComposer':
      case 'focusPinned':
        return this.#listener.onMessage(message);
    }
  }

  #settle(requestId: number): Pending | undefined {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (pending !== undefined) clearTimeout(pending.timer);
    return pending;
  }
}
