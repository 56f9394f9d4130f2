import { describe, expect, it, onTestFinished } from 'vitest';
import { failDisk } from '../../support/journal/failing-disk.ts';
import { openHere } from '../../support/journal/keeping-scenario.ts';
import { conversation, growth, item, message, SESSION, turn, turnChange } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

/** The disk of a directory, which can become full. Must be made before the files in it are opened. */
function diskOf(directory: string) {
  const disk = failDisk({ directory, failure: { kind: 'ENOSPC', length: 'forever' } });
  onTestFinished(disk.restore);
  return disk;
}

describe('a disk that is full', () => {
  it('keep/disk-full is said once; what could not be kept is shown meanwhile, and kept once there is room', async () => {
    const dataDir = scratchDirectory();
    const disk = diskOf(dataDir);
    const { journal, troubles, clock } = await openHere(dataDir);
    await journal.replace(SESSION, conversation(2, 2), 'stamp');
    disk.breakNow();

    journal.record(SESSION, [
      turnChange(turn('t', { status: 'running' })),
      item(message('t', 1, { status: 'update' })),
    ]);
    await expect(journal.durable()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('Check free space'),
    });
    journal.record(SESSION, [growth('t:0:1', 6, ' and more')]);
    await expect(journal.durable()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    const shown = await journal.read(SESSION);
    expect(shown.entries.at(-1)).toMatchObject({ content: '1 of t and more' });
    expect((await journal.open(SESSION))?.hasUnfinished).toBe(true);
    expect(troubles).toEqual([expect.stringContaining('Check free space')]);

    disk.repair();
    expect(clock.pending).toBe(1);
    clock.advance(5_000);
    await journal.durable();
    expect(troubles).toEqual([expect.any(String), 'over']);
    await journal.close();
    const again = await openHere(dataDir);
    expect(await again.journal.read(SESSION)).toEqual(shown);
    await again.journal.close();
  });

  it('keep/disk-full does not prevent the start, and nothing that is on disk is taken for missing', async () => {
    const dataDir = scratchDirectory();
    const before = await openHere(dataDir);
    await before.journal.replace(SESSION, conversation(2, 2), 'stamp');
    await before.journal.close();
    const disk = diskOf(dataDir);
    disk.breakNow();

    const { journal, troubles, warnings } = await openHere(dataDir);
    await expect(journal.open(SESSION)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    journal.record(SESSION, [item(message('t', 1))]);
    await expect(journal.durable()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(troubles).toHaveLength(1);

    disk.repair();
    expect((await journal.read(SESSION)).entries).toEqual([...conversation(2, 2).entries, message('t', 1)]);
    expect(warnings).toEqual([]);
    await journal.close();
  });

  it('keep/disk-full is an error of the shutdown if it lasts until then', async () => {
    const dataDir = scratchDirectory();
    const disk = diskOf(dataDir);
    const { journal } = await openHere(dataDir);
    await journal.size();
    disk.breakNow();
    journal.record(SESSION, [item(message('t', 1))]);

    await expect(journal.close()).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  });
});
