import { z } from 'zod';
import type { AnsweredCall, ModelAnswer } from '../modelConversation.ts';
import type { AnsweredStep, ToolResult } from './exchange.ts';

/** As `ssh_exec_run` and `ssh_exec_output` answer. Source: tools.md, section 3. */
const execFields = z.object({
  exec_id: z.string(),
  status: z.string(),
  exit_code: z.number().nullable(),
  output: z.string(),
  marker: z.string().optional(),
  full_output_path: z.string().optional(),
});
export type ExecFields = z.output<typeof execFields>;

const hostList = z.object({ hosts: z.array(z.object({ host_id: z.string(), label: z.string() })) });

/** How one command of a story stands. */
export type CommandState =
  | { readonly kind: 'notRun' }
  | { readonly kind: 'running'; readonly execId: string; readonly looks: number }
  | { readonly kind: 'ended'; readonly fields: ExecFields }
  | { readonly kind: 'denied' | 'unknown' | 'failed'; readonly sentence: string };

/** Reads from a list of steps what became of commands. Later steps win. */
export class CommandHistory {
  readonly #steps: readonly AnsweredStep[];

  constructor(steps: readonly AnsweredStep[]) {
    this.#steps = steps;
  }

  /** Only what came behind the last step that ran `command`. */
  after(command: string): CommandHistory {
    return new CommandHistory(this.#steps.slice(this.#indexOf(command) + 1));
  }

  /**
   * A call that was cancelled before it ran has not run. One that failed or whose outcome is unknown counts as such,
   * except a read-only one of an earlier run, which may simply be made again.
   */
  stateOf(command: string, { isReadOnly }: { readonly isReadOnly: boolean }): CommandState {
    const step = this.#steps[this.#indexOf(command)];
    if (step === undefined || step.result.kind === 'cancelled') return { kind: 'notRun' };
    if (step.result.kind === 'data') return this.#stateOfStarted(step.result);
    if (isReadOnly && !step.isOfThisRun) return { kind: 'notRun' };
    return { kind: step.result.kind, sentence: step.result.sentence };
  }

  /** The id of the host with this label: `undefined` before it was looked up, or why there is none. */
  hostId(label: string): { readonly id: string } | { readonly problem: string } | undefined {
    const step = this.#steps.findLast(({ name }) => name === 'list_hosts');
    if (step === undefined || step.result.kind === 'cancelled') return undefined;
    if (step.result.kind !== 'data') return step.isOfThisRun ? { problem: step.result.sentence } : undefined;
    const found = hostList.safeParse(step.result.fields);
    const host = found.data?.hosts.find((one) => one.label === label);
    return host === undefined ? { problem: `No host is called \`${label}\`.` } : { id: host.host_id };
  }

  #indexOf(command: string): number {
    return this.#steps.findLastIndex(
      ({ name, args }) => name === 'ssh_exec_run' && args['command'] === command,
    );
  }

  #stateOfStarted(result: Extract<ToolResult, { kind: 'data' }>): CommandState {
    const started = execFields.parse(result.fields);
    const looks = this.#steps.filter(
      ({ name, args }) => name === 'ssh_exec_output' && args['exec_id'] === started.exec_id,
    );
    const newest = looks.at(-1)?.result;
    if (newest !== undefined && newest.kind !== 'data') return { kind: 'unknown', sentence: newest.sentence };
    const fields = newest === undefined ? started : execFields.parse(newest.fields);
    if (fields.status !== 'running') return { kind: 'ended', fields };
    return { kind: 'running', execId: fields.exec_id, looks: looks.length };
  }
}

export function runOn(hostId: string, command: string, yieldMs = 10_000): AnsweredCall {
  return { name: 'ssh_exec_run', args: { host_id: hostId, command, yield_ms: yieldMs } };
}

/** A path as one word of a POSIX shell. */
export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

export function findHost(label: string): AnsweredCall {
  return { name: 'list_hosts', args: { query: label } };
}

/** Waits for commands that still run, each at most five times. Undefined when there is nothing to wait for. */
export function waitFor(states: readonly CommandState[]): ModelAnswer | undefined {
  const calls = states.flatMap((state): AnsweredCall[] =>
    state.kind === 'running' && state.looks < 5
      ? [{ name: 'ssh_exec_output', args: { exec_id: state.execId, wait_ms: 30_000 } }]
      : [],
  );
  return calls.length === 0 ? undefined : { text: 'That is still running; I wait for it.', calls };
}
