import { createWriteStream } from 'node:fs';
import { lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { openPrivateSync, UnsafeFileError } from './private-files.ts';

export type { Logger };

const MAX_LOG_BYTES = 10 * 1024 * 1024;

export interface LogFile {
  readonly log: Logger;
  /** Resolves when everything has been written. */
  close(): Promise<void>;
}

/** Writes JSON lines to `server.log`, with the secrets redacted. One older file is kept. Rejects with an UnsafeFileError. */
export async function openLog(dataDir: string, secrets: () => readonly string[]): Promise<LogFile> {
  const path = join(dataDir, 'server.log');
  const { size } = await lstat(path).catch(() => ({ size: 0 }));
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.1`);
  const fd = openIfPossible(path);
  if (fd === undefined) return { log: createLogger(secrets, () => undefined), close: async () => undefined };
  const file = createWriteStream(path, { fd });
  // A log that cannot be written must not crash the server.
  file.on('error', () => undefined);
  const log = createLogger(secrets, (line) => file.write(line));
  return { log, close: () => new Promise((resolve) => file.end(() => resolve())) };
}

/** A log that cannot be written must not prevent the start. */
function openIfPossible(path: string): number | undefined {
  try {
    return openPrivateSync(path, 'append');
  } catch (error) {
    if (error instanceof UnsafeFileError) throw error;
    return undefined;
  }
}

export function createLogger(secrets: string | (() => readonly string[]), write: (line: string) => void): Logger {
  const current = () => (typeof secrets === 'string' ? [secrets] : secrets());
  return pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write: (line: string) => write(current().reduce((text, secret) => text.replaceAll(secret, '[token]'), line)),
    },
  );
}
