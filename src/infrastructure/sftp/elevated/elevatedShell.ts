import { randomUUID } from 'node:crypto';
import type { ClockPort, Disposable } from '../../../agentkit/index.ts';
import type { ByteStream } from '../../../application/ports/connection.ts';
import { isTermindError, type Fault } from '../../../domain/fault.ts';
import { fileError, fileFault } from '../../../domain/files/fileFault.ts';
import { bytesOfText } from '../../../domain/files/nameText.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';
import { quotePosix } from '../../../domain/ssh/quote.ts';
import type { ShellAnswer, ShellCommand } from '../shell/shellRunner.ts';
import { withoutAnswer } from '../withoutAnswer.ts';
import { written } from './startBySudo.ts';

const maxOutput = 16 * 1024 * 1024;
const maxErrors = 4_096;
/** How long nothing may arrive while a command runs. Source: ssh.md 8.1. */
const silenceMs = 30_000;

/** A command on its way, and what it has printed so far. */
interface Running {
  readonly marker: string;
  stdout: Buffer;
  stderr: Buffer;
  readonly answer: (answer: ShellAnswer) => void;
  readonly fail: (fault: Fault) => void;
  silent: Disposable;
}

/**
 * A POSIX shell behind sudo that reads commands from its input: one question for a password opens it, and the password is kept nowhere
 * meanwhile. Commands run one at a time, each in a shell of its own that reads nothing. Words may hold bytes that are no UTF-8, spelt as
 * `textOfPath`. It ends with its channel, and when a command is silent for 30 seconds. Source: ssh.md 8.6 and 1.9.
 */
export class ElevatedShell {
  /** Resolves once, when the shell is over, by whatever cause. */
  readonly ended: Promise<Fault>;
  readonly #stream: ByteStream;
  readonly #clock: ClockPort;
  readonly #stderr: Disposable;
  #turn: Promise<unknown> = Promise.resolve();
  #running: Running | undefined;
  #fault: Fault | undefined;
  #tellEnded: (fault: Fault) => void = () => {};

  /** Takes the stream over; the shell reads its input already. */
  constructor(stream: ByteStream, clock: ClockPort) {
    this.#stream = stream;
    this.#clock = clock;
    this.ended = new Promise((resolve) => (this.#tellEnded = resolve));
    const onEnd = (): void => this.#end(fileFault('sftp-ended', { reason: 'its shell has ended' }));
    stream.on('data', (bytes: Buffer) => this.#take('stdout', bytes));
    stream.on('end', onEnd).on('close', onEnd);
    stream.on('error', (error: unknown) =>
      this.#end(
        isTermindError(error) ? error.fault : fileFault('sftp-ended', { reason: 'its channel failed' }),
      ),
    );
    this.#stderr = stream.onStderr((bytes) => this.#take('stderr', bytes));
    if (stream.destroyed) onEnd();
  }

  /**
   * As `ShellRunner.run`, without input. A command that nobody waits for any more still runs to its end, before the next one. Rejects with
   * `cancelled`, or with the fault that ended the shell: as an unknown outcome where something would have changed.
   */
  run(command: ShellCommand, signal: AbortSignal): Promise<ShellAnswer> {
    const answer = this.#turn.then(() => this.#start(command, signal));
    this.#turn = answer.then(
      ({ whole }) => whole.catch(() => {}),
      () => {},
    );
    return answer.then(({ told }) => told);
  }

  /** At once. */
  close(): void {
    this.#end(fileFault('cancelled'));
  }

  /** `whole`: until the shell is free again; `told`: what the caller is told, perhaps earlier. */
  async #start(
    command: ShellCommand,
    signal: AbortSignal,
  ): Promise<{ readonly whole: Promise<ShellAnswer>; readonly told: Promise<ShellAnswer> }> {
    if (this.#fault !== undefined) throw faultError({ ...this.#fault, outcome: 'not-sent' });
    if (signal.aborted) throw fileError('cancelled', {}, { outcome: 'not-sent' });
    const marker = `termind-end-${randomUUID()}`;
    const whole = new Promise<ShellAnswer>((resolve, reject) => {
      this.#running = {
        ...{ marker, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), answer: resolve },
        fail: (fault) => reject(faultError(withoutAnswer(fault, command))),
        silent: this.#watch(),
      };
    });
    whole.catch(() => {});
    written(this.#stream, bytesOfText(lineOf(command, marker))).catch(() => {}); // the stream tells why
    return { whole, told: untilTold(whole, command, signal) };
  }

  #watch(): Disposable {
    return this.#clock.after(silenceMs, () => this.#end(fileFault('stalled')));
  }

  #take(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    const running = this.#running;
    if (running === undefined) return;
    running.silent.dispose();
    running.silent = this.#watch();
    running[stream] = Buffer.concat([running[stream], bytes]);
    if (running[stream].length > maxOutput)
      return this.#end(fileFault('sftp-broken', { reason: 'it printed too much' }));
    const answer = answerOf(running);
    if (answer === undefined) return;
    running.silent.dispose();
    this.#running = undefined;
    running.answer(answer);
  }

  #end(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#running?.silent.dispose();
    this.#running?.fail(fault);
    this.#running = undefined;
    this.#stderr.dispose();
    this.#stream.destroy();
    this.#tellEnded(fault);
  }
}

/** What the shell reads: the command, and then its end on both outputs, behind a line break of our own. */
function lineOf({ script, arguments: words }: ShellCommand, marker: string): string {
  const whole = `LC_ALL=C; export LC_ALL; ${script}`;
  const command = ['sh', '-c', whole, 'sh', ...words].map(quotePosix).join(' ');
  return `${command} </dev/null; printf "\\n%s:%d\\n" ${marker} "$?"; printf "\\n%s\\n" ${marker} >&2\n`;
}

/** Undefined while something is still to come. */
function answerOf({ marker, stdout, stderr }: Running): ShellAnswer | undefined {
  const end = stdout.indexOf(`\n${marker}:`, 0, 'latin1');
  const errorsEnd = stderr.indexOf(`\n${marker}\n`, 0, 'latin1');
  if (end < 0 || errorsEnd < 0) return undefined;
  const [, code] = /^:(\d{1,3})\n/.exec(stdout.toString('latin1', end + 1 + marker.length)) ?? [];
  if (code === undefined) return undefined;
  return {
    stdout: stdout.subarray(0, end),
    stderr: stderr.subarray(0, errorsEnd).subarray(-maxErrors).toString('utf8'),
    code: Number(code),
  };
}

function untilTold(
  whole: Promise<ShellAnswer>,
  command: ShellCommand,
  signal: AbortSignal,
): Promise<ShellAnswer> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(faultError(withoutAnswer(fileFault('cancelled'), command)));
    signal.addEventListener('abort', onAbort, { once: true });
    void whole.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
