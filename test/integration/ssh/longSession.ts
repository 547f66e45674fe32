import { readdirSync } from 'node:fs';
import type { HostId } from '../../../src/domain/host/hostId.ts';
import { startSshd } from '../../lab/sshd.ts';
import { RouteBench } from './routeBench.ts';
import { finish, never, targetOf } from './sshBench.ts';

/** What a process holds from outside its own heap. */
export interface OpenThings {
  /** Files and sockets; 0 where the system does not list them. */
  readonly descriptors: number;
  /** What keeps the event loop alive: timers, sockets, child processes. */
  readonly resources: number;
}

export function openThings(): OpenThings {
  return {
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    resources: process.getActiveResourcesInfo().length,
  };
}

export interface SessionSize {
  readonly commands: number;
  readonly connects: number;
}

/** A session of one window with one host, whose server allows two channels at a time. Whoever starts it disposes it. */
export class LongSession {
  readonly #bench = new RouteBench();
  readonly #host: HostId;
  readonly #server: Awaited<ReturnType<typeof startSshd>>;

  private constructor(server: Awaited<ReturnType<typeof startSshd>>) {
    this.#server = server;
    this.#bench.ssh.person.answerHostKey = () => 'remember';
    this.#host = this.#bench.host(targetOf(server));
  }

  /** `MaxSessions 2` tells of a channel that is left open by refusing the second command after it. */
  static async start(): Promise<LongSession> {
    return new LongSession(await startSshd({ config: ['MaxSessions 2'] }));
  }

  /**
   * Runs `commands` one after the other on one warm connection, each with a lease of its own, then connects and disconnects `connects`
   * times. Ends disconnected, and with nothing left of what the server said, which the lab keeps in this process. Rejects when a command does not end with what it printed and status 0.
   */
  async live({ commands, connects }: SessionSize, note: (text: string) => void = () => {}): Promise<void> {
    const { manager } = this.#bench;
    for (let n = 1; n <= commands; n++) {
      await this.#run(String(n));
      if (n % 1_000 === 0) note(`${String(n)} commands`);
    }
    await this.#disconnect();
    for (let n = 1; n <= connects; n++) {
      const lease = await manager.acquire(this.#host, 'exec', never);
      manager.disconnect(this.#host);
      await lease.lost;
      if (n % 100 === 0) note(`${String(n)} connects`);
    }
    this.#server.forgetLog();
  }

  async #run(word: string): Promise<void> {
    const lease = await this.#bench.manager.acquire(this.#host, 'exec', never);
    try {
      const { stdout, exit } = await finish(await lease.exec(`echo ${word}`, never));
      if (exit.kind !== 'code' || exit.code !== 0 || stdout.toString() !== `${word}\n`)
        throw new Error(`command ${word} ended with ${JSON.stringify(exit)}: ${stdout.toString()}`);
    } finally {
      lease.release();
    }
  }

  async #disconnect(): Promise<void> {
    const lease = await this.#bench.manager.acquire(this.#host, 'exec', never);
    this.#bench.manager.disconnect(this.#host);
    await lease.lost;
  }

  async dispose(): Promise<void> {
    await this.#bench.dispose();
    await this.#server.stop();
  }
}
