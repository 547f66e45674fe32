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
