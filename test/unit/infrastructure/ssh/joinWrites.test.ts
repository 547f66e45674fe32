import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { describe, it } from 'mocha';
import { joinWrites } from '../../../../src/infrastructure/ssh/joinWrites.ts';

/** Keeps what reaches the system, one entry for each call of it. */
class Calls extends Duplex {
  readonly calls: string[][] = [];
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.calls.push([chunk.toString()]);
    done();
  }
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.calls.push(chunks.map(({ chunk }) => chunk.toString()));
    done();
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('writes to a connection', () => {
  it('of one go reach the system together, and later ones by themselves', async () => {
    const stream = new Calls();
    joinWrites(stream);
    for (const piece of ['length', 'content', 'tag']) stream.write(piece);
    assert.deepEqual(stream.calls, []);
    await nextTurn();
    stream.write('later');
    await nextTurn();
    assert.deepEqual(stream.calls, [['length', 'content', 'tag'], ['later']]);
  });

  it('are not lost when the stream ends in the same go', async () => {
    const stream = new Calls();
    joinWrites(stream);
    const finished = once(stream, 'finish');
    stream.write('last');
    stream.write('words');
    stream.end();
    await finished;
    assert.deepEqual(stream.calls.flat(), ['last', 'words']);
  });

  it('tell when they were taken', async () => {
    const stream = new Calls();
    joinWrites(stream);
    await new Promise<void>((resolve, reject) =>
      stream.write('piece', (error) => (error instanceof Error ? reject(error) : resolve())),
    );
    assert.deepEqual(stream.calls, [['piece']]);
  });

  it('to a stream that is gone fail as ever', async () => {
    const stream = new Calls();
    joinWrites(stream);
    const failed = once(stream, 'error');
    stream.destroy(new Error('gone'));
    stream.write('piece');
    assert.match(String((await failed)[0]), /gone/);
    assert.deepEqual(stream.calls, []);
  });
});
