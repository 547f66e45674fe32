import { spawn } from 'node:child_process';
import { duplexPair, type Duplex, type Readable, type Writable } from 'node:stream';

export const sftpServerProgram = '/usr/lib/openssh/sftp-server';

/** One packet without its length. `id` is what stands behind the type; of INIT and VERSION it is the version. */
export interface SftpPacket {
  readonly type: number;
  readonly id: number;
  readonly body: Buffer;
}

/** What stands between the client and OpenSSH's own server. Everything absent passes unchanged. */
export interface SftpScript {
  /** Sent before anything else. */
  readonly noise?: string | Buffer;
  /** Sends everything to the client in pieces of one byte. */
  readonly byteByByte?: boolean;
  /** What is sent to the server for a request; undefined: nothing. `answer` answers it without the server. */
  readonly onRequest?: (request: SftpPacket, answer: (reply: SftpPacket) => void) => SftpPacket | undefined;
  /** What is sent to the client for an answer, now; `send` sends later ones. */
  readonly onReply?: (
    reply: SftpPacket,
    request: SftpPacket,
    send: (bytes: Buffer) => void,
  ) => readonly SftpPacket[];
}

/** The client's end of a scripted session, and what went through it. */
export interface ScriptedSftp {
  readonly stream: Duplex;
  readonly requests: readonly SftpPacket[];
  /** Ends the server and both streams. */
  stop(): void;
}

export const sftpType = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  opendir: 11,
  readdir: 12,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
} as const;

/**
 * A real SFTP server with a script in between that may change, hold back, drop, repeat and invent packets. Whoever starts it stops it.
 */
export function startScriptedSftp(script: SftpScript = {}): ScriptedSftp {
  const [stream, far] = duplexPair();
  const served = serveScriptedSftp(far, script);
  const stop = (): void => {
    served.stop();
    stream.destroy(); // the two ends of a pair do not close each other in every Node
  };
  return { stream, requests: served.requests, stop };
}

/**
 * As `startScriptedSftp`, over a stream that is there: the channel of a server. `server`: the stream of another server in place of one of
 * its own, which then ends with it.
 */
export function serveScriptedSftp(
  far: Duplex,
  script: SftpScript,
  server: SftpUpstream = ownServer(),
): Omit<ScriptedSftp, 'stream'> {
  const requests: SftpPacket[] = [];
  const asked = new Map<number, SftpPacket>();
  const send = (bytes: Buffer): void => {
    if (far.destroyed || far.writableEnded) return;
    if (script.byteByByte !== true) far.write(bytes);
    else for (const byte of bytes) far.write(Buffer.from([byte]));
  };
  const stop = (): void => {
    server.stop();
    far.destroy();
  };
  far.on('error', () => {});
  server.stdin.on('error', () => {});
  if (script.noise !== undefined) send(Buffer.from(script.noise));
  const fromClient = packetReader((request) => {
    requests.push(request);
    asked.set(request.id, request);
    const passed =
      script.onRequest === undefined ? request : script.onRequest(request, (reply) => send(wire(reply)));
    if (passed !== undefined) server.stdin.write(wire(passed));
  });
  const fromServer = packetReader((reply) => {
    const request = asked.get(reply.id) ?? reply;
    const replies = script.onReply?.(reply, request, send) ?? [reply];
    for (const one of replies) send(wire(one));
  });
  far.on('data', fromClient);
  far.on('close', stop);
  far.on('end', () => server.stdin.end());
  server.stdout.on('data', fromServer);
  server.stdout.on('close', () => far.end());
  return { requests, stop };
}

/** A server that speaks SFTP. */
export interface SftpUpstream {
  readonly stdin: Writable;
  readonly stdout: Readable;
  stop(): void;
}

/** A channel of a real server as one. */
export function upstreamOf(channel: Duplex): SftpUpstream {
  channel.on('error', () => {});
  return { stdin: channel, stdout: channel, stop: () => channel.destroy() };
}

/** A server program of its own. */
export function ownServer(): SftpUpstream {
  const server = spawn(sftpServerProgram, [], { stdio: ['pipe', 'pipe', 'ignore'] });
  return { stdin: server.stdin, stdout: server.stdout, stop: () => void server.kill('SIGKILL') };
}

/** A request to open, of a client that does not say which mode a new file is to have. */
export function withoutAttributes(open: SftpPacket): SftpPacket {
  const end = 4 + open.body.readUInt32BE(0) + 4;
  return { ...open, body: Buffer.concat([open.body.subarray(0, end), Buffer.alloc(4)]) };
}

export function wire({ type, id, body }: SftpPacket): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32BE(5 + body.length, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, body]);
}

export function status(id: number, code: number, text = ''): SftpPacket {
  return { type: sftpType.status, id, body: Buffer.concat([number(code), string(text), string('')]) };
}

/** A NAME answer whose entries have these bytes as names and nothing known about them. */
export function names(id: number, entries: readonly Buffer[]): SftpPacket {
  const files = entries.flatMap((name) => [string(name), string(name), number(0)]);
  return { type: sftpType.name, id, body: Buffer.concat([number(entries.length), ...files]) };
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

export function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([number(bytes.length), bytes]);
}

/** A VERSION answer that announces nothing. */
export function withoutExtensions(reply: SftpPacket): SftpPacket {
  return reply.type === sftpType.version ? { ...reply, body: Buffer.alloc(0) } : reply;
}

function packetReader(onPacket: (packet: SftpPacket) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const packet = held.subarray(4, 4 + held.readUInt32BE(0));
      held = held.subarray(4 + packet.length);
      onPacket({
        type: packet.readUInt8(0),
        id: packet.readUInt32BE(1),
        body: Buffer.from(packet.subarray(5)),
      });
    }
  };
}

/** A VERSION answer that does not announce one extension. */
export function withoutExtension(reply: SftpPacket, name: string): SftpPacket {
  if (reply.type !== sftpType.version) return reply;
  const kept: Buffer[] = [];
  for (let at = 0; at < reply.body.length;) {
    const nameEnd = at + 4 + reply.body.readUInt32BE(at);
    const end = nameEnd + 4 + reply.body.readUInt32BE(nameEnd);
    if (reply.body.toString('latin1', at + 4, nameEnd) !== name) kept.push(reply.body.subarray(at, end));
    at = end;
  }
  return { ...reply, body: Buffer.concat(kept) };
}
