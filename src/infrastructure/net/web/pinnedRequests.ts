import { ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  abortReason,
  quoteForeign,
  untilAborted,
  WebError,
  webLimits,
  type ClockPort,
  type Disposable,
  type WebHeader,
  type WebRequest,
  type WebRequestPort,
  type WebResponse,
} from '../../../agentkit/index.ts';
import { errorCode } from '../errorCode.ts';
import { openSocket, type OpenSocket } from './openSocket.ts';
import { acceptedEncodings, unpackBody } from './unpackBody.ts';

/** Said unless a header of the caller's own says otherwise. */
const usualHeaders: readonly WebHeader[] = [
  {
    name: 'Accept',
    value: 'text/html, application/xhtml+xml, text/*, application/json, application/xml, */*;q=0.5',
  },
  { name: 'Accept-Encoding', value: acceptedEncodings },
  { name: 'User-Agent', value: 'Termind' },
];

/**
 * Requests over sockets of our own, so that nothing between can choose another address: the editor sends whatever goes through
 * `http.request` or an agent to the proxy of its settings. Source: agent runtime contract, section 19.
 */
export class PinnedRequests implements WebRequestPort {
  readonly #clock: ClockPort;
  readonly #open: OpenSocket;

  constructor(clock: ClockPort, open: OpenSocket = openSocket) {
    this.#clock = clock;
    this.#open = open;
  }

  async get(request: WebRequest, signal: AbortSignal): Promise<WebResponse> {
    const url = new URL(request.url);
    const exchange = new Exchange(url.hostname, { clock: this.#clock, totalMs: request.totalMs }, signal);
    try {
      const { addresses } = request;
      const socket = await exchange.connect((ended) => this.#open({ url, addresses }, ended));
      return await exchange.send(url, headersOf(url, request.headers), socket);
    } catch (error) {
      exchange.dispose();
      throw exchange.fault(error);
    }
  }
}

/** By lower-case name; own headers take the place of the usual ones. */
function headersOf(url: URL, own: readonly WebHeader[]): Record<string, string[]> {
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  const usual = usualHeaders.filter(({ name }) => !names.has(name.toLowerCase()));
  const headers: Record<string, string[]> = { Host: [url.host] };
  for (const { name, value } of [...usual, ...own]) {
    const known = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
    headers[known] = [...(headers[known] ?? []), value];
  }
  return headers;
}

/** One request from the first packet to the last byte, with its three clocks. Disposing ends it and closes the connection. */
class Exchange implements Disposable {
  readonly #host: string;
  readonly #clock: ClockPort;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #total: Disposable;
  #idle: Disposable | undefined;
  #socket: Socket | undefined;
  #request: ClientRequest | undefined;

  constructor(
    host: string,
    time: { readonly clock: ClockPort; readonly totalMs: number },
    signal: AbortSignal,
  ) {
    this.#host = host;
    this.#clock = time.clock;
    this.#signal = AbortSignal.any([signal, this.#end.signal]);
    this.#total = this.#limit(time.totalMs, `${seconds(webLimits.totalMs)} were over`);
  }

  async connect(open: (ended: AbortSignal) => Promise<Socket>): Promise<Socket> {
    const timer = this.#limit(webLimits.connectMs, `no connection within ${seconds(webLimits.connectMs)}`);
    try {
      this.#socket = await open(this.#signal);
      return this.#socket;
    } finally {
      timer.dispose();
    }
  }

  /** Resolves with the head of the answer. */
  async send(url: URL, headers: Record<string, string[]>, socket: Socket): Promise<WebResponse> {
    this.#heard();
    socket.on('data', () => this.#heard());
    const request = new ClientRequest({
      // Encryption is the socket's affair.
      protocol: 'http:',
      method: 'GET',
      host: url.hostname,
      path: `${url.pathname}${url.search}`,
      headers,
      setHost: false,
      createConnection: () => socket,
    });
    this.#request = request;
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject);
    });
    request.end();
    return this.#response(await untilAborted(answered, this.#signal));
  }

  dispose(): void {
    this.#idle?.dispose();
    this.#total.dispose();
    this.#request?.destroy();
    this.#socket?.destroy();
  }

  /** What went wrong in words of ours: our own clocks, the caller's signal, or what the system or the server did. */
  fault(error: unknown): Error {
    if (this.#signal.aborted) return abortReason(this.#signal);
    if (error instanceof WebError) return error;
    const reason =
      failures[errorCode(error)] ?? quoteForeign(error instanceof Error ? error.message : String(error));
    return new WebError('connectionFailed', { host: this.#host, reason }, error);
  }

  #response(message: IncomingMessage): WebResponse {
    message.on('error', () => {});
    return {
      status: message.statusCode ?? 0,
      header: (name) => {
        const value = message.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
      body: async (signal) => {
        try {
          return await this.#body(message, signal);
        } catch (error) {
          throw signal.aborted ? abortReason(signal) : this.fault(error);
        } finally {
          this.dispose();
        }
      },
      dispose: () => this.dispose(),
    };
  }

  async #body(message: IncomingMessage, signal: AbortSignal): Promise<Uint8Array> {
    const max = webLimits.bodyBytes;
    const tooLarge = (): WebError => new WebError('tooLarge', { limit: String(max) });
    if (Number(message.headers['content-length'] ?? 0) > max) throw tooLarge();
    const either = AbortSignal.any([signal, this.#signal]);
    const stop = (): void => void message.destroy(abortReason(either));
    either.addEventListener('abort', stop, { once: true });
    try {
      if (either.aborted) throw abortReason(either);
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of message as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        if (length > max) throw tooLarge();
        chunks.push(chunk);
      }
      if (!message.complete) throw new Error('the answer broke off');
      this.#idle?.dispose();
      const packed = Buffer.concat(chunks, length);
      return await untilAborted(unpackBody(packed, message.headers['content-encoding'], max), either);
    } finally {
      either.removeEventListener('abort', stop);
    }
  }

  /** Something arrived, or is expected from now on. */
  #heard(): void {
    this.#idle?.dispose();
    this.#idle = this.#limit(webLimits.idleMs, `nothing arrived for ${seconds(webLimits.idleMs)}`);
  }

  #limit(delayMs: number, limit: string): Disposable {
    return this.#clock.after(delayMs, () =>
      this.#end.abort(new WebError('timedOut', { host: this.#host, limit })),
    );
  }
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection attempt got no answer',
  EPIPE: 'the connection was cut',
};

function seconds(ms: number): string {
  return `${ms / 1_000} seconds`;
}
