import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import { describeOutOfFiles, type OpenFiles, reserveOf } from './open-files.ts';

export interface OpenFilesWatch {
  /** Looks at most once a second, and logs when few files are left: one line each time that happens. */
  look(): void;
  /** Something has failed for lack of files. */
  failed(): void;
}

const REST_MS = 1_000;

export function watchOpenFiles({
  files,
  clock,
  log,
}: {
  readonly files: OpenFiles;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}): OpenFilesWatch {
  const reserve = reserveOf(files);
  let lastLook = Number.NEGATIVE_INFINITY;
  let isShort = false;

  function note(free: number, hasFailed: boolean): void {
    if (!isShort && (hasFailed || free < reserve)) {
      isShort = true;
      log.warn({ free, limit: files.limit }, describeOutOfFiles(files));
    } else if (isShort && !hasFailed && free >= reserve * 2) {
      isShort = false;
      log.info({ free, limit: files.limit }, 'enough files can be opened again');
    }
  }

  return {
    look() {
      const now = clock.monotonic();
      if (now - lastLook < REST_MS) return;
      lastLook = now;
      note(files.free(), false);
    },
    failed: () => note(files.free(), true),
  };
}
