import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/agentkit/index.ts';
import { pump, type Lane, type PumpOptions } from '../../../../src/application/transfer/engine/pump.ts';
import { fileError } from '../../../../src/domain/files/fileFault.ts';
import { missingRanges } from '../../../../src/domain/transfer/missingRanges.ts';

const never = new AbortController().signal;

interface MemoryLane extends Lane {
  isEnded: boolean;
  isSurplus: boolean;
  isClosed: boolean;
  readonly counts: { reads: number; inFlight: number; most: number };
}

/** A source and a target in memory. `pieceOf` says how much of a request is answered. */
class Memory {
  readonly source: Buffer;
  readonly target = new Map<number, Uint8Array>();
  readonly lanes: MemoryLane[] = [];
  readonly recycled: Buffer[] = [];
  pieceOf = (length: number): number => length;
  onRead: (lane: MemoryLane, offset: number) => void = () => {};

  constructor(size: number) {
    this.source = Buffer.alloc(size, 'a pattern that is no zeros ');
  }

  lane(): MemoryLane {
    const lane: MemoryLane = {
      isEnded: false,
      isSurplus: false,
      isClosed: false,
      counts: { reads: 0, inFlight: 0, most: 0 },
      close: () => (lane.isClosed = true),
      read: async (offset, length) => {
        const { counts } = lane;
        counts.reads += 1;
        counts.inFlight += 1;
        counts.most = Math.max(counts.most, counts.inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        counts.inFlight -= 1;
        this.onRead(lane, offset);
        return this.source.subarray(offset, offset + Math.min(length, this.pieceOf(length)));
      },
      write: async (offset, bytes) => void this.target.set(offset, Buffer.from(bytes)),
      recycle: (bytes) => void this.recycled.push(Buffer.from(bytes)),
    };
    this.lanes.push(lane);
    return lane;
  }

  /** What was written, in order. Fails where something was written twice or left out. */
  written(size: number): Buffer {
    const pieces = [...this.target].sort(([a], [b]) => a - b);
    let end = 0;
    for (const [offset, bytes] of pieces) {
      assert.equal(offset, end);
      end += bytes.length;
    }
    assert.equal(end, size);
    return Buffer.concat(pieces.map(([, bytes]) => bytes));
  }

  run(options: Partial<PumpOptions> = {}, signal = never): Promise<number> {
    const size = this.source.length;
    return pump(
      {
        lane: this.lane(),
        more: async () => undefined,
        chunk: 1_000,
        maxInFlight: 64,
        firstInFlight: 1,
        ranges: missingRanges(size, new Set()),
        expectedEnd: size,
        endNow: async () => this.source.length,
        roundTripMs: 0,
        onMoved: () => {},
        clock: systemClock,
        ...options,
      },
      signal,
    );
  }
}

describe('moving the bytes of a file', () => {
  it('moves each byte once, whatever the size, the chunk and the answers are', async () => {
    const sizes = fc.record({
      size: fc.integer({ min: 0, max: 5_000 }),
      chunk: fc.integer({ min: 1, max: 1_500 }),
      piece: fc.integer({ min: 1, max: 1_500 }),
      isKnown: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ size, chunk, piece, isKnown }) => {
        const memory = new Memory(size);
        memory.pieceOf = () => piece;
        const known = isKnown && size > 0 ? {} : { expectedEnd: undefined };
        assert.equal(await memory.run({ chunk, ...known }), size);
        assert.deepEqual(memory.written(size), memory.source);
      }),
      { numRuns: 60 },
    );
  });

  it('hands back what is written, and nothing that was not', async () => {
    const memory = new Memory(5_000);
    const lane = memory.lane();
    const write = lane.write.bind(lane);
    let refused = 0;
    lane.write = async (offset, bytes, signal) => {
      if (offset === 2_000 && refused++ === 0) throw fileError('busy');
      await write(offset, bytes, signal);
    };
    await memory.run({ lane });
    assert.equal(refused, 2);
    assert.equal(Buffer.concat(memory.recycled).length, 5_000);
  });

