import type * as Sqlite from 'node:sqlite';

export type SqliteModule = typeof Sqlite;

/**
 * The runtime's SQLite, or undefined where the runtime was built without it. Asked for by name at run time, so that a fork of the
 * editor without it still loads this bundle. The one warning that Node 22 prints while the module loads is kept out of the log.
 * Source: vscode.md 9; dependencies.md, `node:sqlite`.
 */
export function loadSqlite(): SqliteModule | undefined {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning');
  Reflect.set(process, 'emitWarning', () => {});
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
}
