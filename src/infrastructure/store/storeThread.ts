import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { abortReason, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import type { Row } from './connection.ts';
import type { Statement } from './storeWorker.ts';

/** A thread nobody asked for this long ends; the next job starts one. */
const idleMs = 30_000;

/** Statements that run on one state of the store. */
export interface ThreadJob {
  /** `write` takes the write lock at once and commits, all or nothing. */
  readonly kind: 'read' | 'write';
  readonly statements: readonly Statement[];
}

/** Of one statement. */
export interface ThreadAnswer {
  readonly rows: readonly Row[];
  /** Rows that it changed. */
  readonly changes: number;
}

/** What the thread starts with. */
interface ThreadData {
  readonly path: string;
  readonly readOnly: boolean;
  readonly setup: readonly string[];
}

type Message =
  | { readonly ok: true; readonly answers: readonly ThreadAnswer[] }
  | { readonly ok: false; readonly message: string; readonly errcode: number | undefined };

export interface StoreThreadOptions {
  readonly path: string;
  /** The file is opened for reading only. */
  readonly isReadOnly: () => boolean;
  /** Pragmas that hold for its connection. */
  readonly setup: readonly string[];
  readonly clock: ClockPort;
}

/**
 * A thread with a connection of its own that stays warm between jobs, for queries too long for the calling thread. Jobs run one
 * after the other. Disposing ends the thread and refuses what waits. Source: vscode.md 9.
 */
export class StoreThread implements Disposable {
  readonly #options: StoreThreadOptions;
  readonly #closing = new AbortController();
  #worker: Worker | undefined;
  #idle: Disposable | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: StoreThreadOptions) {
    this.#options = options;
  }

  /**
   * Resolves with one answer a statement. Rejects with what SQLite reported, or with the signal's reason; then the job may go on for
   * a moment, and a `write` may or may not have been committed.
   */
  run(job: ThreadJob, signal: AbortSignal): Promise<readonly ThreadAnswer[]> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const turn = this.#last.then(() => this.#runNow(job, either));
    this.#last = turn.catch(() => {});
    return turn;
  }

  dispose(): void {
    this.#closing.abort(new Error('the store is closed'));
    this.#end();
  }

  #runNow(job: ThreadJob, signal: AbortSignal): Promise<readonly ThreadAnswer[]> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const worker = this.#wake();
      const settle = (end: () => void): void => {
        signal.removeEventListener('abort', stopped);
        worker.off('message', answered).off('error', failed).off('exit', gone);
        this.#rest();
        end();
      };
      const answered = (message: Message): void =>
        settle(() => {
          if (message.ok) resolve(message.answers);
          else reject(Object.assign(new Error(message.message), { errcode: message.errcode }));
        });
      const failed = (error: Error): void => {
        this.#end();
        settle(() => reject(error));
      };
      const gone = (): void => failed(new Error('the thread of the store ended early'));
      const stopped = (): void => failed(abortReason(signal));
      signal.addEventListener('abort', stopped, { once: true });
      worker.on('message', answered).on('error', failed).on('exit', gone);
      worker.postMessage(job);
    });
  }

  #wake(): Worker {
    this.#idle?.dispose();
    this.#idle = undefined;
    this.#worker ??= this.#start();
    this.#worker.ref();
    return this.#worker;
  }

  #start(): Worker {
    const { path, isReadOnly, setup } = this.#options;
    const workerData: ThreadData = { path, readOnly: isReadOnly(), setup };
    const worker = new Worker(`(${threadMain.toString()})()`, { eval: true, workerData });
    // One that fails between jobs is replaced at the next.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  /** Keeps the thread for a while, but not the process. */
  #rest(): void {
    if (this.#worker === undefined) return;
    this.#worker.unref();
    this.#idle = this.#options.clock.after(idleMs, () => this.#end());
  }

  #end(): void {
    this.#idle?.dispose();
    this.#idle = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

/** Becomes the text of the thread, so it may use nothing from outside itself: no imports, no helpers, no constants. */
function threadMain(): void {
  const threads = process.getBuiltinModule('node:worker_threads');
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { path, readOnly, setup } = threads.workerData as ThreadData;
  let database: DatabaseSync | undefined;
  const prepared = new Map<string, StatementSync>();
  threads.parentPort?.on('message', (job: ThreadJob) => {
    let message: Message;
    try {
      database ??= open();
      message = { ok: true, answers: run(job, database) };
    } catch (error) {
      const known = error instanceof Error ? error : new Error(String(error));
      const errcode = 'errcode' in known && typeof known.errcode === 'number' ? known.errcode : undefined;
      message = { ok: false, message: known.message, errcode };
    }
    threads.parentPort?.postMessage(message);
  });

  function open(): DatabaseSync {
    const opened = new DatabaseSync(path, { readOnly });
    for (const sql of setup) opened.exec(sql);
    // `text REGEXP pattern`, without accents and in any case; SQLite has the operator and leaves its meaning to us.
    opened.function('regexp', { deterministic: true }, (pattern, text) => {
      const compared = String(text)
        .normalize('NFD')
        .replaceAll(/\p{Mn}/gu, '')
        .normalize('NFC');
      return Number(new RegExp(String(pattern), 'iu').test(compared));
    });
    return opened;
  }

  function run({ kind, statements }: ThreadJob, opened: DatabaseSync): ThreadAnswer[] {
    opened.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
    try {
      const answers = statements.map(({ sql, values }) => {
        const statement = prepared.get(sql) ?? opened.prepare(sql);
        prepared.set(sql, statement);
        if (statement.columns().length === 0)
          return { rows: [], changes: Number(statement.run(...values).changes) };
        return { rows: statement.all(...values).map((row) => ({ ...row })), changes: 0 };
      });
      opened.exec('COMMIT');
      return answers;
    } catch (error) {
      // Some errors have ended the transaction already.
      if (opened.isTransaction) opened.exec('ROLLBACK');
      throw error;
    }
  }
}
