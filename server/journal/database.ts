export type SqlValue = number | string | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A small synchronous SQLite. Strings that are bound must be well-formed and without NUL. Every failure is a
 * DatabaseError.
 */
export interface Database {
  /** Runs statements without parameters and ignores their rows. */
  exec(sql: string): void;
  run(sql: string, values?: readonly SqlValue[]): void;
  all(sql: string, values?: readonly SqlValue[]): SqlRow[];
  get(sql: string, values?: readonly SqlValue[]): SqlRow | undefined;
  /** Everything in it is on disk when it returns, or nothing of it if it throws. */
  transaction<T>(run: () => T): T;
  /** Runs it in a transaction that is rolled back: nothing is written. */
  trial<T>(run: () => T): T;
  close(): void;
}

/**
 * - `damaged`: the file is not a sound database.
 * - `failed`: the file could not be read or written just now.
 * - `refused`: SQLite does not do what was asked, because of the request or of damage that it does not recognise.
 */
export type DatabaseProblem = 'damaged' | 'failed' | 'refused';

export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly problem: DatabaseProblem;

  constructor(problem: DatabaseProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

export function isDatabaseError(error: unknown, problem: DatabaseProblem): error is DatabaseError {
  return error instanceof DatabaseError && error.problem === problem;
}
