import type { KeepStatus } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { isOutOfFiles } from '../open-files.ts';
import { KeepFullError } from './copies.ts';
import { NewerIndexError } from './kept-index.ts';

/** Why copies are not complete. */
export interface KeepProblem {
  readonly state: Extract<KeepStatus['state'], 'full' | 'failed'>;
  readonly message: string;
  /** Other conversations would fail as well. */
  readonly affectsAll: boolean;
}

const MIB = 1024 * 1024;
const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const ALL_FAIL: readonly unknown[] = ['EROFS', 'EIO', 'EACCES', 'EPERM'];

export function explainProblem(error: unknown, label: string, limitBytes: number): KeepProblem {
  if (error instanceof KeepFullError) {
    const message = `The copies of transcripts have reached their limit of ${Math.floor(limitBytes / MIB)} MB. Nothing was deleted, but nothing more is copied. Start the server with a higher LIMINAL_KEEP_LIMIT_MB.`;
    return { state: 'full', message, affectsAll: true };
  }
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (NO_SPACE.includes(code)) {
    const message =
      'Transcripts cannot be copied: the disk of the data directory is full. Make room; it is tried again every few minutes.';
    return { state: 'failed', message, affectsAll: true };
  }
  if (error instanceof NewerIndexError) {
    const message = `A copy of a transcript of ${label} was written by a newer version. Update Liminal Builder to continue it.`;
    return { state: 'failed', message, affectsAll: false };
  }
  const why = error instanceof AppError || error instanceof Error ? error.message : String(error);
  const message = `A transcript of ${label} could not be copied (${why}). It is tried again every few minutes.`;
  return { state: 'failed', message, affectsAll: ALL_FAIL.includes(code) || isOutOfFiles(error) };
}
