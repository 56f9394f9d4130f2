import { AppError } from '../../shared/errors.ts';
import { isOutOfFiles, nameOutOfFiles } from '../open-files.ts';

/** Turns file system errors into STORAGE_FAILED or TOO_MANY_OPEN_FILES with a message that says what to do. Other AppErrors pass unchanged. */
export async function withStorageError<T>(problem: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (isOutOfFiles(error)) throw nameOutOfFiles(error);
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'STORAGE_FAILED',
      `${problem}: ${why}. Check free space and permissions of the data directory.`,
      {
        cause: error,
      },
    );
  }
}
