import { createHash } from 'node:crypto';
import { fileError } from '../../../domain/files/fileFault.ts';
import { blockBytes } from '../../../domain/transfer/transferJournal.ts';
import { readFile } from '../../files/readFile.ts';
import type { Reader } from './end.ts';
import { digestOff } from './journalKeeper.ts';
import { readStretch } from './readStretch.ts';

/** Verified blocks that are held for requests that are on their way. */
const mostBlocks = 8;

export interface ReadOn {
  readonly reader: Pick<Reader, 'read'>;
  /** Bytes of one request. */
  readonly chunk: number;
  readonly size: number | undefined;
}

/** SHA-256 of everything that can be read, in hexadecimal. */
export async function digestOf({ reader, chunk, size }: ReadOn, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  for await (const bytes of readFile(reader, readOptions(chunk, size), signal)) digest.update(bytes);
  return digest.digest('hex');
}

/**
 * A source that gives only bytes that were digested: each block is compared with what it was when the digest of the whole was computed,
 * before any of it is given out. Rejects with `conflict` for a whole or a block that is another. Source: ssh.md 8.8, `expectSourceSha256`.
 */
export class VerifiedSource implements Pick<Reader, 'read'> {
  readonly size: number;
  readonly #reader: Pick<Reader, 'read'>;
  readonly #chunk: number;
  readonly #digests: readonly string[];
  readonly #shown: string;
  readonly #held = new Map<number, Promise<Uint8Array>>();

  /** `shown`: the path, fit to be shown. */
  static async open(
    source: ReadOn & { readonly shown: string; readonly expectedSha256: string },
    signal: AbortSignal,
  ): Promise<VerifiedSource> {
    const whole = createHash('sha256');
    const digests: string[] = [];
    let block = createHash('sha256');
    let size = 0;
    for await (const bytes of readFile(source.reader, readOptions(source.chunk, source.size), signal)) {
      whole.update(bytes);
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + blockBytes - (size % blockBytes));
        block.update(part);
        at += part.length;
        size += part.length;
        if (size % blockBytes !== 0) continue;
        digests.push(block.digest('hex'));
        block = createHash('sha256');
      }
    }
    if (size % blockBytes !== 0) digests.push(block.digest('hex'));
    if (whole.digest('hex') !== source.expectedSha256.toLowerCase()) throw changed(source.shown);
    return new VerifiedSource({ ...source, size, digests });
  }

  private constructor(options: {
    readonly reader: Pick<Reader, 'read'>;
    readonly chunk: number;
    readonly size: number;
    readonly digests: readonly string[];
    readonly shown: string;
  }) {
    this.#reader = options.reader;
    this.#chunk = options.chunk;
    this.size = options.size;
    this.#digests = options.digests;
    this.#shown = options.shown;
  }

  async read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length);
    const pieces: Uint8Array[] = [];
    for (let at = offset; at < end;) {
      const block = Math.floor(at / blockBytes);
      const begin = block * blockBytes;
      const bytes = await this.#block(block, signal);
      const piece = bytes.subarray(at - begin, end - begin);
      pieces.push(piece);
      at += piece.length;
    }
    const [only, ...more] = pieces;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(pieces);
  }

  #block(block: number, signal: AbortSignal): Promise<Uint8Array> {
    const held = this.#held.get(block);
    if (held !== undefined) return held;
    const read = this.#read(block, signal);
    this.#held.set(block, read);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= mostBlocks) break;
      this.#held.delete(oldest);
    }
    return read;
  }

  async #read(block: number, signal: AbortSignal): Promise<Uint8Array> {
    const from = block * blockBytes;
    const length = Math.min(blockBytes, this.size - from);
    const bytes = await readStretch({ reader: this.#reader, chunk: this.#chunk }, { from, length }, signal);
    if (bytes.length !== length || (await digestOff(bytes)) !== this.#digests[block])
      throw changed(this.#shown);
    return bytes;
  }
}

function readOptions(chunk: number, size: number | undefined): Parameters<typeof readFile>[1] {
  return { chunk, ...(size === undefined ? {} : { expectedSize: size }) };
}

function changed(path: string): Error {
  return fileError('conflict', { path }, { outcome: 'not-sent' });
}