  it('begins with one request and has no more on their way than it may', async () => {
    const memory = new Memory(300_000);
    const most: number[] = [];
    memory.onRead = ({ counts }) => void most.push(counts.most);
    await memory.run({ maxInFlight: 16 });
    assert.equal(most[0], 1);
    assert.equal(most.at(-1), 16);
  });

  it('halves what is on its way for a refusal, and tries again', async () => {
    const memory = new Memory(100_000);
    let refusals = 0;
    memory.onRead = (_lane, offset) => {
      if (offset !== 50_000 || refusals === 2) return;
      refusals += 1;
      throw fileError('file-failed');
    };
    assert.equal(await memory.run(), 100_000);
    assert.deepEqual([memory.written(100_000).equals(memory.source), refusals], [true, 2]);
  });

  it('gives up on what is refused each time, and waits for what is on its way', async () => {
    const memory = new Memory(100_000);
    let tries = 0;
    memory.onRead = (_lane, offset) => {
      if (offset !== 50_000) return;
      tries += 1;
      throw fileError('file-failed');
    };
    await assert.rejects(memory.run(), /refused/);
    assert.deepEqual([tries <= 4, memory.lanes[0]?.counts.inFlight], [true, 0]);
  });

  it('leaves the work of a lane that ended to the others, and closes what it opened', async () => {
    const size = 20_000_000;
    const memory = new Memory(size);
    let now = 0;
    const clock = { ...systemClock, monotonic: () => (now += 10) };
    memory.onRead = (lane, offset) => {
      if (lane === memory.lanes[1] && offset > 12_000_000) lane.isEnded = true;
      if (lane.isEnded) throw fileError('sftp-ended', { reason: 'it went' });
    };
    const more = async (): Promise<Lane> => memory.lane();
    assert.equal(await memory.run({ chunk: 300_000, roundTripMs: 30, clock, more }), size);
    assert.ok(memory.written(size).equals(memory.source));
    const [first, ...further] = memory.lanes;
    assert.ok(further.length > 0 && further[0]?.isEnded === true);
    assert.deepEqual([first?.isClosed, further.every(({ isClosed }) => isClosed)], [false, true]);
  });

  it('gives a lane back that others wait for, and opens no other one', async () => {
    const size = 20_000_000;
    const memory = new Memory(size);
    let now = 0;
    const clock = { ...systemClock, monotonic: () => (now += 10) };
    memory.onRead = (lane, offset) => {
      if (lane === memory.lanes[1] && offset > 9_000_000) lane.isSurplus = true;
    };
    const more = async (): Promise<Lane> => memory.lane();
    const closed: boolean[] = [];
    const onMoved = (offset: number): void => {
      if (offset > 16_000_000) closed.push(memory.lanes.slice(1).every(({ isClosed }) => isClosed));
    };
    assert.equal(
      await memory.run({ chunk: 300_000, maxInFlight: 4, roundTripMs: 30, clock, more, onMoved }),
      size,
    );
    assert.ok(memory.written(size).equals(memory.source));
    assert.equal(memory.lanes.length, 2);
    assert.equal(closed.at(-1), true);
  });

  it('fails with the fault of the last lane', async () => {
    const memory = new Memory(100_000);
    memory.onRead = (lane) => {
      lane.isEnded = true;
      throw fileError('stalled');
    };
    await assert.rejects(memory.run(), /has not answered/);
  });

  it('ends with the signal', async () => {
    const memory = new Memory(1_000_000);
    const stop = new AbortController();
    memory.onRead = (_lane, offset) => {
      if (offset >= 500_000) stop.abort(new Error('enough'));
    };
    await assert.rejects(memory.run({}, stop.signal), /enough/);
    assert.equal(memory.lanes[0]?.counts.inFlight, 0);
  });
});
