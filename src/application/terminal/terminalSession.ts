import { DisposableBag, Emitter, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import { faultOf, type Fault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Paste } from '../../domain/terminal/paste.ts';
import type { ChannelExit, ConnectionManager, Lease, ManagedChannel } from '../ports/connection.ts';
import { OutputThrottle } from './outputThrottle.ts';
import { sendPaste, type PasteOutcome } from './sendPaste.ts';

export interface TerminalSize {
  readonly rows: number;
  readonly cols: number;
}

/** What a terminal is doing. `ended` and `failed` and `lost` keep the pane open and readable. Source: ssh.md 7.2. */
export type TerminalState =
  | { readonly k: 'connecting' }
  | { readonly k: 'open'; readonly user: string }
  | { readonly k: 'ended'; readonly exit: ChannelExit }
  | { readonly k: 'lost'; readonly fault: Fault }
  | { readonly k: 'failed'; readonly fault: Fault }
  | { readonly k: 'closed' };

const resizeDebounceMs = 50;
const defaultSize: TerminalSize = { rows: 24, cols: 80 };

/**
 * One interactive shell of a person on a host. Owns its lease and channel; `dispose` ends both. Output is text from one streaming
 * decoder, so packet borders never damage characters, and is throttled; nothing is dropped. The assistant has no way in here.
 */
export class TerminalSession implements Disposable {
  readonly hostId: HostId;
  readonly #connections: ConnectionManager;
  readonly #clock: ClockPort;
  readonly #output = new Emitter<string>();
  readonly #stateChange = new Emitter<TerminalState>();
  #state: TerminalState = { k: 'closed' };
  #size = defaultSize;
  #resizeTimer: Disposable | undefined;
  #shell: OpenShell | undefined;
  #attempt: AbortController | undefined;
  /** It has had a shell before. */
  #hasOpened = false;
  /** While the pane shows that its connection was lost, it wants the host back. */
  #wanted: Disposable | undefined;

  constructor(options: { hostId: HostId; connections: ConnectionManager; clock: ClockPort }) {
    this.hostId = options.hostId;
    this.#connections = options.connections;
    this.#clock = options.clock;
  }

  readonly onOutput: Event<string> = (listener) => this.#output.event(listener);
  readonly onDidChangeState: Event<TerminalState> = (listener) => this.#stateChange.event(listener);

  get state(): TerminalState {
    return this.#state;
  }

  /** Connects and opens a shell; resolves when it is open or has failed (see `state`). Does nothing while one is open. */
  async start(size: TerminalSize | undefined): Promise<void> {
    if (this.#shell !== undefined || this.#attempt !== undefined) return;
    if (size !== undefined) this.#size = positive(size) ?? this.#size;
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#want(false);
    this.#setState({ k: 'connecting' });
    let lease: Lease | undefined;
    try {
      lease = await this.#connections.acquire(this.hostId, 'terminal', attempt.signal);
      const channel = await lease.shell({ ...this.#size, environment: [] }, attempt.signal);
      if (attempt.signal.aborted) {
        channel.close();
        lease.release();
        return;
      }
      this.#open(lease, channel);
    } catch (error) {
      lease?.release();
      if (!attempt.signal.aborted) this.#setState({ k: 'failed', fault: faultOf(error) });
    } finally {
      if (this.#attempt === attempt) this.#attempt = undefined;
    }
  }

  /** Sends keys at once; ignored while no shell is open. */
  input(text: string): void {
    const shell = this.#shell;
    if (shell === undefined) return;
    shell.throttle.inputHappened();
    // A refused write means that the channel is closing, which arrives as its own event.
    void shell.channel.write(Buffer.from(text, 'utf8')).catch(() => undefined);
  }

  /** The shell that is open, the same object as long as it is; undefined while none is. */
  get shell(): object | undefined {
    return this.#shell;
  }

  /**
   * Sends a paste to the shell it was meant for, in pieces and no faster than the server reads. `gone` when another shell or none is open,
   * and when it ends meanwhile; an abort cancels what is not on its way yet. Never rejects. Source: ssh.md 7.5.
   */
  async paste(
    paste: Paste,
    { shell, onSent }: { readonly shell: object; readonly onSent?: (bytes: number) => void },
    signal: AbortSignal,
  ): Promise<PasteOutcome> {
    const open = this.#shell;
    if (open === undefined || open !== shell) return 'gone';
    open.throttle.inputHappened();
    const giveWay = (): Promise<void> => this.#clock.sleep(0, signal);
    const order = { paste, giveWay, ...(onSent === undefined ? {} : { onSent }) };
    return sendPaste(open.channel, order, signal);
  }

  /** The last size wins; sent 50 ms after the last change. */
  resize(size: TerminalSize): void {
    const valid = positive(size);
    if (valid === undefined) return;
    this.#size = valid;
    this.#resizeTimer?.dispose();
    this.#resizeTimer = this.#clock.after(resizeDebounceMs, () => {
      this.#resizeTimer = undefined;
      this.#shell?.channel.resize(this.#size);
    });
  }

  dispose(): void {
    this.#attempt?.abort(new Error('terminal closed'));
    this.#attempt = undefined;
    this.#want(false);
    this.#resizeTimer?.dispose();
    this.#shell?.bag.dispose();
    this.#shell = undefined;
    this.#setState({ k: 'closed' });
    this.#output.dispose();
    this.#stateChange.dispose();
  }

  #open(lease: Lease, channel: ManagedChannel): void {
    const bag = new DisposableBag();
    const decoder = new TextDecoder('utf-8');
    const throttle = bag.add(
      new OutputThrottle(
        {
          write: (text) => this.#output.fire(text),
          pause: () => channel.pause(),
          resume: () => channel.resume(),
        },
        this.#clock,
      ),
    );
    const shell: OpenShell = { bag, channel, throttle };
    bag.add({ dispose: () => channel.close() });
    bag.add({ dispose: () => lease.release() });
    // A pane that is taken up again goes on where it was.
    const banner = this.#hasOpened ? '' : lease.takeBanner();
    if (banner !== '') throttle.push(`${banner.split('\n').join('\r\n')}\r\n`);
    this.#hasOpened = true;
    bag.add(channel.onData(({ bytes }) => throttle.push(decoder.decode(bytes, { stream: true }))));
    this.#shell = shell;
    this.#setState({ k: 'open', user: lease.user });
    channel.resize(this.#size);
    let lost: Fault | undefined;
    void lease.lost.then((fault) => {
      lost = fault;
      return this.#finish(shell, { k: 'lost', fault });
    });
    void channel.closed.then(async () => {
      const exit = await channel.exit;
      throttle.push(decoder.decode());
      this.#finish(shell, lost === undefined ? { k: 'ended', exit } : { k: 'lost', fault: lost });
    });
  }

  #finish(shell: OpenShell, state: TerminalState): void {
    if (this.#shell !== shell) return;
    this.#shell = undefined;
    this.#want(state.k === 'lost');
    shell.throttle.drain();
    shell.bag.dispose();
    this.#setState(state);
  }

  #want(isWanted: boolean): void {
    this.#wanted?.dispose();
    this.#wanted = isWanted ? this.#connections.keepConnected(this.hostId) : undefined;
  }

  #setState(state: TerminalState): void {
    this.#state = state;
    this.#stateChange.fire(state);
  }
}

interface OpenShell {
  readonly bag: DisposableBag;
  readonly channel: ManagedChannel;
  readonly throttle: OutputThrottle;
}

function positive(size: TerminalSize): TerminalSize | undefined {
  return size.rows > 0 && size.cols > 0 ? size : undefined;
}
