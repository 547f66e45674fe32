import {
  DisposableBag,
  Emitter,
  neverAborted,
  type CallId,
  type ClockPort,
  type ConsumedSecret,
  type Disposable,
  type Event,
  type OutputSource,
} from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ChannelExit, Lease, ManagedChannel } from '../ports/connection.ts';
import { CommandInput, type InputOutcome } from './commandInput.ts';
import type { CommandOutput } from './commandOutput.ts';
import { deadline, orAborted, settledWithin } from './deadline.ts';
import {
  lostNote,
  notes,
  type CancelReport,
  type CancelSignal,
  type ExecRecord,
  type ExecStatus,
} from './execRecord.ts';
import { PreludeFilter, type PreludeReport } from './preludeFilter.ts';
import { SudoDialogue, type SudoFault, type SudoPassword } from './sudoDialogue.ts';

/** How long the result waits for the channel to close behind the exit status. Source: ssh.md 1.9. */
const closeWaitMs = 1_500;
/** How long a signal may take before the channel is closed. Source: ssh.md 1.9. */
const signalWaitMs = 2_000;
const groupKillDeadlineMs = 5_000;
/** A channel that ends without a status may be the first sign of a lost link. */
const lossWaitMs = 500;
/** While our own back-pressure holds output back, the close is waited for again, this often at most. */
const closeRounds = 4;
const lineFeed = Uint8Array.of(0x0a);

export interface StartedCommand {
  readonly execId: string;
  readonly hostId: HostId;
  readonly scope: string;
  readonly callId: CallId;
  readonly command: string;
  readonly proven: boolean;
  /** See `ExecRecord`. */
  readonly trust: readonly string[];
  readonly lease: Lease;
  readonly channel: ManagedChannel;
  /** Mark of the prelude's report line; absent when nothing but the command was sent. */
  readonly mark: string | undefined;
  readonly stdin: { readonly text: string; readonly keepOpen: boolean } | undefined;
  readonly timeoutMs: number | undefined;
  /** Written in front of `stdin`. The command disposes it. */
  readonly secret?: CommandSecret;
}

/** A secret for a command: for `sudo` at its prompt, or as the first line of any other one's input. */
export type CommandSecret =
  | { readonly kind: 'sudo'; readonly password: SudoPassword }
  | { readonly kind: 'input'; readonly secret: ConsumedSecret };

/** What is written to a running command: bytes as they are, or a secret with a line feed behind it. */
export type InputPart =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'secret'; readonly secret: ConsumedSecret };

/**
 * One command on its own exec channel, from dispatch to its end. It owns channel and lease and gives them back at the end or when
 * disposed; disposing a running command closes the channel, and the remote process may survive. Output is pushed to the sink in
 * arrival order with back-pressure. Source: ssh.md 1.9.
 */
export class RemoteCommand implements Disposable {
  /** Resolves once, when nothing more will change. Never rejects. */
  readonly ended: Promise<void>;
  readonly #start: StartedCommand;
  readonly #clock: ClockPort;
  readonly #sink: Pick<CommandOutput, 'push' | 'end'>;
  readonly #bag = new DisposableBag();
  readonly #outputCame = this.#bag.add(new Emitter<void>());
  readonly #startedAt: number;
  readonly #startedMonotonic: number;
  /** Resolves at the exit status, before the channel closed. */
  readonly #exited: Promise<void>;
  #markEnded = (): void => {};
  #giveUp = (): void => {};
  readonly #gaveUp: Promise<void>;
  #end:
    | { readonly status: ExecStatus; readonly exit: ChannelExit; readonly note: string | undefined }
    | undefined;
  #endedMonotonic: number | undefined;
  readonly #sudo: SudoDialogue | undefined;
  #processGroup: number | undefined;
  #directoryRefused = false;
  #outputBytes = 0;
  #stderrBytes = 0;
  readonly #input: CommandInput;
  #timedOut = false;
  /** What the channel said about its end. */
  #told: ChannelExit | undefined;
  #linkLost = false;
  #hasOutlivedACall = false;
  #groupKilled = false;
  /** Running cancels; the record is final only behind them. */
  #cancels: Promise<unknown> | undefined;
  #backlog: Promise<void> | undefined;

