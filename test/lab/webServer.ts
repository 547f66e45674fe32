import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

export interface WebVisit {
  readonly url: string;
  /** Names and values one after the other, as they came. */
  readonly rawHeaders: readonly string[];
  /** The name in the handshake; undefined without one or without encryption. */
  readonly serverName: string | undefined;
}

export type WebAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** An HTTP server on 127.0.0.1, or an HTTPS one with a certificate. Whoever starts it stops it. */
export interface WebServer {
  readonly port: number;
  readonly visits: readonly WebVisit[];
  /** Connections that were opened, whatever came of them. */
  readonly connections: number;
  /** Resolves with the next request from now on. */
  nextVisit(): Promise<WebVisit>;
  /** Resolves with the next connection from now on. */
  nextConnection(): Promise<Socket>;
  stop(): Promise<void>;
}

/** `answers` by path; what is not there is a 404. */
export async function startWebServer(
  answers: Readonly<Record<string, WebAnswer>>,
  certificate?: { readonly key: string; readonly cert: string },
): Promise<WebServer> {
  const visits: WebVisit[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { url = '', rawHeaders, socket } = request;
    const visit = { url, rawHeaders, serverName: nameOf(socket) };
    visits.push(visit);
    server.emit('visit', visit);
    const answer = answers[url.split('?', 1)[0] ?? ''];
    if (answer === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not there');
    else answer(response, request);
  };
  const server: Server =
    certificate === undefined ? createServer(serve) : https.createServer(certificate, serve);
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    visits,
    get connections() {
      return connections;
    },
    nextVisit: async () => ((await once(server, 'visit')) as [WebVisit])[0],
    nextConnection: async () => ((await once(server, 'connection')) as [Socket])[0],
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function nameOf(socket: Socket): string | undefined {
  const name: unknown = 'servername' in socket ? (socket as TLSSocket).servername : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A whole answer at once. */
export function page(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): WebAnswer {
  return (response) => void response.writeHead(200, { 'Content-Type': 'text/plain', ...headers }).end(body);
}

export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): WebAnswer {
  return (response) => void response.writeHead(302, { Location: location, ...headers }).end();
}
