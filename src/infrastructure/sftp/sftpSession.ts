import type { Duplex } from 'node:stream';
import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import { isTermindError, type Fault, type TermindError } from '../../domain/fault.ts';
import { fileFault } from '../../domain/files/fileFault.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { noiseIn } from './noise.ts';
import { PacketSplitter } from './packetSplitter.ts';
import { packetType, protocolVersion } from './protocol.ts';
import { readVersion, type Reply } from './replies.ts';
import { initBytes, requestPieces } from './requests.ts';
import { SlicedWrites } from './slicedWrites.ts';
import { withoutAnswer } from './withoutAnswer.ts';

/** How long nothing at all may arrive while something is asked for. Source: ssh.md 8.1. */
const silenceMs = 30_000;
/** The same while the server writes to its disk or copies by itself, which it does without a word. */
const longSilenceMs = 300_000;
/** A request that is this old while so many later ones were answered is not going to be. */
const overtakenMs = 120_000;
const overtakenBy = 64;

export interface SessionRequest {
  readonly type: number;
  readonly fields: readonly Uint8Array[];
  /** It changes something, so without an answer its outcome is unknown. */
  readonly isChange: boolean;
  /** The server may be silent for long before it answers. */
  readonly isLong?: boolean;
  /** Gets the answer of a request whose caller has stopped waiting. */
  readonly onLate?: (reply: Reply) => void;
}

interface Pending {
  readonly request: SessionRequest;
  readonly sentAt: number;
  settle: ((outcome: { readonly reply: Reply } | { readonly fault: Fault }) => void) | undefined;
}

/**
 * Requests and answers of SFTP over one stream, matched by id in any order. An answer to a request that has been answered is ignored;
 * one to a request that was never made ends the session, and so do whatever else is no SFTP and a silence of 30 seconds while something
 * is pending. It owns the stream and destroys it at its end. Whoever makes one closes it. Source: ssh.md 8.1.
 */
export class SftpSession {
  readonly ended: Promise<Fault>;
  readonly #stream: Duplex;
  readonly #clock: ClockPort;
  readonly #splitter: PacketSplitter;
  readonly #writes: SlicedWrites;
  readonly #pending = new Map<number, Pending>();
  #tellEnded: (fault: Fault) => void = () => {};
  #tellVersion: (packet: Buffer) => void = () => {};
  #fault: Fault | undefined;
  #hasBegun = false;
  #nextId = 0;
  #lastAnswered = 0;
  /** Since when nothing has arrived although something was pending. */
  #quietSince = 0;
  #timer: Disposable | undefined;

