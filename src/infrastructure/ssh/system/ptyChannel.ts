import { Emitter, type Disposable } from '../../../agentkit/index.ts';
import type { ManagedChannel, ShellOptions } from '../../../application/ports/connection.ts';

type Size = Pick<ShellOptions, 'rows' | 'cols'>;
type Data = { readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array };

export interface PtyChannelOptions {
  /** Its first line is the path of its terminal, which it had in this size from the start. */
  readonly child: ManagedChannel;
  readonly size: Size;
  /** Changes the size of a terminal. Resolves when that is done, or could not be. */
  readonly setSize: (path: string, size: Size) => Promise<void>;
}

/** No path of a terminal is longer; what does not begin with one is shown as it is. */
const longestPath = 256;

/**
 * A child in a terminal of this machine as a channel: whose size changes there, `ssh` tells it the server. What is written waits until the
 * terminal is there. Whoever holds it closes it.
 */
export class PtyChannel implements ManagedChannel {
  readonly exit: ManagedChannel['exit'];
  readonly closed: ManagedChannel['closed'];
  readonly #options: PtyChannelOptions;
  readonly #data = new Emitter<Data>();
  readonly #isThere: Promise<void>;
  #tellThere: () => void = () => {};
  #head: Uint8Array | undefined = new Uint8Array(0);
  /** What came before anybody listened. */
  #early: Data[] = [];
  #isHeard = false;
  #isPaused = false;
  #path: string | undefined;
  #wanted: Size;
  #current: Size;
  #isSetting = false;

  constructor(options: PtyChannelOptions) {
    const { child, size } = options;
    this.#options = options;
    this.exit = child.exit;
    this.closed = child.closed;
    this.#wanted = size;
    this.#current = size;
    this.#isThere = new Promise((resolve) => (this.#tellThere = resolve));
    child.onData((data) => this.#take(data));
    void child.closed.then(() => {
      this.#path = undefined;
      this.#endOfHead();
    });
  }

  readonly onData: ManagedChannel['onData'] = (listener) => {
    const subscription: Disposable = this.#data.event(listener);
    this.#isHeard = true;
    for (const data of this.#early.splice(0)) this.#data.fire(data);
    if (!this.#isPaused) this.#options.child.resume();
    return subscription;
  };

  pause(): void {
    this.#isPaused = true;
    this.#options.child.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#options.child.resume();
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#isThere;
    await this.#options.child.write(bytes);
  }

  end(): void {
    this.#options.child.end();
  }

  resize(size: Size): void {
    if (!(size.rows > 0) || !(size.cols > 0)) return;
    this.#wanted = size;
    void this.#setSize();
  }

  signal(): boolean {
    return false;
  }

  close(): void {
    this.#path = undefined;
    this.#data.dispose();
    this.#options.child.close();
  }

  /** One change at a time; the last size wins. */
  async #setSize(): Promise<void> {
    if (this.#isSetting) return;
    this.#isSetting = true;
    while (this.#path !== undefined && !isSame(this.#wanted, this.#current)) {
      this.#current = this.#wanted;
      await this.#options.setSize(this.#path, this.#current);
    }
    this.#isSetting = false;
  }

  #take(data: Data): void {
    if (this.#head === undefined || data.stream === 'stderr') return this.#pass(data);
    const bytes = Buffer.concat([this.#head, data.bytes]);
    const end = bytes.indexOf('\n');
    if (end < 0 && bytes.length < longestPath) {
      this.#head = bytes;
      return;
    }
    const line = bytes.subarray(0, Math.max(0, end)).toString('latin1').trimEnd();
    const isPath = /^\/dev\/[\w/.-]+$/.test(line);
    if (isPath) this.#path = line;
    this.#head = isPath ? bytes.subarray(end + 1) : bytes;
    this.#endOfHead();
    void this.#setSize();
  }

  /** What is left of it is output. */
  #endOfHead(): void {
    const rest = this.#head;
    this.#head = undefined;
    this.#tellThere();
    if (rest !== undefined && rest.length > 0) this.#pass({ stream: 'stdout', bytes: rest });
  }

  #pass(data: Data): void {
    if (this.#isHeard) return this.#data.fire(data);
    this.#early.push(data);
    this.#options.child.pause();
  }
}

function isSame(a: Size, b: Size): boolean {
  return a.rows === b.rows && a.cols === b.cols;
}
