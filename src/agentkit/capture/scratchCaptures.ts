import { AgentError } from '../agentError.ts';
import { codedError } from '../codedError.ts';
import { scratchLimits } from '../scratch/limits.ts';
import type { ScratchWorkspace } from '../scratch/scratchWorkspace.ts';
import type { CaptureContext, OutputPolicy } from '../tool.ts';
import type { CallCapture, CallCaptures, CaptureResult, GrowingCapture } from './callCapture.ts';

const mostNames = 3;
/** More than this waiting to be written holds the source back. */
const mostWaitingBytes = 1_048_576;

type CaptureScratch = Pick<ScratchWorkspace, 'write' | 'append'>;

/** Captures as files of the shared scratch. Source: seed 0, "Paths and Shared Scratch"; agent runtime contract, section 9. */
export class ScratchCaptures implements CallCaptures {
  readonly #scratch: CaptureScratch;

  constructor(scratch: CaptureScratch) {
    this.#scratch = scratch;
  }

  forCall(policy: OutputPolicy, context: CaptureContext): CallCapture | undefined {
    const { capturePath } = policy;
    return capturePath && new ScratchCapture(this.#scratch, () => capturePath(context));
  }
}

class ScratchCapture implements CallCapture {
  readonly #scratch: CaptureScratch;
  readonly #newPath: () => string;

  constructor(scratch: CaptureScratch, newPath: () => string) {
    this.#scratch = scratch;
    this.#newPath = newPath;
  }

  async save(bytes: Uint8Array, signal: AbortSignal, missing?: string): Promise<CaptureResult> {
    const kept = bytes.subarray(0, characterEnd(bytes, scratchLimits.fileBytes));
    let path: string;
    try {
      path = await this.create(kept, signal);
    } catch (error) {
      return notSaved(error);
    }
    if (kept.length < bytes.length) return partial(path, firstOf(kept.length, bytes.length));
    return missing === undefined ? { kind: 'saved', path } : partial(path, missing);
  }

  grow(): GrowingCapture {
    return new GrowingScratchFile(this.#scratch, this);
  }

  /** A new file under a generated path that nobody has taken. */
  async create(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
    for (let name = 1; ; name++) {
      try {
        return (await this.#scratch.write(this.#newPath(), { bytes, createOnly: true }, signal)).path;
      } catch (error) {
        const isTaken = error instanceof AgentError && error.code === 'scratchExists';
        if (!isTaken || name === mostNames) throw error;
      }
    }
  }
}

class GrowingScratchFile implements GrowingCapture {
  readonly #scratch: CaptureScratch;
  readonly #capture: ScratchCapture;
  readonly #stop = new AbortController();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #offeredBytes = 0;
  #writtenBytes = 0;
  #path: string | undefined;
  #problem: unknown;
  #isFull = false;
  #writing: Promise<void> | undefined;
  #sealed: Promise<CaptureResult> | undefined;

  constructor(scratch: CaptureScratch, capture: ScratchCapture) {
    this.#scratch = scratch;
    this.#capture = capture;
  }

  get path(): string | undefined {
    return this.#path;
  }

  append(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#sealed !== undefined) return undefined;
    this.#offeredBytes += bytes.length;
    if (this.#isFull || this.#problem !== undefined) return undefined;
    const room = scratchLimits.fileBytes - this.#writtenBytes - this.#waitingBytes;
    const kept = bytes.subarray(0, characterEnd(bytes, room));
    this.#isFull = kept.length < bytes.length;
    this.#waiting.push(kept);
    this.#waitingBytes += kept.length;
    this.#writing ??= this.#write();
    return this.#waitingBytes > mostWaitingBytes ? this.#writing : undefined;
  }

  seal(signal: AbortSignal): Promise<CaptureResult> {
    this.#sealed ??= this.#finish(signal);
    return this.#sealed;
  }

  async #finish(signal: AbortSignal): Promise<CaptureResult> {
    const stopped = (): void => this.#stop.abort(signal.reason);
    if (signal.aborted) stopped();
    signal.addEventListener('abort', stopped, { once: true });
    await this.#writing;
    signal.removeEventListener('abort', stopped);
    if (this.#path === undefined) return notSaved(this.#problem);
    if (this.#writtenBytes === this.#offeredBytes) return { kind: 'saved', path: this.#path };
    const why = this.#problem === undefined ? '' : ` ${sentenceOf(this.#problem)}`;
    return partial(this.#path, firstOf(this.#writtenBytes, this.#offeredBytes), why);
  }

  /** Writes all that waits, as few times as it can. */
  async #write(): Promise<void> {
    while (this.#waitingBytes > 0 && this.#problem === undefined) {
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [];
      try {
        await this.#add(batch);
        this.#writtenBytes += batch.length;
      } catch (error) {
        this.#problem = error;
        this.#waiting = [];
      }
      this.#waitingBytes = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    }
    this.#writing = undefined;
  }

  async #add(bytes: Uint8Array): Promise<void> {
    const { signal } = this.#stop;
    if (this.#path === undefined) this.#path = await this.#capture.create(bytes, signal);
    else await this.#scratch.append(this.#path, { bytes, expectedBytes: this.#writtenBytes }, signal);
  }
}

/** At most `limit`, without the beginning of a character that would be cut. */
function characterEnd(bytes: Uint8Array, limit: number): number {
  if (bytes.length <= limit) return bytes.length;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

function firstOf(kept: number, all: number): string {
  return `holds the first ${kept} of ${all} bytes`;
}

function partial(path: string, what: string, why = ''): CaptureResult {
  return { kind: 'failed', reason: `Only a partial copy was saved: ${path} ${what}.${why}` };
}

function notSaved(error: unknown): CaptureResult {
  return { kind: 'failed', reason: `The full output was not saved. ${sentenceOf(error)}` };
}

function sentenceOf(error: unknown): string {
  return codedError(error)?.sentence ?? 'Saving was stopped.';
}
