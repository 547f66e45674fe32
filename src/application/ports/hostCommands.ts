import type { ChannelExit } from './connection.ts';

/** Short commands for a POSIX shell of one host, beside its files. */
export interface HostCommands {
  /**
   * Runs the script; `$1` and so on are the arguments, which name files and are never options. Rejects with the fault of the channel,
   * `stalled` or `cancelled`, and with `unsupported` where there is no such shell. Nothing is ever repeated.
   */
  run(
    command: { readonly script: string; readonly arguments: readonly string[]; readonly isChange: boolean },
    signal: AbortSignal,
  ): Promise<{ readonly stdout: Uint8Array; readonly code: number }>;
}

/** Commands of a POSIX shell of one host that read and write as much as there is. */
export interface HostPrograms {
  /**
   * Starts the script as `HostCommands.run` does, and resolves when it runs: what it prints follows. Rejects with the fault of the channel, `stalled` or `cancelled`, and with `unsupported` where there is no such shell. The caller closes
   * what it gets.
   */
  start(
    command: { readonly script: string; readonly arguments: readonly string[] },
    signal: AbortSignal,
  ): Promise<HostProgram>;
}

/**
 * One command that runs. Whoever writes to it reads what it prints as well: the end of that tells that it reads no more. It is closed by
 * itself, with `stalled`, when nothing at all has moved for two minutes.
 */
export interface HostProgram {
  /** What it prints, until its end. Rejects with the fault of the channel. Iterated once. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Resolves when more may follow. Rejects when it reads no more. */
  write(bytes: Uint8Array): Promise<void>;
  /** There is no more input. */
  end(): void;
  /** How it ended, also when its channel has. */
  readonly exit: Promise<ChannelExit>;
  /** At once. What still runs finds its input at an end. */
  close(): void;
}
