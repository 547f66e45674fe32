import { neverAborted } from '../../agentkit/index.ts';
import type { OptionalOperation } from '../../application/ports/remoteFiles.ts';
import { isTermindError, type TermindError } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { attributesCall, expected, extended, pathField, spaceCall, type Call } from './calls.ts';
import { hasEntries } from './listDirectory.ts';
import { largestDataLength, packetType, plainDataLength, statusCode } from './protocol.ts';
import { readNumbers, type Reply } from './replies.ts';
import type { SftpSession } from './sftpSession.ts';
import { codeOfStatus, RefusedRequest } from './statusFault.ts';
import { isNoDirectory, whyRefused, type FileRequest, type Probe } from './whyRefused.ts';

/** How much the server takes at a time. */
export interface DataLimits {
  read: number;
  write: number;
  open: number | undefined;
}

/** The requests of one session with faults for refusals. Whoever made the session closes it. */
export class FileRequests {
  readonly session: SftpSession;
  /** Announced, and not refused so far. */
  readonly operations: Set<OptionalOperation>;
  readonly limits: DataLimits = { read: plainDataLength, write: plainDataLength, open: undefined };
  readonly #onRefused: (operation: OptionalOperation) => void;

  constructor(
    session: SftpSession,
    operations: Set<OptionalOperation>,
    onRefused: (operation: OptionalOperation) => void,
  ) {
    this.session = session;
    this.operations = operations;
    this.#onRefused = onRefused;
  }

  /** Sends, reads the answer, and finds out why the server refused. Rejects as `RemoteFiles` says. */
  async ask<T>(about: FileRequest, call: Call<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.send(call, signal);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      throw await this.#refusal(about, error, signal);
    }
  }

  /** As `ask`; a refusal is a `RefusedRequest`. */
  async send<T>(call: Call<T>, signal: AbortSignal): Promise<T> {
    const reply = await this.session.request(call, signal);
    try {
      return call.read(reply);
    } catch (error) {
      if (error instanceof RangeError) throw this.session.broken(error.message);
      throw error;
    }
  }

  /** Refuses what the server lacks, and tells what it turns out to lack. */
  async optional<T>(operation: OptionalOperation, work: () => Promise<T>): Promise<T> {
    if (!this.operations.has(operation))
      throw fileError('unsupported', { operation }, { outcome: 'not-sent' });
    try {
      return await work();
    } catch (error) {
      if (isUnsupported(error) && this.operations.delete(operation)) this.#onRefused(operation);
      throw error;
    }
  }

  /**
   * A server that announces limits and does not tell them gets what every server takes. Never rejects, and is bounded: the session leaves
   * no request without an end.
   */
  async askLimits(): Promise<void> {
    if (!this.operations.has('limits')) return;
    const call = {
      ...extended('limits', []),
      isChange: false,
      read: (reply: Reply) => readNumbers(expected(reply, packetType.extendedReply), 4),
    };
    try {
      const [, read, write, open] = await this.send(call, neverAborted);
      this.limits.read = dataLength(read);
      this.limits.write = dataLength(write);
      this.limits.open = open === undefined || open === 0n || open > 0xffff_ffffn ? undefined : Number(open);
    } catch (error) {
      this.operations.delete('limits');
      if (error instanceof RefusedRequest && codeOfStatus(error.status) === 'unsupported')
        this.#onRefused('limits');
    }
  }

  /** Nobody waits for it. */
  closeHandle(handle: Buffer): void {
    const close = { type: packetType.close, fields: [sshString(handle)], isChange: false };
    this.session.request(close, neverAborted).catch(() => {});
  }

  async #refusal(about: FileRequest, refused: RefusedRequest, signal: AbortSignal): Promise<TermindError> {
    const { status } = refused;
    const facts = { path: showPath(about.path), operation: about.k };
    const code = codeOfStatus(status);
    const probe = this.#probe(signal);
    if (code === 'not-found' && (await isNoDirectory(about, probe)))
      return fileError('not-directory', facts, { cause: refused });
    if (code !== undefined) return fileError(code, facts, { cause: refused });
    // OpenSSH says so of names that are too long. With open files it would mean something else.
    if (status.code === statusCode.badMessage && about.k !== 'read' && about.k !== 'write')
      return fileError('bad-name', facts, { cause: refused });
    const fault = await whyRefused(about, probe);
    if (fault !== undefined) return faultError(fault, refused);
    const words = status.text.trim();
    const text = /^(?:failure)?$/i.test(words) ? {} : { text: showUntrusted(words) };
    return fileError('file-failed', { ...facts, ...text }, { cause: refused });
  }

  /** Questions whose refusals are not asked about. */
  #probe(signal: AbortSignal): Probe {
    const orNothing = <T>(call: Call<T>): Promise<T | undefined> =>
      this.send(call, signal).catch(() => undefined);
    return {
      stat: (path) => orNothing(attributesCall(packetType.stat, pathField(path))),
      lstat: (path) => orNothing(attributesCall(packetType.lstat, pathField(path))),
      space: async (path) => (this.operations.has('statvfs') ? orNothing(spaceCall(path)) : undefined),
      hasEntries: (path) => hasEntries(this, path, signal).catch(() => undefined),
    };
  }
}

export function isUnsupported(error: unknown): boolean {
  return isTermindError(error) && error.fault.code === 'unsupported';
}

function dataLength(limit: bigint | undefined): number {
  if (limit === undefined || limit === 0n) return plainDataLength;
  return limit > BigInt(largestDataLength) ? largestDataLength : Number(limit);
}
