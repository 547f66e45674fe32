import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readFile, type ReadOptions } from '../../../../src/application/files/readFile.ts';
import { writeFile } from '../../../../src/application/files/writeFile.ts';

const never = new AbortController().signal;

/** A file in memory that gives at most `most(offset)` bytes at a time and counts what is on its way. */
class MemoryFile {
  readonly requests: { readonly offset: number; readonly length: number }[] = [];
  mostAtOnce = 0;
  #onItsWay = 0;
  readonly #bytes: Buffer;
  readonly #most: (offset: number) => number;

  constructor(bytes: Buffer, most: (offset: number) => number = () => Infinity) {
    this.#bytes = bytes;
    this.#most = most;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.requests.push({ offset, length });
    this.#onItsWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#onItsWay);
    await new Promise((resolve) => setImmediate(resolve));
    this.#onItsWay -= 1;
    return this.#bytes.subarray(offset, offset + Math.min(length, Math.max(1, this.#most(offset))));
  }
}

async function read(file: MemoryFile, options: ReadOptions): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readFile(file, options, never)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('reading a remote file', () => {
  it('gives the bytes in order, however short the answers are and whatever size was expected', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          bytes: fc.uint8Array({ maxLength: 3_000 }),
          chunk: fc.integer({ min: 1, max: 900 }),
          most: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
          inFlight: fc.integer({ min: 1, max: 9 }),
          from: fc.integer({ min: 0, max: 500 }),
          expectedSize: fc.option(fc.integer({ min: 0, max: 4_000 }), { nil: undefined }),
        }),
        async ({ bytes, most, expectedSize, ...options }) => {
          const file = new MemoryFile(Buffer.from(bytes), (offset) => most[offset % most.length] ?? 1);
          const got = await read(file, {
            ...options,
            ...(expectedSize === undefined ? {} : { expectedSize }),
          });
          assert.deepEqual([...got], [...bytes.subarray(options.from)]);
          assert.ok(file.mostAtOnce <= options.inFlight);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('starts with one request and sends one more for each answer', async () => {
    const file = new MemoryFile(Buffer.alloc(100_000, 1));
    const reading = readFile(file, { chunk: 100, inFlight: 8 }, never);
    const sent: number[] = [];
    for (let n = 0; n < 12; n++) {
      await reading.next();
      sent.push(file.requests.length);
    }
    await reading.return();
    assert.equal(sent[0], 1);
    assert.ok(
      sent.every((count, index) => index === 0 || count - (sent[index - 1] ?? 0) <= 2),
      sent.join(' '),
    );
    assert.equal(file.mostAtOnce <= 8, true);
  });

  it('asks behind the expected end once at a time', async () => {
    const file = new MemoryFile(Buffer.alloc(1_000, 1));
    await read(file, { chunk: 100, expectedSize: 1_000 });
    assert.equal(file.requests.filter(({ offset }) => offset >= 1_000).length, 1);
  });

  it('asks for less after short answers, and not for less than 512 bytes', async () => {
    const file = new MemoryFile(Buffer.alloc(200_000, 1), () => 100);
    await read(file, { chunk: 10_000, inFlight: 2 });
    assert.equal(
      Math.min(...file.requests.filter(({ offset }) => offset > 100_000).map(({ length }) => length)) <= 512,
      true,
    );
    assert.equal(file.requests.at(-1)?.length, 512);
  });

  it('rejects with what a request rejects with, and sends no more', async () => {
    let requests = 0;
    const file = {
      read: async (offset: number) => {
        requests += 1;
        if (offset >= 300) throw new Error('refused');
        return Buffer.alloc(100);
      },
    };
    await assert.rejects(async () => {
      for await (const piece of readFile(file, { chunk: 100 }, never)) assert.equal(piece.length, 100);
    }, /refused/);
    const sent = requests;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(requests, sent);
  });
});

describe('writing a remote file', () => {
  it('puts every byte at its place and never has more requests on their way than allowed', async () => {
    const source = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(source, fc.integer({ min: 1, max: 100 }), fc.nat(5), async (pieces, chunk, from) => {
        const written = Buffer.alloc(from + pieces.reduce((sum, piece) => sum + piece.length, 0));
        let onItsWay = 0;
        const file = {
          write: async (offset: number, bytes: Uint8Array) => {
            onItsWay += 1;
            assert.ok(onItsWay <= 4 && bytes.length <= chunk);
            const kept = Buffer.from(bytes);
            await new Promise((resolve) => setImmediate(resolve));
            kept.copy(written, offset);
            onItsWay -= 1;
          },
        };
        const count = await writeFile(file, { source: pieces, chunk, from, inFlight: 4 }, never);
        assert.equal(count, written.length - from);
        assert.equal(onItsWay, 0);
        assert.ok(written.subarray(from).equals(Buffer.concat(pieces)));
      }),
      { numRuns: 100 },
    );
  });

  it('sends nothing after a failure, and tells it when everything on its way is settled', async () => {
    let onItsWay = 0;
    const offsets: number[] = [];
    const file = {
      write: async (offset: number) => {
        offsets.push(offset);
        onItsWay += 1;
        for (let n = 0; n < (offset === 300 ? 1 : 5); n++)
          await new Promise((resolve) => setImmediate(resolve));
        onItsWay -= 1;
        if (offset === 300) throw new Error('disk full');
      },
    };
    const source = Array.from({ length: 50 }, () => Buffer.alloc(100));
    await assert.rejects(writeFile(file, { source, chunk: 100 }, never), /disk full/);
    assert.equal(onItsWay, 0);
    assert.ok(offsets.length < 50, offsets.length.toString());
  });
});
