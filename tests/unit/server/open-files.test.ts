import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../server/log.ts';
import {
  describeLowLimit,
  describeOutOfFiles,
  isOutOfFiles,
  nameOutOfFiles,
  type OpenFiles,
  reserveOf,
  systemOpenFiles,
  waitingShareOf,
} from '../../../server/open-files.ts';
import { createProcessHost } from '../../../server/processes/process-host.ts';
import { createProcessLedger } from '../../../server/processes/process-ledger.ts';
import { withStorageError } from '../../../server/store/storage-error.ts';
import { watchOpenFiles } from '../../../server/watch-open-files.ts';
import { AppError } from '../../../shared/errors.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { program } from '../../support/processes/program.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const noFiles = () => Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
const filesWith = (limit: number, free: number): OpenFiles => ({ limit, free: () => free });

describe('safe/descriptors the limit of open files', () => {
  it('is known, and what is free decreases with every open file', () => {
    const before = systemOpenFiles.free();
    const file = openSync('/dev/null', 'r');

    expect(systemOpenFiles.limit).toBeGreaterThan(before);
    expect(systemOpenFiles.free()).toBeLessThan(before);
    closeSync(file);
  });

  it.each([
    [256, 64, 32],
    [1024, 256, 64],
    [1_000_000, 1024, 64],
    [Number.POSITIVE_INFINITY, 1024, 64],
  ])('of %d leaves strangers %d connections, and %d are not for agents', (limit, share, reserve) => {
    expect(waitingShareOf(filesWith(limit, limit))).toBe(share);
    expect(reserveOf(filesWith(limit, limit))).toBe(reserve);
  });

  it('is warned about when it is low', () => {
    expect(describeLowLimit(filesWith(256, 200))).toMatch(/256.*ulimit -n/);
    expect(describeLowLimit(filesWith(1024, 900))).toBeUndefined();
  });
});

describe('safe/descriptors a lack of open files', () => {
  it('is found behind other errors and named, with numbers', () => {
    const hidden = new AppError('AGENT_UNAVAILABLE', 'Check the disk.', {
      cause: new Error('x', { cause: noFiles() }),
    });

    expect(nameOutOfFiles(hidden)).toMatchObject({ code: 'TOO_MANY_OPEN_FILES', cause: hidden });
    expect(isOutOfFiles(new Error('ENOSPC'))).toBe(false);
    expect(describeOutOfFiles(filesWith(256, 6))).toMatch(/250 of the 256 .*ulimit -n/);
  });

  it('is not reported as a problem of the disk', async () => {
    const saving = withStorageError('The data file could not be saved', () => Promise.reject(noFiles()));

    await expect(saving).rejects.toMatchObject({ code: 'TOO_MANY_OPEN_FILES' });
    await expect(saving).rejects.not.toThrow(/free space/);
  });

  it('prevents the start of a process while pages and stores can still open some', () => {
    const ledger = createProcessLedger(scratchDirectory());
    const host = createProcessHost({ ledger, files: filesWith(256, 31) });

    expect(() => host.spawn(program('print-nothing'))).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_OPEN_FILES', message: expect.stringContaining('ulimit -n') }),
    );
    expect(ledger.entries()).toEqual([]);
  });

  it('is logged once each time it happens, and looked for at most once a second', () => {
    const clock = createManualClock();
    const lines: string[] = [];
    let free = 200;
    let looks = 0;
    const files: OpenFiles = {
      limit: 256,
      free() {
        looks += 1;
        return free;
      },
    };
    const watch = watchOpenFiles({ files, clock, log: createLogger('token', (line) => lines.push(line)) });
    const lookAfterASecond = () => {
      clock.advance(1_000);
      watch.look();
    };

    for (let count = 0; count < 100; count += 1) watch.look();
    expect({ lines, looks }).toEqual({ lines: [], looks: 1 });
    free = 10;
    for (let count = 0; count < 3; count += 1) lookAfterASecond();
    watch.failed();
    expect(lines).toEqual([expect.stringMatching(/246 of the 256/)]);
    free = 100;
    lookAfterASecond();
    expect(lines.at(-1)).toMatch(/enough files/);
    watch.failed();
    expect(lines).toHaveLength(3);
  });
});
