import type { CallId } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { SudoFault } from './sudoDialogue.ts';

export type ExecStatus = 'running' | 'exited' | 'signalled' | 'cancelled' | 'lost';

/** What is known about one started command. Lives as long as the window. Source: tools.md, `ssh_exec_run`. */
export interface ExecRecord {
  /** Lower-case UUID. */
  readonly execId: string;
  readonly hostId: HostId;
  /** The conversation, or the run where there is none. */
  readonly scope: string;
  readonly callId: CallId;
  readonly command: string;
  readonly status: ExecStatus;
  /** Undefined when the host told none; never read as 0. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Of stdout and stderr together, raw. */
  readonly outputBytes: number;
  readonly stderrBytes: number;
  readonly stdinOpen: boolean;
  /** The command was proven read-only before it started. */
  readonly proven: boolean;
  /** Why the command was put to the person in every mode but Full access, and what is written to it is, too; usually empty. */
  readonly trust: readonly string[];
  /** The working folder could not be entered, so nothing ran. */
  readonly directoryRefused: boolean;
  /** Why nothing ran behind sudo, where it was given a secret. */
  readonly sudoFault: SudoFault | undefined;
  /** What a reader must know about the end, in one or two sentences. */
  readonly note: string | undefined;
}

export type CancelSignal = 'TERM' | 'INT' | 'HUP' | 'QUIT' | 'KILL';

/** What a cancel did. `outcomeKnown` is false when the host confirmed nothing: the process may survive. */
export interface CancelReport {
  /** The last step taken; undefined when the command had ended already. */
  readonly method: 'signal' | 'channel_close' | 'group_kill' | undefined;
  readonly outcomeKnown: boolean;
}

export const notes = {
  lost: 'Outcome unknown: the link was lost. The command may have finished or may still run.',
  noStatus: 'The host told no exit status, so whether the command succeeded is unknown.',
  stayedOpen:
    'The command ended but its channel stayed open and was closed; processes it started may still run.',
  survives: 'The host did not confirm the end; the process may still run.',
  refused: 'sudo refused the password, so the command did not run.',
  noPrompt:
    'sudo asked for no password within 10 seconds and nothing was printed, so the command was cancelled.',
  needsTerminal: 'sudo on this host requires a terminal, so the command did not run.',
  outputCut: 'The link was lost right after the end; the last output may be missing.',
} as const;

/** `lost` with a read-only command that tells whether the process still runs, where its number is known. Source: ssh.md 1.9. */
export function lostNote(processGroup: number | undefined): string {
  if (processGroup === undefined) return notes.lost;
  return `${notes.lost} To find out whether it still runs: ps -p ${String(processGroup)} -o pid,etime,args`;
}
