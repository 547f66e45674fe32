import { randomBytes, randomUUID } from 'node:crypto';
import type { CallCapture, CallId, ClockPort, Disposable } from '../../agentkit/index.ts';
import { isTermindError, localFault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ConnectionManager, Lease, ManagedChannel } from '../ports/connection.ts';
import type { CommandOutput } from './commandOutput.ts';
import { withinConnectionWait } from './connectionWait.ts';
import type { ExecRecord } from './execRecord.ts';
import { ExecRefusedError } from './execRefused.ts';
import type { HostPlace } from './hostPlace.ts';
import { isLimited } from './hostProfile.ts';
import type { HostProfileService } from './hostProfileService.ts';
import { withPosixPrelude, type PreludeRequest } from './prelude.ts';
import { RemoteCommand, type CommandSecret } from './remoteCommand.ts';

const maxRunning = 16;
const maxRecords = 64;

export interface ExecRequest extends PreludeRequest {
  /** The conversation, or the run where there is none. */
  readonly scope: string;
  readonly callId: CallId;
  /** The host as it was shown to whoever decided. */
  readonly host: HostPlace;
  readonly stdin: { readonly text: string; readonly keepOpen: boolean } | undefined;
  readonly timeoutMs: number | undefined;
  /** Taken over by the command once it is sent; the caller disposes it when nothing was. */
  readonly secret?: CommandSecret;
  /** How long to wait for a free channel. */
  readonly channelWaitMs: number;
  readonly proven: boolean;
  /** See `ExecRecord`. */
  readonly trust: readonly string[];
  /** Where the output goes as it arrives, while the call is open. */
  readonly capture: CallCapture | undefined;
}

/** One started command with its collected output. The service disposes it. */
export interface HeldCommand {
  readonly command: RemoteCommand;
  readonly output: CommandOutput;
}

export interface RemoteExecOptions {
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly profiles: HostProfileService;
  readonly clock: ClockPort;
  /** A collector of one command. */
  readonly newOutput: () => CommandOutput;
  /** Told of the end of each command that went on behind its call. Must not throw. */
  readonly onEndedAlone?: (record: ExecRecord) => void;
}

/**
 * Starts commands on hosts and holds them while the window lives: at most 16 running and 64 in all per conversation; the oldest
 * finished one goes first. Nothing is ever repeated. Source: ssh.md 1.9; tools.md, `ssh_exec_run`; decisions 7.
 */
export class RemoteExecService implements Disposable {
  readonly #options: RemoteExecOptions;
  readonly #held = new Map<string, Map<string, HeldCommand>>();
  readonly #starting = new Map<string, number>();
  #closed = false;

  constructor(options: RemoteExecOptions) {
    this.#options = options;
  }

  /**
   * Sends the command and resolves when it is on its way. Rejects with `ExecRefusedError` when nothing was sent, with the
   * connection's `TermindError`, or with the signal's reason. A command that was sent although the caller had stopped waiting is
   * held like any other.
   */
  async start(request: ExecRequest, signal: AbortSignal): Promise<HeldCommand> {
    this.#reserve(request.scope);
    try {
      const lease = await this.#acquire(request.host.id, signal);
      try {
        return await this.#startOver(lease, request, signal);
      } catch (error) {
        lease.release();
        throw error;
      }
    } finally {
      this.#unreserve(request.scope);
    }
  }

  /** Undefined when it is not held (any more). */
  get(scope: string, execId: string): HeldCommand | undefined {
    return this.#held.get(scope)?.get(execId);
  }