  constructor(stream: Duplex, clock: ClockPort) {
    this.#stream = stream;
    this.#clock = clock;
    this.#writes = new SlicedWrites(stream);
    this.ended = new Promise((resolve) => (this.#tellEnded = resolve));
    this.#splitter = new PacketSplitter(
      (packet) => this.#received(packet),
      (length, bytes) => this.#badLength(length, bytes),
    );
    const overBy = (reason: string) => (): void => this.#end(fileFault('sftp-ended', { reason }));
    stream.on('error', (error: unknown) => this.#end(faultOf(error)));
    stream.on('end', overBy('it closed its channel'));
    stream.on('close', overBy('its channel was closed'));
    stream.on('data', (chunk: Buffer) => {
      this.#quietSince = clock.monotonic();
      this.#splitter.push(chunk);
    });
    stream.resume(); // whoever read it before may have left it paused
    if (stream.destroyed || stream.readableEnded) overBy('its channel was closed')();
  }

  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Agrees on the version; resolves with the server's extensions. Called once, before anything else. */
  async begin(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const version = new Promise<Buffer>((resolve) => (this.#tellVersion = resolve));
    this.#quietSince = this.#clock.monotonic();
    this.#watch();
    const onAbort = (): void => this.#end(fileFault('cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) onAbort();
      else this.#writes.write(initBytes(protocolVersion));
      const packet = await Promise.race([version, this.ended]);
      if (!Buffer.isBuffer(packet)) throw faultError(packet);
      return this.#extensionsOf(packet);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The answer, whatever it is. Rejects as `RemoteFiles` says. */
  request(request: SessionRequest, signal: AbortSignal): Promise<Reply> {
    if (this.#fault !== undefined) return Promise.reject(faultError({ ...this.#fault, outcome: 'not-sent' }));
    if (signal.aborted) return Promise.reject(faultError(fileFault('cancelled', {}, 'not-sent')));
    const id = this.#nextId;
    this.#nextId = (id + 1) >>> 0;
    const now = this.#clock.monotonic();
    if (this.#pending.size === 0) this.#quietSince = now;
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        request,
        sentAt: now,
        settle: (outcome) => {
          pending.settle = undefined;
          signal.removeEventListener('abort', onAbort);
          if ('reply' in outcome) resolve(outcome.reply);
          else reject(faultError(outcome.fault));
        },
      };
      const onAbort = (): void =>
        pending.settle?.({ fault: fileFault('cancelled', {}, request.isChange ? 'unknown' : 'failed') });
      signal.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, pending);
      for (const piece of requestPieces(request.type, id, request.fields)) this.#writes.write(piece);
      this.#watch();
    });
  }

  /** What arrived is not what the protocol allows. */
  broken(reason: string): TermindError {
    const fault = fileFault('sftp-broken', { reason: showUntrusted(reason) });
    this.#end(fault);
    return faultError(fault);
  }

  close(): void {
    this.#end(fileFault('cancelled'));
  }

  #extensionsOf(packet: Buffer): ReadonlyMap<string, string> {
    let answer: ReturnType<typeof readVersion>;
    try {
      answer = readVersion(packet);
    } catch (error) {
      throw this.broken(reasonOf(error));
    }
    if (answer.version < protocolVersion)
      throw this.broken(`it speaks only version ${String(answer.version)} of SFTP`);
    return answer.extensions;
  }

  #received(packet: Buffer): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return this.#tellVersion(packet);
    }
    if (packet[0] === packetType.version) return; // told twice; it answers nothing
    if (packet.length < 5) return void this.broken('an answer without an id');
    const id = packet.readUInt32BE(1);
    const pending = this.#pending.get(id);
    if (pending === undefined) {
      if ((this.#nextId - id - 1) >>> 0 >= 0x8000_0000)
        this.broken('an answer to a request that was not made');
      return;
    }
    this.#pending.delete(id);
    this.#lastAnswered = id;
    const reply: Reply = { type: packet.readUInt8(0), fields: packet.subarray(5) };
    if (pending.settle === undefined) pending.request.onLate?.(reply);
    else pending.settle({ reply });
    if (this.#pending.size === 0) this.#rest();
  }

  #badLength(length: number, bytes: Buffer): void {
    const text = this.#hasBegun ? undefined : noiseIn(bytes);
    if (text !== undefined) return this.#end(fileFault('sftp-noise', { text }));
    this.broken(`it announced a packet of ${String(length)} bytes`);
  }

  /** One timer while something is pending; each request only notes its time. */
  #watch(): void {
    if (this.#timer !== undefined || this.#fault !== undefined) return;
    const quiet = this.#clock.monotonic() - this.#quietSince;
    this.#timer = this.#clock.after(Math.max(0, Math.min(this.#limit() - quiet, silenceMs)), () => {
      this.#timer = undefined;
      this.#check();
    });
  }

  #check(): void {
    if (this.#hasBegun && this.#pending.size === 0) return;
    const now = this.#clock.monotonic();
    if (now - this.#quietSince >= this.#limit()) return this.#end(fileFault('stalled'));
    for (const [id, pending] of this.#pending)
      if (now - pending.sentAt >= overtakenMs && isBehind(id, this.#lastAnswered))
        pending.settle?.({
          fault: withoutAnswer(
            fileFault('sftp-broken', { reason: 'it left a request unanswered' }),
            pending.request,
          ),
        });
    this.#watch();
  }

  #limit(): number {
    for (const { request } of this.#pending.values()) if (request.isLong === true) return longSilenceMs;
    return silenceMs;
  }

  #rest(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #end(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#rest();
    this.#splitter.stop();
    this.#writes.stop();
    this.#stream.destroy();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const one of pending) one.settle?.({ fault: withoutAnswer(fault, one.request) });
    this.#tellEnded(fault);
  }
}

/** Whether so many ids lie between them that an answer to the earlier one is not to be expected. Ids begin anew after 2^32. */
function isBehind(id: number, answered: number): boolean {
  const distance = (answered - id) >>> 0;
  return distance >= overtakenBy && distance < 0x8000_0000;
}

function faultOf(error: unknown): Fault {
  if (isTermindError(error)) return error.fault;
  return fileFault('sftp-ended', { reason: showUntrusted(reasonOf(error)) });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
