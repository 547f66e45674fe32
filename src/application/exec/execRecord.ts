import type { CallId } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';

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
  /** The working folder could not be entered, so nothing ran. */
  readonly directoryRefused: boolean;
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
  outputCut: 'The link was lost right after the end; the last output may be missing.',
} as const;
