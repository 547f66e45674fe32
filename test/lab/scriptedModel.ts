import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ChatRequest } from './chatCompletions.ts';
import { onProcessEnd } from './cleanUp.ts';
import {
  tokenFigures,
  type ModelAnswer,
  type PostedConversation,
  type TokenFigures,
} from './modelConversation.ts';
import { plainResponse, play, streamResponse, type ScriptedResponse } from './scriptedResponse.ts';
import { chatWire } from './wires/chatWire.ts';
import type { Wire } from './wires/wire.ts';

/** One posted request that kept all rules. */
export interface RecordedRequest<Body = ChatRequest> {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The body as it arrived, and parsed. */
  readonly raw: string;
  readonly body: Body;
  readonly conversation: PostedConversation;
  /** `answered` when the client took the whole answer, `broken` when either side ended the connection before. */
  readonly ended: Promise<'answered' | 'broken'>;
}

/** What one request gets. A function sees the request first. */
export type Script<Body = ChatRequest> =
  ScriptedResponse | ((request: RecordedRequest<Body>) => ScriptedResponse);

export interface ScriptedModelOptions<Body = ChatRequest> {
  /** A free one when absent. */
  readonly port?: number;
  /** Answers in order, one a request. */
  readonly script?: readonly Script<Body>[];
  /** Answers what the script has no answer for. */
  readonly brain?: (conversation: PostedConversation) => ModelAnswer;
  /**
   * How every conversation is named. Requests for a title are no part of the script and are not recorded; without this they get 404,
   * as from a server that knows no such model.
   */
  readonly title?: string;
  /** Wait in front of each piece of a brain's answer. */
  readonly pauseMs?: number;
  /** Requests without this key get 401. Any key, or none, is taken when absent. */
  readonly apiKey?: string;
  /** Names for the list of models; `['lab-1']` when absent. */
  readonly models?: readonly string[];
}

/** A model server on 127.0.0.1 that speaks one streamed protocol. Whoever starts it stops it. */
export interface ScriptedModel<Body = ChatRequest> {
  readonly port: number;
  /** For a provider, with the version of the protocol: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  /** Every request that kept the rules, oldest first. */
  readonly requests: readonly RecordedRequest<Body>[];
  /** Why requests were refused with 400; also one for each request that had no answer left. */
  readonly violations: readonly string[];
  /** Adds answers behind those that are left. */
  enqueue(...answers: readonly Script<Body>[]): void;
  /** Resolves with the request number `count` (the first is 1), past or future; rejects after 10 s. */
  request(count: number, deadlineMs?: number): Promise<RecordedRequest<Body>>;
  stop(): Promise<void>;
}

/** Starts a server of the Chat Completions wire. Rejects when `port` is in use. */
export function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  return startModelServer(chatWire, options);
}

/** The same for another wire. */
export async function startModelServer<Body>(
  wire: Wire<Body>,
  options: ScriptedModelOptions<Body> = {},
): Promise<ScriptedModel<Body>> {
  const model = new ModelServer(wire, options);
  await model.listen();
  return model;
}