  constructor(start: StartedCommand, sink: Pick<CommandOutput, 'push' | 'end'>, clock: ClockPort) {
    this.#start = start;
    this.#sink = sink;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
    this.ended = new Promise((resolve) => (this.#markEnded = resolve));
    this.#gaveUp = new Promise((resolve) => (this.#giveUp = resolve));
    this.#bag.add({ dispose: () => start.lease.release() });
    this.#bag.add({ dispose: () => start.channel.close() });
    this.#input = new CommandInput(start.channel, clock);
    this.#bag.add({ dispose: () => this.#input.ended() });
    this.#sudo = this.#startSudo();
    if (start.secret?.kind === 'input') this.#bag.add(start.secret.secret);
    this.#bag.add(this.#listen());
    void start.lease.lost.then(() => (this.#linkLost = true));
    this.#exited = start.channel.exit.then((exit) => void (this.#told = exit));
    void this.#watch();
    this.#input.begin(() => this.#feed());
    if (start.timeoutMs !== undefined)
      this.#bag.add(clock.after(start.timeoutMs, () => void this.#timeOut()));
  }

  /** Output was handed to the sink. */
  readonly onOutput: Event<void> = (listener) => this.#outputCame.event(listener);

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  /** A call stopped waiting for it before its end, so that end is in no answer yet. */
  get hasOutlivedACall(): boolean {
    return this.#hasOutlivedACall;
  }

  record(): ExecRecord {
    const exit = this.#end?.exit;
    return {
      execId: this.#start.execId,
      hostId: this.#start.hostId,
      scope: this.#start.scope,
      callId: this.#start.callId,
      command: this.#start.command,
      status: this.#end?.status ?? 'running',
      exitCode: exit?.kind === 'code' ? exit.code : undefined,
      signal: exit?.kind === 'signal' ? exit.signal : undefined,
      timedOut: this.#timedOut,
      startedAt: this.#startedAt,
      durationMs: Math.round((this.#endedMonotonic ?? this.#clock.monotonic()) - this.#startedMonotonic),
      outputBytes: this.#outputBytes,
      stderrBytes: this.#stderrBytes,
      stdinOpen: this.#input.isOpen,
      proven: this.#start.proven,
      trust: this.#start.trust,
      directoryRefused: this.#directoryRefused,
      sudoFault: this.#end && this.#sudoFault(this.#end.exit),
      note: this.#end?.note,
    };
  }

  /** Resolves at the end, after `maxMs`, or when `interrupted` does, whichever is first. Rejects when `signal` aborts. */
  async wait(
    limit: { readonly maxMs: number; readonly interrupted: Promise<void> },
    signal: AbortSignal,
  ): Promise<void> {
    if (!this.isRunning) return;
    const ready = settledWithin(Promise.race([this.ended, limit.interrupted]), limit.maxMs, this.#clock);
    try {
      await orAborted(ready, signal);
    } finally {
      if (this.#end === undefined) this.#hasOutlivedACall = true;
    }
  }

  /**
   * Writes to the input, behind what is written already. `take` is called at its turn and only while the input is open; a secret from it
   * is the command's, which disposes it. Rejects with what `take` throws, or when `signal` aborts; what was handed over by then is on
   * its way. Source: tools.md, `ssh_exec_stdin`.
   */
  write(
    input: { readonly take: () => InputPart; readonly closes: boolean },
    signal: AbortSignal,
  ): Promise<InputOutcome> {
    const take = (): readonly Uint8Array[] => {
      const part = input.take();
      if (part.kind === 'bytes') return [part.bytes];
      this.#bag.add(part.secret);
      return [part.secret.bytes, lineFeed];
    };
    return this.#input.write({ take, closes: input.closes }, signal);
  }

  /**
   * Signal, two seconds, channel close; with KILL also the process group that the prelude reported. An abort stops the caller's
   * waiting only. Source: tools.md, `ssh_exec_cancel`.
   */
  cancel(name: CancelSignal, signal: AbortSignal): Promise<CancelReport> {
    return orAborted(this.#cancel(name), signal);
  }

  dispose(): void {
    this.#finish('lost', { kind: 'unknown', reason: 'the window closed' }, lostNote(this.#processGroup));
  }

  #listen(): Disposable {
    const { channel, mark } = this.#start;
    const filter =
      mark === undefined ? undefined : new PreludeFilter(mark, (report) => this.#preludeReported(report));
    const subscription = channel.onData(({ stream, bytes }) => {
      const own = stream === 'stderr' ? (filter?.push(bytes) ?? bytes) : bytes;
      this.#took(this.#sudo?.push(own, stream) ?? own, stream);
    });
    void channel.closed.then(() => {
      if (this.#end !== undefined) return;
      const rest = filter?.end();
      if (rest !== undefined) this.#took(this.#sudo?.push(rest, 'stderr') ?? rest, 'stderr');
      for (const stream of ['stdout', 'stderr'] as const) {
        const held = this.#sudo?.end(stream);
        if (held !== undefined) this.#took(held, stream);
      }
    });
    return subscription;
  }

  #took(bytes: Uint8Array, source: OutputSource): void {
    if (source === 'stderr') this.#stderrBytes += bytes.length;
    this.#take(bytes, source);
  }

  #startSudo(): SudoDialogue | undefined {
    const { secret, channel } = this.#start;
    if (secret?.kind !== 'sudo') return undefined;
    return this.#bag.add(
      new SudoDialogue({
        password: secret.password,
        clock: this.#clock,
        write: (bytes) => channel.write(bytes),
        onStuck: () => void this.#cancel('TERM'),
      }),
    );
  }

  #sudoFault(exit: ChannelExit): SudoFault | undefined {
    return this.#sudo?.fault(exit.kind === 'code' ? exit.code : undefined);
  }

  #take(bytes: Uint8Array, source: OutputSource): void {
    if (bytes.length === 0) return;
    this.#outputBytes += bytes.length;
    const full = this.#sink.push(bytes, source);
    this.#outputCame.fire();
    if (full === undefined) return;
    this.#start.channel.pause();
    const backlog = Promise.allSettled([this.#backlog, full]).then(() => {
      if (this.#backlog !== backlog) return;
      this.#backlog = undefined;
      this.#start.channel.resume();
    });
    this.#backlog = backlog;
  }

  #preludeReported(report: PreludeReport): void {
    if (report.kind === 'started') this.#processGroup = report.processGroup;
    else this.#directoryRefused = true;
  }

  /** A secret first, then the input. True when the input stays open behind it; rejects when the command does not read. */
  async #feed(): Promise<boolean> {
    const { channel, stdin } = this.#start;
    const mayFollow = await this.#feedSecret();
    if (mayFollow && stdin !== undefined && stdin.text !== '')
      await channel.write(Buffer.from(stdin.text, 'utf8'));
    return mayFollow && stdin?.keepOpen === true;
  }

  /** Whether the input is the command's now. The bytes of a secret are not copied. */
  async #feedSecret(): Promise<boolean> {
    const { channel, secret } = this.#start;
    if (this.#sudo !== undefined) return this.#sudo.inputMayFollow;
    if (secret?.kind !== 'input') return true;
    await channel.write(secret.secret.bytes);
    await channel.write(lineFeed);
    return true;
  }

  async #watch(): Promise<void> {
    const { channel, lease } = this.#start;
    const unknown = (reason: string): ChannelExit => ({ kind: 'unknown', reason });
    const exit = await Promise.race([
      channel.exit,
      lease.lost.then(() => unknown('link lost')),
      this.#gaveUp.then(() => unknown('the channel did not close')),
    ]);
    this.#endedMonotonic = this.#clock.monotonic();
    const closed = await this.#closedInTime();
    await this.#backlog;
    await this.#cancels;
    const isOurDoing = this.#cancels !== undefined;
    if (exit.kind === 'unknown' && !isOurDoing) await settledWithin(lease.lost, lossWaitMs, this.#clock);
    this.#finish(this.#statusOf(exit), exit, this.#noteOf(exit, closed));
  }

  async #closedInTime(): Promise<boolean> {
    const { channel, lease } = this.#start;
    const over = Promise.race([channel.closed, lease.lost, this.#gaveUp]);
    for (let round = 1; round <= closeRounds; round++) {
      if (await settledWithin(over, closeWaitMs, this.#clock)) return true;
      if (this.#backlog === undefined) return false;
    }
    return false;
  }

  #statusOf(exit: ChannelExit): ExecStatus {
    if (exit.kind === 'unknown' && this.#linkLost) return 'lost';
    if (this.#cancels !== undefined) return 'cancelled';
    return exit.kind === 'signal' ? 'signalled' : 'exited';
  }

  #noteOf(exit: ChannelExit, closed: boolean): string | undefined {
    const sudoFault = this.#sudoFault(exit);
    if (sudoFault !== undefined) return notes[sudoFault];
    if (exit.kind !== 'unknown') {
      if (!closed) return notes.stayedOpen;
      return this.#linkLost ? notes.outputCut : undefined;
    }
    if (this.#linkLost) return lostNote(this.#processGroup);
    if (this.#cancels === undefined) return notes.noStatus;
    return this.#groupKilled ? undefined : notes.survives;
  }

  #finish(status: ExecStatus, exit: ChannelExit, note: string | undefined): void {
    if (this.#end !== undefined) return;
    this.#endedMonotonic ??= this.#clock.monotonic();
    this.#end = { status, exit, note };
    this.#bag.dispose();
    this.#sink.end();
    this.#markEnded();
  }

  async #timeOut(): Promise<void> {
    if (!this.isRunning) return;
    this.#timedOut = true;
    await this.#cancel('TERM');
  }

  async #cancel(name: CancelSignal): Promise<CancelReport> {
    if (!this.isRunning) return { method: undefined, outcomeKnown: this.#isOutcomeKnown() };
    const steps = this.#cancelSteps(name);
    this.#cancels = Promise.allSettled([this.#cancels, steps]);
    const method = await steps;
    await this.ended;
    return { method, outcomeKnown: this.#groupKilled || this.#isOutcomeKnown() };
  }

  async #cancelSteps(name: CancelSignal): Promise<NonNullable<CancelReport['method']>> {
    const { channel } = this.#start;
    if (channel.signal(name) && (await settledWithin(this.#exited, signalWaitMs, this.#clock)))
      return 'signal';
    channel.close();
    await settledWithin(this.#exited, closeWaitMs, this.#clock);
    const isGone = this.#linkLost || (this.#told !== undefined && this.#told.kind !== 'unknown');
    if (name === 'KILL' && this.#processGroup !== undefined && !isGone) {
      this.#groupKilled = await this.#killGroup(this.#processGroup);
      await settledWithin(this.#exited, closeWaitMs, this.#clock);
    }
    if (this.#told === undefined) this.#giveUp();
    return this.#groupKilled ? 'group_kill' : 'channel_close';
  }

  #isOutcomeKnown(): boolean {
    return this.#end !== undefined && this.#end.exit.kind !== 'unknown';
  }

  /** Kills the recorded group over a second channel; true when the host confirmed it. */
  async #killGroup(group: number): Promise<boolean> {
    const limit = deadline(
      this.#clock,
      { delayMs: groupKillDeadlineMs, what: 'killing the process group' },
      neverAborted,
    );
    let channel: ManagedChannel | undefined;
    try {
      channel = await this.#start.lease.exec(
        { command: `kill -KILL -- -${group}`, isUrgent: true },
        limit.signal,
      );
      channel.end();
      const exit = await orAborted(channel.exit, limit.signal);
      return exit.kind === 'code' && exit.code === 0;
    } catch {
      return false;
    } finally {
      channel?.close();
      limit.dispose();
    }
  }
}
