import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable } from '../lifetime.ts';

/** Source: decisions 4. */
export const spoolBytes = 8 * 1_024 * 1_024;
/** More than this waiting to be written holds the source back. */
const mostWaitingBytes = 1_048_576;
const batchBytes = 524_288;

export interface SpooledText {
  /** Whole lines, up to the asked end. */
  readonly bytes: Buffer;
  /** Overwritten, in front of them. */
  readonly missingBytes: number;
}

/**
 * The last 8 MiB of one command's redacted output, in a private file outside scratch. A ring: what is older is overwritten. The file
 * has no name where the system allows that, so that a killed process leaves none. Whoever creates it disposes it.
 * Source: agent runtime contract, section 9; decisions 4.
 */
export class Spool implements Disposable {
  readonly #folder: string;
  readonly #capacity: number;
  readonly #batch: Buffer;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #acceptedBytes = 0;
  #writtenBytes = 0;
  #file: FileHandle | undefined;
  #filePath: string | undefined;
  #isBroken = false;
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();
  #writing: Promise<void> | undefined;

  constructor(folder: string, capacity = spoolBytes) {
    this.#folder = folder;
    // One more, so that the byte in front of the last `capacity` tells whether a line starts there.
    this.#capacity = capacity + 1;
    this.#batch = Buffer.allocUnsafeSlow(Math.min(capacity, batchBytes));
  }

  /** How much was accepted so far: an end for `read`. */
  get end(): number {
    return this.#acceptedBytes;
  }

  /** Takes the bytes over. A promise = hold the source back until it resolves. Never fails: a refused write shows in `read`. */
  write(bytes: Buffer): Promise<void> | undefined {
    if (this.#isClosed) return undefined;
    this.#acceptedBytes += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#enqueue(() => this.#writeWaiting());
    return this.#waitingBytes > mostWaitingBytes ? this.#writing : undefined;
  }

  /** What is still held of the text up to `end`. Undefined when the disk refused a part of it, and behind `dispose`. */
  async read(end: number): Promise<SpooledText | undefined> {
    let spooled: SpooledText | undefined;
    const read = async (): Promise<void> => {
      if (this.#isBroken || this.#isClosed) return;
      const start = Math.max(0, this.#writtenBytes - this.#capacity);
      const held = Buffer.alloc(Math.max(0, end - start));
      await this.#eachPart(start, held, (part, position) => readPart(this.#file, part, position));
      const bytes = start === 0 ? held : held.subarray(held.indexOf(0x0a) + 1 || held.length);
      spooled = { bytes, missingBytes: end - bytes.length };
    };
    await this.#enqueue(read).catch(() => (this.#isBroken = true));
    return spooled;
  }

  dispose(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    void this.#enqueue(async () => {
      await this.#file?.close();
      if (this.#filePath !== undefined) await unlink(this.#filePath);
    }).catch(() => undefined);
  }

  /** One piece of work at a time; what fails leaves the next ones going. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #writeWaiting(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#isBroken) {
        this.#file ??= await this.#create();
        if (this.#isClosed) break;
        const batch = this.#takeBatch();
        await this.#eachPart(this.#writtenBytes, batch, (part, position) =>
          writePart(this.#file, part, position),
        );
        this.#writtenBytes += batch.length;
        this.#waitingBytes -= batch.length;
      }
    } catch {
      this.#isBroken = true;
    }
    if (this.#isBroken) this.#waiting = [];
    if (this.#isBroken) this.#waitingBytes = 0;
    this.#writing = undefined;
  }

  /** As much of what waits as the one batch buffer holds, so that a long stream allocates nothing. */
  #takeBatch(): Buffer {
    let length = 0;
    let taken = 0;
    for (const next of this.#waiting) {
      const copied = next.copy(this.#batch, length);
      length += copied;
      if (copied < next.length) {
        this.#waiting[taken] = next.subarray(copied);
        break;
      }
      taken++;
    }
    this.#waiting.splice(0, taken);
    return this.#batch.subarray(0, length);
  }

  /** A stretch of the text as the one or two stretches of the file that hold it. */
  async #eachPart(
    offset: number,
    bytes: Buffer,
    act: (part: Buffer, position: number) => Promise<void>,
  ): Promise<void> {
    const position = offset % this.#capacity;
    const untilWrap = Math.min(bytes.length, this.#capacity - position);
    await act(bytes.subarray(0, untilWrap), position);
    if (untilWrap < bytes.length) await act(bytes.subarray(untilWrap), 0);
  }

  async #create(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, randomUUID());
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    if (process.platform === 'win32') {
      this.#filePath = file;
      return handle;
    }
    try {
      await unlink(file);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

async function writePart(file: FileHandle | undefined, part: Buffer, position: number): Promise<void> {
  for (let done = 0; done < part.length;) {
    const { bytesWritten = 0 } = (await file?.write(part, done, part.length - done, position + done)) ?? {};
    if (bytesWritten === 0) throw new Error('nothing was written');
    done += bytesWritten;
  }
}

async function readPart(file: FileHandle | undefined, part: Buffer, position: number): Promise<void> {
  for (let done = 0; done < part.length;) {
    const { bytesRead = 0 } = (await file?.read(part, done, part.length - done, position + done)) ?? {};
    if (bytesRead === 0) throw new Error('the spool is shorter than it should be');
    done += bytesRead;
  }
}
