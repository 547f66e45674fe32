import { randomUUID } from 'node:crypto';
import { isAborted, type ClockPort, type Disposable } from '../../../agentkit/index.ts';
import type { Channels, ManagedChannel } from '../../../application/ports/connection.ts';
import type { Fault } from '../../../domain/fault.ts';
import { fileError, fileFault } from '../../../domain/files/fileFault.ts';
import { quotePosix } from '../../../domain/ssh/quote.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';

export interface ShellCommand {
  /** For a POSIX shell; `$1` and so on are the arguments. */
  readonly script: string;
  readonly arguments: readonly string[];
  readonly input?: Uint8Array;
  /** It changes something, so without its status the outcome is unknown. */
  readonly isChange: boolean;
}

export interface ShellAnswer {
  readonly stdout: Buffer;
  /** In the words of the C locale. */
  readonly stderr: string;
  readonly code: number;
}

/** A listing of 20,000 entries takes 2 MiB. */
const maxOutput = 16 * 1024 * 1024;
const maxErrors = 4_096;
/** How long nothing may arrive. Source: ssh.md 8.1. */
const silenceMs = 30_000;

/**
 * Runs short commands of a POSIX shell, one at a time, each on an exec channel of its own. Text of start-up files in front of the output
 * is thrown away. Source: ssh.md 8.4 and 1.9.
 */
export class ShellRunner {
  readonly #channels: Pick<Channels, 'exec'>;
  readonly #clock: ClockPort;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(channels: Pick<Channels, 'exec'>, clock: ClockPort) {
    this.#channels = channels;
    this.#clock = clock;
  }

  /** Rejects with the fault of the channel, `stalled`, `cancelled`, or `sftp-ended` where the command was cut off. */
  run(command: ShellCommand, signal: AbortSignal): Promise<ShellAnswer> {
    const answer = this.#turn.then(() => this.#run(command, signal));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #run(command: ShellCommand, signal: AbortSignal): Promise<ShellAnswer> {
    if (signal.aborted) throw fileError('cancelled', {}, { outcome: 'not-sent' });
    const marker = `termind-files-${randomUUID()}`;
    const channel = await this.#channels.exec(scriptLine(command, marker), signal);
    const outcome = command.isChange ? 'unknown' : 'failed';
    const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    let size = 0;
    let tellFault: (fault: Fault) => void = () => {};
    const given = new Promise<Fault>((resolve) => (tellFault = resolve));
    const watch = (): Disposable =>
      this.#clock.after(silenceMs, () => tellFault(fileFault('stalled', {}, outcome)));
    let silent = watch();
    const listening = channel.onData(({ stream, bytes }) => {
      silent.dispose();
      silent = watch();
      size += bytes.length;
      if (size > maxOutput) tellFault(fileFault('sftp-broken', { reason: 'it printed too much' }, outcome));
      else output[stream].push(bytes);
    });
    const onAbort = (): void => tellFault(fileFault('cancelled', {}, outcome));
    signal.addEventListener('abort', onAbort, { once: true });
    if (isAborted(signal)) onAbort();
    try {
      void feed(channel, command.input);
      const fault = await Promise.race([given, channel.closed]);
      if (fault !== undefined) throw faultError(fault);
      const exit = await channel.exit;
      const stdout = Buffer.concat(output.stdout);
      const start = stdout.indexOf(`${marker}\n`);
      if (exit.kind !== 'code' || start < 0)
        throw fileError('sftp-ended', { reason: 'its command was cut off' }, { outcome });
      return {
        stdout: stdout.subarray(start + marker.length + 1),
        stderr: Buffer.concat(output.stderr).subarray(-maxErrors).toString('utf8'),
        code: exit.code,
      };
    } finally {
      silent.dispose();
      listening.dispose();
      signal.removeEventListener('abort', onAbort);
      channel.close();
    }
  }
}

/** The line that runs a script in the C locale, whatever the login shell is, and prints `marker` on a line of its own in front. */
export function scriptLine(
  { script, arguments: words }: Pick<ShellCommand, 'script' | 'arguments'>,
  marker: string,
): string {
  const whole = `LC_ALL=C; export LC_ALL; printf "%s\\n" ${marker}; ${script}`;
  return `exec sh -c ${[whole, 'sh', ...words].map(quotePosix).join(' ')}`;
}

/** The input and its end. A command that reads no more tells by its status. */
async function feed(channel: ManagedChannel, input: Uint8Array | undefined): Promise<void> {
  try {
    if (input !== undefined) await channel.write(input);
    channel.end();
  } catch {
    // Its channel is closed.
  }
}
