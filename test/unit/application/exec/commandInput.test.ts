import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  CommandInput,
  takeInputMs,
  type InputOutcome,
} from '../../../../src/application/exec/commandInput.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;

/** The input of a command that reads when a test says so. */
class Pipe {
  readonly read: string[] = [];
  hasEnded = false;
  readonly #waiting: { readonly bytes: Uint8Array; readonly settle: (error?: Error) => void }[] = [];
  isReading: boolean;

  constructor(isReading = true) {
    this.isReading = isReading;
  }

  get text(): string {
    return this.read.join('');
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        if (error !== undefined) return reject(error);
        this.read.push(Buffer.from(bytes).toString());
        resolve();
      };
      if (this.isReading) settle();
      else this.#waiting.push({ bytes, settle });
    });
  }

  end(): void {
    this.hasEnded = true;
  }

  /** Reads what waits, and everything from now on. */
  reads(): void {
    this.isReading = true;
    for (const { settle } of this.#waiting.splice(0)) settle();
  }

  breaks(): void {
    for (const { settle } of this.#waiting.splice(0)) settle(new Error('closed'));
  }
}

function scene(isReading = true, feed: () => Promise<boolean> = async () => true) {
  const pipe = new Pipe(isReading);
  const clock = new FakeClock();
  const input = new CommandInput(pipe, clock);
  input.begin(feed);
  const write = (text: string, { closes = false, signal = never } = {}): Promise<InputOutcome> =>
    input.write({ take: () => [Buffer.from(text)], closes }, signal);
  return { pipe, clock, input, write };
}

describe('the input of a command', () => {
  it('takes what is written, in order and behind what the command was started with', async () => {
    let fed = (_staysOpen: boolean): void => {};
    const feeding = new Promise<boolean>((resolve) => (fed = resolve));
    const { pipe, write, clock } = scene(true, () => feeding);
    const first = write('one\n');
    const second = write('two\n');
    await settle();
    assert.equal(pipe.text, '', 'the beginning is still being fed');
    fed(true);
    assert.deepEqual([await first, await second], Array(2).fill({ kind: 'written', bytes: 4 }));
    assert.equal(pipe.text, 'one\ntwo\n');
    assert.equal(clock.pending, 0, 'no timer is left');
  });

  it('is closed behind the text that says so, and takes nothing afterwards', async () => {
    const { pipe, write, input } = scene();
    const closing = write('last\n', { closes: true });
    const late = write('more\n');
    assert.deepEqual([await closing, await late], [{ kind: 'written', bytes: 5 }, { kind: 'closed' }]);
    assert.deepEqual([pipe.text, pipe.hasEnded, input.isOpen], ['last\n', true, false]);
  });

  it('is closed without a word when only the end is wanted', async () => {
    const { pipe, write } = scene();
    assert.deepEqual(await write('', { closes: true }), { kind: 'written', bytes: 0 });
    assert.deepEqual([pipe.text, pipe.hasEnded], ['', true]);
  });

  it('asks for the text only at its turn and while it is open, so that no secret is used up for nothing', async () => {
    const { input, write } = scene();
    let taken = 0;
    const take = (): readonly Uint8Array[] => {
      taken += 1;
      return [Buffer.from('secret')];
    };
    const closing = write('', { closes: true });
    assert.deepEqual(await input.write({ take, closes: false }, never), { kind: 'closed' });
    await closing;
    assert.equal(taken, 0);
  });

  it('rejects with what the text could not be had for, and goes on with the next', async () => {
    const { input, write, pipe } = scene();
    const failing = input.write(
      {
        take: () => {
          throw new Error('no such handle');
        },
        closes: true,
      },
      never,
    );
    await assert.rejects(failing, /no such handle/);
    assert.deepEqual(await write('on\n'), { kind: 'written', bytes: 3 });
    assert.equal(pipe.hasEnded, false);
  });

  it('holds a long text back while the command does not read, and says after 30 seconds how much went', async () => {
    const { pipe, write, clock, input } = scene(false);
    const writing = write('x'.repeat(100_000), { closes: true });
    await clock.advance(takeInputMs);
    assert.deepEqual(await writing, { kind: 'notTaken', bytes: 16_384 });
    pipe.reads();
    await settle();
    assert.equal(pipe.text.length, 16_384, 'nothing follows what was dropped');
    assert.deepEqual([pipe.hasEnded, input.isOpen], [false, true]);
    assert.deepEqual(await write('y'), { kind: 'written', bytes: 1 });
  });

  it('of two writers the second waits for the first, and is told when that takes too long', async () => {
    const { write, clock, pipe } = scene(false);
    const first = write('first');
    await clock.advance(10_000);
    const second = write('second');
    await clock.advance(20_000);
    assert.deepEqual(await first, { kind: 'notTaken', bytes: 5 });
    await clock.advance(10_000);
    assert.deepEqual(await second, { kind: 'busy' });
    pipe.reads();
    await settle();
    assert.equal(pipe.text, 'first', 'what gave up is never written');
  });

  it('stops waiting when the caller does, and writes nothing more', async () => {
    const { pipe, write, clock } = scene(false);
    const stop = new AbortController();
    const writing = write('x'.repeat(40_000), { signal: stop.signal });
    await settle();
    stop.abort(new Error('stopped'));
    await assert.rejects(writing, /stopped/);
    pipe.reads();
    await settle();
    assert.equal(pipe.text.length, 16_384);
    assert.equal(clock.pending, 0);
  });

  it('that breaks off in between says that nobody knows how much was read', async () => {
    const { pipe, write, input } = scene(false);
    const writing = write('half');
    await settle();
    pipe.breaks();
    assert.deepEqual(await writing, { kind: 'brokenOff' });
    assert.equal(input.isOpen, false);
  });

  it('of a command that has ended is closed', async () => {
    const { write, input, pipe } = scene();
    input.ended();
    assert.deepEqual(await write('x'), { kind: 'closed' });
    assert.deepEqual([pipe.text, pipe.hasEnded], ['', false]);
  });
});