class ModelServer<Body> implements ScriptedModel<Body> {
  readonly requests: RecordedRequest<Body>[] = [];
  readonly violations: string[] = [];
  readonly #wire: Wire<Body>;
  readonly #options: ScriptedModelOptions<Body>;
  readonly #script: Script<Body>[];
  readonly #watchers = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      this.violations.push(`the lab failed: ${String(error)}`);
      response.destroy();
    });
  });
  #takeBack = (): void => {};

  constructor(wire: Wire<Body>, options: ScriptedModelOptions<Body>) {
    this.#wire = wire;
    this.#options = options;
    this.#script = [...(options.script ?? [])];
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The model server does not listen.');
    return address.port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}${this.#wire.basePath}`;
  }

  async listen(): Promise<void> {
    const { port } = this.#options;
    this.#server.listen(port ?? 0, '127.0.0.1');
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      throw new Error(`Port ${port ?? 0} on 127.0.0.1 cannot be had for the model server.`, { cause });
    }
    this.#takeBack = onProcessEnd(() => this.#server.closeAllConnections());
  }

  enqueue(...answers: readonly Script<Body>[]): void {
    this.#script.push(...answers);
  }

  request(count: number, deadlineMs = 45_000): Promise<RecordedRequest<Body>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.requests[count - 1];
        if (found === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        const seen = `${this.requests.length} came. Refused: ${this.violations.join('; ') || 'none'}`;
        reject(new Error(`Request ${count} did not come within ${deadlineMs} ms; ${seen}.`));
      }, deadlineMs);
      this.#watchers.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    this.#takeBack();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.socket.setNoDelay(true);
    const wire = this.#wire;
    const path = request.url ?? '';
    const { apiKey } = this.#options;
    if (apiKey !== undefined && wire.keyOf(request.headers) !== apiKey)
      return play(wire.error(401, 'Incorrect API key provided.'), response);
    if (request.method === 'GET' && path === '/v1/models') return play(this.#modelList(), response);
    if (request.method !== 'POST' || !wire.isRequest(path))
      return play(wire.error(404, `Unknown request URL: ${request.method ?? ''} ${path}`), response);
    const raw = (await buffer(request)).toString();
    const checked = wire.check(parse(raw));
    if (!checked.ok) {
      this.violations.push(...checked.violations);
      return play(wire.error(400, checked.violations.join('; ')), response);
    }
    const { request: body } = checked;
    const conversation = wire.read(body, path);
    if (asksForTitle(conversation)) return play(this.#title(), response);
    const recorded: RecordedRequest<Body> = {
      path,
      headers: request.headers,
      raw,
      body,
      conversation,
      ended: new Promise((resolve) => {
        response.once('close', () => resolve(response.writableFinished ? 'answered' : 'broken'));
      }),
    };
    this.requests.push(recorded);
    for (const look of [...this.#watchers]) look();
    await play(this.#next(recorded), response);
  }

  #next(request: RecordedRequest<Body>): ScriptedResponse {
    const script = this.#script.shift();
    if (script !== undefined) return typeof script === 'function' ? script(request) : script;
    const { brain, pauseMs } = this.#options;
    if (brain === undefined) {
      this.violations.push(`request ${this.requests.length} has no answer left in the script`);
      return this.#wire.error(500, 'The script has no answer left.');
    }
    const answer = brain(request.conversation);
    const turn = request.conversation.messages.filter(({ role }) => role === 'assistant').length + 1;
    const events = this.#wire.answer(answer, { turn, figures: this.#figures(request, answer) });
    return streamResponse(events, pauseMs === undefined ? {} : { pauseMs });
  }

  #figures(request: RecordedRequest<Body>, answer: ModelAnswer): TokenFigures {
    const before = this.requests.at(-2);
    return tokenFigures({
      posted: JSON.stringify(request.conversation.messages),
      postedBefore: before === undefined ? '' : JSON.stringify(before.conversation.messages),
      answered: JSON.stringify(answer),
    });
  }

  #title(): ScriptedResponse {
    const { title } = this.#options;
    if (title === undefined) return this.#wire.error(404, 'This model names no conversations.');
    return streamResponse(this.#wire.answer({ text: JSON.stringify({ title }) }, { turn: 1 }));
  }

  #modelList(): ScriptedResponse {
    const data = (this.#options.models ?? ['lab-1']).map((id) => ({
      id,
      object: 'model',
      created: 1_735_689_600,
      owned_by: 'termind-lab',
    }));
    return plainResponse(200, { object: 'list', data });
  }
}

function asksForTitle({ messages: [first] }: PostedConversation): boolean {
  return first?.role === 'system' && first.text.startsWith('You name a conversation');
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
