import { Worker } from 'node:worker_threads';
import { abortReason } from '../../agentkit/index.ts';
import type { SqlValue } from './connection.ts';

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Work for a connection of its own, off the calling thread. */
export interface WorkerJob {
  readonly path: string;
  /** Pragmas that hold for this connection. */
  readonly setup: readonly string[];
  /** Run in one write transaction, all or nothing. */
  readonly transaction: readonly Statement[];
  /** Run one by one behind it, outside a transaction. */
  readonly after: readonly string[];
}

type Answer =
  | { readonly ok: true; readonly rows: readonly (Readonly<Record<string, unknown>> | undefined)[] }
  | { readonly ok: false; readonly message: string; readonly errcode: number | undefined };

/**
 * Runs a job on a thread that ends with it. Resolves with the first row of each statement of `after`; rejects with what SQLite
 * reported, or with the signal's reason, in which case the transaction may or may not have been committed.
 * Source: vscode.md 9: retention, checkpoint and vacuum run on a worker thread.
 */
export function runOnWorker(
  job: WorkerJob,
  signal: AbortSignal,
): Promise<Extract<Answer, { ok: true }>['rows']> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const worker = new Worker(`(${threadMain.toString()})()`, { eval: true, workerData: job });
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', stop);
      end();
    };
    const stop = (): void => {
      void worker.terminate();
      settle(() => reject(abortReason(signal)));
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (answer: Answer) =>
      settle(() => {
        if (answer.ok) resolve(answer.rows);
        else reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
      }),
    );
    worker.once('error', (error) => settle(() => reject(error)));
    worker.once('exit', () => settle(() => reject(new Error('the worker of the store ended early'))));
  });
}

/** Becomes the text of the thread, so it may use nothing from outside itself: no imports, no helpers, no constants. */
function threadMain(): void {
  const threads = process.getBuiltinModule('node:worker_threads');
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const job = threads.workerData as WorkerJob;
  try {
    const database = new DatabaseSync(job.path);
    for (const sql of job.setup) database.exec(sql);
    if (job.transaction.length > 0) {
      database.exec('BEGIN IMMEDIATE');
      for (const { sql, values } of job.transaction) database.prepare(sql).run(...values);
      database.exec('COMMIT');
    }
    // `exec` runs a pragma to its end; `get` would stop an incremental vacuum after its first page.
    const rows = job.after.map((sql) => {
      if (sql.startsWith('PRAGMA wal_checkpoint')) return { ...database.prepare(sql).get() };
      database.exec(sql);
      return undefined;
    });
    database.close();
    threads.parentPort?.postMessage({ ok: true, rows });
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    const errcode = 'errcode' in known && typeof known.errcode === 'number' ? known.errcode : undefined;
    threads.parentPort?.postMessage({ ok: false, message: known.message, errcode });
  }
}
