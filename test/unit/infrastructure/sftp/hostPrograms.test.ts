import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { beforeEach, describe, it } from 'mocha';
import type { ByteStream, ChannelExit } from '../../../../src/application/ports/connection.ts';
import type { HostProgram } from '../../../../src/application/ports/hostCommands.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { hostPrograms, startProgram } from '../../../../src/infrastructure/sftp/hostPrograms.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;

/** The stream of a command; what it is sent is kept. */
class CommandStream extends Duplex implements ByteStream {
  readonly exit: Promise<ChannelExit> = new Promise(() => {});
  readonly onStderr = (): { dispose(): void } => ({ dispose: () => {} });
  readonly sent: string[] = [];
  /** Writes wait as long as the other side takes nothing. */
  takes = true;
  override _read(): void {}
  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.sent.push(bytes.toString());
    if (this.takes) done();
  }
}

describe('a program of a host', () => {
  let clock: FakeClock;
  let stream: CommandStream;
  let command: string;
  let closed: number;
  beforeEach(() => {
    clock = new FakeClock();
    stream = new CommandStream();
    closed = 0;
  });

  /** Starts one whose server answers with `answer` to the word that its line prints first. */
  function start(answer: (marker: string) => void, signal = never): Promise<HostProgram> {
    const channels = {
      bytes: async (_kind: string, options: { readonly command?: string }): Promise<ByteStream> => {
        command = options.command ?? '';
        const [marker = ''] = /termind-program-[0-9a-f-]{36}/.exec(command) ?? [];
        answer(marker);
        return stream;
      },
    };
    const options = { channels, clock, onClosed: () => (closed += 1) };
    return startProgram(options, { script: 'cat "$1"', arguments: ["it's"] }, signal);
  }

  const speak = (text: string) => (marker: string) => void stream.push(text.replace('MARKER', marker));
  async function heard(program: HostProgram): Promise<string> {
    let text = '';
    for await (const bytes of program.output) text += Buffer.from(bytes).toString();
    return text;
  }
  const code = (expected: string) => (error: unknown) =>
    JSON.stringify(error).includes(`"code":"${expected}"`);

  it('is heard from behind what start-up files print', async () => {
    const program = await start(speak('Welcome!\nMARKER\nthe output'));
    stream.push(null);
    assert.equal(await heard(program), 'the output');
    assert.equal(command.startsWith('exec sh -c '), true);
    assert.equal(command.endsWith(` sh 'it'\\''s'`), true);
  });

  it('leaves no channel open when it never begins', async () => {
    const begun = start(() => void stream.push('no such shell\n'));
    stream.push(null);
    await assert.rejects(begun, code('sftp-ended'));
    assert.equal(stream.destroyed, true);
  });

  it('is closed when nothing moves, and says so', async () => {
    const program = await start(speak('MARKER\nsome'));
    const refused = assert.rejects(heard(program), code('stalled'));
    await program.write(Buffer.from('input'));
    await clock.advance(119_999);
    await program.write(Buffer.from('more'));
    await clock.advance(119_999);
    assert.equal(stream.destroyed, false);
    await clock.advance(1);
    await refused;
    assert.deepEqual([closed, stream.sent], [1, ['input', 'more']]);
  });

  it('ends a write that nobody takes when it is closed', async () => {
    const program = await start(speak('MARKER\n'));
    stream.takes = false;
    const writing = program.write(Buffer.from('input'));
    program.close();
    await assert.rejects(writing);
    await assert.rejects(program.write(Buffer.from('more')), code('sftp-ended'));
    assert.equal(closed, 1);
  });

  it('is closed when it is cancelled', async () => {
    const stop = new AbortController();
    const program = await start(speak('MARKER\n'), stop.signal);
    const refused = assert.rejects(heard(program), code('cancelled'));
    stop.abort(new Error('enough'));
    await refused;
    assert.equal(closed, 1);
  });

  it('is not started on a host whose shell is not known', async () => {
    const programs = hostPrograms(newHostId(), {
      connections: { acquire: () => Promise.reject(new Error('not asked for')) },
      facts: { get: async () => undefined, facts: async () => ({}) },
      clock,
    });
    await assert.rejects(programs.start({ script: 'cat', arguments: [] }, never), code('unsupported'));
  });
});