  /** The command that a call started, for the card's own button. */
  ofCall(scope: string, callId: string): HeldCommand | undefined {
    return [...(this.#held.get(scope)?.values() ?? [])].findLast(
      ({ command }) => command.record().callId === callId,
    );
  }

  /** Newest first. */
  list(scope: string): readonly ExecRecord[] {
    return [...(this.#held.get(scope)?.values() ?? [])].map(({ command }) => command.record()).reverse();
  }

  /** Forgets a conversation: its channels close, its collected output goes. */
  forget(scope: string): void {
    for (const held of this.#held.get(scope)?.values() ?? []) disposeHeld(held);
    this.#held.delete(scope);
  }

  dispose(): void {
    this.#closed = true;
    for (const scope of [...this.#held.keys()]) this.forget(scope);
  }

  #acquire(host: HostId, signal: AbortSignal): Promise<Lease> {
    const { clock, connections } = this.#options;
    return withinConnectionWait(clock, (limited) => connections.acquire(host, 'agent-exec', limited), signal);
  }

  async #startOver(lease: Lease, request: ExecRequest, signal: AbortSignal): Promise<HeldCommand> {
    const { profiles } = this.#options;
    if (!(await profiles.goesTo(lease, request.host))) throw new ExecRefusedError('otherHost');
    const profile = await profiles.learnOver(lease, request.host, signal);
    const { shellFamily: family } = profile;
    if (isLimited(family)) throw localFault('limited-host', { family });
    const isPosix = family === 'posix';
    if (!isPosix && (request.cwd !== undefined || request.env.length > 0))
      throw new ExecRefusedError('noPrelude');
    const mark = isPosix ? `termind-${randomBytes(16).toString('hex')}` : undefined;
    const line = mark === undefined ? request.command : withPosixPrelude(request, mark);
    const channel = await this.#open(lease, { line, waitMs: request.channelWaitMs }, signal);
    const output = this.#options.newOutput();
    if (request.capture !== undefined) output.captureTo(request.capture);
    const command = new RemoteCommand(
      {
        execId: randomUUID(),
        hostId: request.host.id,
        scope: request.scope,
        callId: request.callId,
        command: request.command,
        proven: request.proven,
        trust: request.trust,
        lease,
        channel,
        mark,
        stdin: request.stdin,
        timeoutMs: request.timeoutMs,
        ...(request.secret === undefined ? {} : { secret: request.secret }),
      },
      output,
      this.#options.clock,
    );
    const held: HeldCommand = { command, output };
    this.#hold(request.scope, held);
    void command.ended.then(() => {
      if (command.hasOutlivedACall) this.#options.onEndedAlone?.(command.record());
    });
    return held;
  }

  /** Waits for a channel as long as the caller allows; what waits behind that was not sent. Source: decisions 7. */
  async #open(
    lease: Lease,
    request: { readonly line: string; readonly waitMs: number },
    signal: AbortSignal,
  ): Promise<ManagedChannel> {
    try {
      return await lease.exec({ command: request.line, queueMs: request.waitMs }, signal);
    } catch (error) {
      if (!isTermindError(error) || error.fault.code !== 'channel-limit') throw error;
      throw new ExecRefusedError('tooManyOnHost', {}, error);
    }
  }

  #running(): readonly RemoteCommand[] {
    return [...this.#held.values()].flatMap((commands) =>
      [...commands.values()].flatMap(({ command }) => (command.isRunning ? [command] : [])),
    );
  }

  #hold(scope: string, held: HeldCommand): void {
    if (this.#closed) return disposeHeld(held);
    const commands = this.#held.get(scope) ?? new Map<string, HeldCommand>();
    this.#held.set(scope, commands);
    commands.set(held.command.record().execId, held);
    for (const [execId, { command }] of commands) {
      if (commands.size <= maxRecords) break;
      if (command.isRunning) continue;
      const old = commands.get(execId);
      commands.delete(execId);
      if (old !== undefined) disposeHeld(old);
    }
  }

  #reserve(scope: string): void {
    const running = this.#running().filter((command) => command.record().scope === scope);
    const starting = this.#starting.get(scope) ?? 0;
    if (this.#closed || running.length + starting >= maxRunning)
      throw new ExecRefusedError('tooManyRunning', { limit: String(maxRunning) });
    this.#starting.set(scope, starting + 1);
  }

  #unreserve(scope: string): void {
    const starting = (this.#starting.get(scope) ?? 1) - 1;
    if (starting > 0) this.#starting.set(scope, starting);
    else this.#starting.delete(scope);
  }
}

function disposeHeld({ command, output }: HeldCommand): void {
  command.dispose();
  output.dispose();
}
