import sqlite, { type Database as Connection, type Statement } from 'node-sqlite3-wasm';
import { type Database, DatabaseError, type DatabaseProblem, type SqlRow, type SqlValue } from './database.ts';

/** The binding reports SQLite's messages without their codes. */
const MESSAGES: readonly (readonly [DatabaseProblem, RegExp])[] = [
  ['damaged', /malformed|not a database|unsupported file format/],
  ['failed', /disk I\/O error|is full|unable to open|could not open|is locked|readonly|out of memory/i],
];

/**
 * SQLite as WebAssembly: the same code on every runtime. Must be opened in WAL mode: the file system layer of this
 * package never finds a hot rollback journal, because it takes its own lock for that of another process.
 */
export function openWasmDatabase(path: string): Database {
  const connection = guard(() => new sqlite.Database(path));
  const statements = new Map<string, Statement>();

  function prepared(sql: string): Statement {
    const found = statements.get(sql);
    if (found !== undefined) return found;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function use<T>(sql: string, run: (statement: Statement) => T): T {
    return guard(() => {
      try {
        return run(prepared(sql));
      } catch (error) {
        // Its next reset would fail with the same error.
        drop(statements, sql);
        throw error;
      }
    });
  }

  const all = (sql: string, values: readonly SqlValue[] = []) =>
    use(sql, (statement) => statement.all([...values]) as SqlRow[]);

  function inTransaction<T>(end: 'COMMIT' | 'ROLLBACK', run: () => T): T {
    use('BEGIN IMMEDIATE', (statement) => statement.run());
    try {
      const result = run();
      use(end, (statement) => statement.run());
      return result;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  }

  return {
    exec: (sql) => guard(() => connection.exec(sql)),
    run(sql, values = []) {
      use(sql, (statement) => statement.run([...values]));
    },
    all,
    // To the end, because a statement that is not finished holds a read transaction.
    get: (sql, values) => all(sql, values)[0],
    transaction: (run) => inTransaction('COMMIT', run),
    trial: (run) => inTransaction('ROLLBACK', run),
    close() {
      for (const sql of statements.keys()) drop(statements, sql);
      guard(() => connection.close());
    },
  };
}

function drop(statements: Map<string, Statement>, sql: string): void {
  const statement = statements.get(sql);
  statements.delete(sql);
  try {
    statement?.finalize();
  } catch {
    // It repeats the error of its last step.
  }
}

function rollBack(connection: Connection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch {
    // The error that led here is the one to report.
  }
}

/** An error of another kind means that the WebAssembly instance cannot be used any more; it is not caught here. */
function guard<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof sqlite.SQLite3Error)) throw error;
    const [problem] = MESSAGES.find(([, pattern]) => pattern.test(error.message)) ?? ['refused'];
    throw new DatabaseError(problem, error.message, error);
  }
}
