import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import type { ByteStream, ChannelExit } from '../../../../src/application/ports/connection.ts';
import { faultOf } from '../../../../src/domain/fault.ts';
import { startBySudo } from '../../../../src/infrastructure/sftp/elevated/startBySudo.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;

/** A channel of a command that has told its status already. */
class EndedChannel extends Duplex implements ByteStream {
  readonly #words = new Emitter<Uint8Array>(() => {});
  readonly onStderr = this.#words.event;
  readonly exit: Promise<ChannelExit> = Promise.resolve({ kind: 'code', code: 1 });

  override _read(): void {}
  override _write(_bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }
  say(text: string): void {
    this.#words.fire(Buffer.from(text));
  }
}

describe('a command that sudo does not start', () => {
  const start = (channel: EndedChannel, clock: FakeClock): Promise<string | undefined> =>
    startBySudo(
      {
        request: {
          channels: { bytes: async () => channel, exec: () => Promise.reject(new Error('not asked for')) },
          password: { marker: 'marker', again: async () => undefined },
        },
        command: 'true',
        hasStarted: /started/,
      },
      clock,
      never,
    ).then(
      () => 'started',
      (error: unknown) => faultOf(error).facts['reason'],
    );
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('says why, also when its words come behind its status', async () => {
    const channel = new EndedChannel();
    const reason = start(channel, new FakeClock());
    await nextTurn();
    channel.say('deploy is not in the sudoers file.\n');
    channel.destroy();
    assert.equal(await reason, 'deploy is not in the sudoers file.');
  });

  it('is not waited for where the channel stays open', async () => {
    const channel = new EndedChannel();
    const clock = new FakeClock();
    const reason = start(channel, clock);
    await nextTurn();
    await clock.advance(5_000);
    assert.equal(await reason, 'it ended without a word');
    assert.deepEqual([channel.destroyed, clock.pending], [true, 0]);
  });
});
