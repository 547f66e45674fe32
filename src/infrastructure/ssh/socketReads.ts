import net from 'node:net';

/** What one read of a socket brings at most: at first, and while the peer sends more than is read. */
const readBytes = { first: 16 * 1024, most: 64 * 1024 } as const;

/**
 * Connects a socket that reads into one buffer over and over: a new buffer for each read is what a large transfer spends most of its time
 * on, in the garbage collector of the whole extension host. The buffer grows while the peer fills it.
 */
export class SocketReads {
  readonly socket: net.Socket;
  #isShared = false;
  #buffer = Buffer.allocUnsafeSlow(readBytes.first);
  #wasFilled = false;

  /** Throws as `net.connect`. The caller owns the socket. */
  constructor(options: net.TcpNetConnectOpts) {
    this.socket = net.connect({
      ...options,
      onread: { buffer: () => this.#next(), callback: (length) => this.#arrived(length) },
    });
  }

  /**
   * Whether whoever listens for `data` is done with each chunk when the listener returns. Until it says so, a chunk is a copy of its own;
   * what nobody takes at once always is.
   */
  share(isShared: boolean): void {
    this.#isShared = isShared;
  }

  #next(): Buffer {
    if (this.#wasFilled && this.#buffer.length < readBytes.most)
      this.#buffer = Buffer.allocUnsafeSlow(this.#buffer.length * 2);
    this.#wasFilled = false;
    return this.#buffer;
  }

  /** False: the socket is not to be read from until somebody resumes it. */
  #arrived(length: number): boolean {
    const { socket } = this;
    this.#wasFilled = length === this.#buffer.length;
    const bytes = this.#buffer.subarray(0, length);
    const isTakenAtOnce =
      socket.readableFlowing === true && socket.readableLength === 0 && socket.listenerCount('data') > 0;
    if (!this.#isShared || !isTakenAtOnce) return socket.push(Buffer.from(bytes));
    socket.emit('data', bytes);
    return !socket.isPaused();
  }
}
