import path from 'node:path';
import { Emitter, systemClock, type ClockPort } from '../../../src/agentkit/index.ts';
import { TransferQueue, type TransferEntry } from '../../../src/application/transfer/queue/transferQueue.ts';
import type { HostId } from '../../../src/domain/host/hostId.ts';
import type { TransferId, TransferPlace } from '../../../src/domain/transfer/transferRecord.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { type SftpScript } from '../../lab/scriptedSftp.ts';
import { shapeRedactor } from '../../support/shapeRedactor.ts';
import { silentLog } from '../../support/silentLog.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { TransferBench } from './transferBench.ts';

/** One window with its queue. */
export interface QueueWindow {
  readonly queue: TransferQueue;
  readonly store: Store;
}

/** Queues of several windows over one store, real files and scripted servers. Whoever makes one disposes it. */
export class QueueBench {
  readonly files = new TransferBench();
  readonly #windows: QueueWindow[] = [];
  /** What servers do that are opened from now on. */
  script: SftpScript = {};
  /** Opening waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** How many channels were opened. */
  opened = 0;
  /** How many small files somebody was asked about; the answer is no. */
  readonly archivesAsked: number[] = [];

  isConnected = true;
  /** The host is connected again. */
  readonly connected = new Emitter<HostId>((error) => {
    throw error;
  });
  /** A channel was given back. */
  readonly released = new Emitter<void>((error) => {
    throw error;
  });
  /** What the hosts were that channels were opened for, where that was said. */
  readonly shown = new Set<string | undefined>();

  window(options: { readonly clock?: ClockPort } = {}): QueueWindow {
    const clock = options.clock ?? systemClock;
    const store = openStore({
      directory: path.join(this.files.folder, 'store'),
      clock,
      windowId: `window-${String(this.#windows.length)}`,
      log: silentLog,
    });
    const queue = new TransferQueue({
      engine: this.files.engine,
      store: store.transfers,
      changes: store.state,
      hosts: {
        openTransfer: async (_host, signal, shown) => {
          this.shown.add(shown);
          this.opened += 1;
          await untilAborted(this.gate, signal);
          const held = await this.files.there('', this.script).open(signal);
          const release = (): void => {
            held.release();
            this.released.fire();
          };
          return { ...held, release };
        },
        archivesOf: () => ({
          mayUse: async (files) => {
            this.archivesAsked.push(files);
            return false;
          },
          start: () => Promise.reject(new Error('nobody agreed')),
        }),
      },
      isConnected: () => this.isConnected,
      onDidConnect: this.connected.event,
      redactor: shapeRedactor,
      clock,
      log: silentLog,
    });
    const window = { queue, store };
    this.#windows.push(window);
    return window;
  }

  here(...names: string[]): TransferPlace {
    return { k: 'local', folder: this.files.local, path: names };
  }

  there(name: string): TransferPlace {
    return { k: 'remote', host: this.files.host, path: path.posix.join(this.files.remote, name) };
  }

  async dispose(): Promise<void> {
    for (const { queue, store } of this.#windows) {
      await queue.close();
      store.dispose();
    }
    this.files.dispose();
  }
}

function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve);
  });
}

/** The entry, once it is as wanted; fails loudly when that never happens. */
export function entryThat(
  queue: TransferQueue,
  id: TransferId,
  isWanted: (entry: TransferEntry) => boolean,
): Promise<TransferEntry> {
  const seen = new Promise<TransferEntry>((resolve, reject) => {
    const look = (): void =>
      void queue.entry(id).then((entry) => {
        if (entry === undefined || !isWanted(entry)) return;
        listening.dispose();
        resolve(entry);
      }, reject);
    const listening = queue.onDidChange(look);
    look();
  });
  return withinDeadline('the entry to be as wanted', seen);
}

/** The entry once nothing happens with it any more. */
export function settledEntry(queue: TransferQueue, id: TransferId): Promise<TransferEntry> {
  return entryThat(
    queue,
    id,
    ({ record, holder }) => record.state !== 'queued' && record.state !== 'running' && holder === undefined,
  );
}
