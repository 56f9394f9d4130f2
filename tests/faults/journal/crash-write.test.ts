import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../server/journal/open-database.ts';
import { type Migration, migrations } from '../../../server/journal/schema.ts';
import { copyFiles, type DiskFailure, type FailingDisk, failDisk } from '../../support/journal/failing-disk.ts';
import { observe, openHere, statesOf, steps } from '../../support/journal/keeping-scenario.ts';
import { AT, conversation, item, message, SESSION } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const crashes: readonly DiskFailure[] = [
  { kind: 'death', when: 'before' },
  { kind: 'death', when: 'half' },
  { kind: 'death', when: 'after' },
  { kind: 'power cut', unsynced: 'lost' },
  { kind: 'power cut', unsynced: 'some' },
];
const errors: readonly DiskFailure[] = [
  { kind: 'EIO', length: 'once' },
  { kind: 'ENOSPC', length: 'once' },
  { kind: 'EIO', length: 'forever' },
  { kind: 'ENOSPC', length: 'forever' },
];

/** A data directory as a server leaves it that was stopped, or killed: with a log and a lock. */
async function directoryLeftBy(end: 'stop' | 'kill'): Promise<string> {
  const directory = scratchDirectory();
  const { journal } = await openHere(directory);
  await journal.replace(SESSION, conversation(5, 3), undefined);
  journal.record(SESSION, [item(message('turn-4', 9))]);
  await journal.durable();
  const left = join(scratchDirectory(), 'left');
  if (end === 'kill') copyFiles(directory, left);
  await journal.close();
  if (end === 'stop') copyFiles(directory, left);
  expect(readdirSync(left).length).toBe(end === 'kill' ? 3 : 1);
  return left;
}

interface Round {
  readonly directory: string;
  readonly remains: string;
  readonly disk: FailingDisk;
}

/** Every call, or some of them. */
const STRIDE = process.env.LIMINAL_CRASHES === 'all' ? 1 : 7;

/** Runs with each call failing in turn, until the selected call is not reached. Returns the number of calls. */
async function forEveryCall(left: string, failure: DiskFailure, run: (round: Round) => Promise<void>): Promise<number> {
  const scratch = scratchDirectory();
  const first = 1 + ([...crashes, ...errors].indexOf(failure) % STRIDE);
  for (let call = first; ; call += STRIDE) {
    const directory = join(scratch, `data-${call}`);
    const remains = join(scratch, `remains-${call}`);
    copyFiles(left, directory);
    const disk = failDisk({ directory, failure, call, remains });
    try {
      await run({ directory, remains, disk });
    } catch (error) {
      throw new Error(`Call ${call}: ${error instanceof Error ? error.message : error}`, { cause: error });
    } finally {
      disk.restore();
    }
    rmSync(directory, { recursive: true });
    if (!disk.hasFailed) return call - 1;
  }
}

describe.each(['stop', 'kill'] as const)('a journal that was left by a %s', (end) => {
  it.each(crashes)(
    'keep/crash-write is in the old or the new state after a $kind ($when $unsynced) at every call',
    async (failure) => {
      const left = await directoryLeftBy(end);
      const copy = join(scratchDirectory(), 'copy');
      copyFiles(left, copy);
      const states = await statesOf(copy);

      const calls = await forEveryCall(left, failure, async ({ directory, remains, disk }) => {
        let [begun, done] = [0, 0];
        const dying = await openHere(directory);
        try {
          for (const step of steps) {
            begun += 1;
            await step(dying.journal);
            done += 1;
          }
          await dying.journal.close();
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORAGE_FAILED' });
        }
        expect(dying.warnings).toEqual([]);
        disk.restore();

        const next = await openHere(disk.hasFailed ? remains : directory);
        expect(states.slice(done, begun + 1)).toContainEqual(await observe(next.journal));
        expect(next.warnings).toEqual([]);
        await next.journal.close();
      });
      expect(calls).toBeGreaterThan(40);
    },
  );

  it.each(errors)('keep/crash-write goes on after $kind $length at every call, and loses nothing', async (failure) => {
    const left = await directoryLeftBy(end);
    const copy = join(scratchDirectory(), 'copy');
    copyFiles(left, copy);
    const states = await statesOf(copy);

    const calls = await forEveryCall(left, failure, async ({ directory, disk }) => {
      const { journal, warnings, troubles } = await openHere(directory);
      for (const [index, step] of steps.entries()) {
        try {
          await step(journal);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORAGE_FAILED' });
          expect(troubles).toEqual([expect.any(String)]);
          // Either as if it had been written, or not at all, if the file cannot be read.
          const seen = await observe(journal).catch((refused: unknown) => {
            expect(refused).toMatchObject({ code: 'STORAGE_FAILED' });
          });
          if (seen !== undefined) expect(seen).toEqual(states[index + 1]);
          disk.repair();
          await journal.durable();
        }
        const seen = await observe(journal).catch(() => {
          disk.repair();
          return observe(journal);
        });
        expect(seen).toEqual(states[index + 1]);
      }
      disk.repair();
      await journal.close();
      if (troubles.length > 0) expect(troubles).toEqual([expect.any(String), 'over']);

      const next = await openHere(directory);
      expect(await observe(next.journal)).toEqual(states.at(-1));
      expect([...warnings, ...next.warnings]).toEqual([]);
      await next.journal.close();
    });
    expect(calls).toBeGreaterThan(40);
  });
});

it.each(crashes)(
  'keep/migrate leaves the old or the new version after a $kind ($when $unsynced) at every call',
  async (failure) => {
    const left = await directoryLeftBy('kill');
    const next: readonly Migration[] = [
      ...migrations,
      (database) => database.exec("UPDATE items SET body = CAST('{}' AS BLOB)"),
      (database) => database.exec('ALTER TABLE sessions ADD COLUMN note TEXT'),
    ];
    const now = () => AT;
    const calls = await forEveryCall(left, failure, async ({ directory, remains, disk }) => {
      const opened = await openDatabase({ path: join(directory, 'journal.sqlite'), steps: next, now }).catch(
        () => undefined,
      );
      const hasFailed = disk.hasFailed;
      disk.repair();
      opened?.database.close();

      const path = join(hasFailed ? remains : directory, 'journal.sqlite');
      const none: readonly Migration[] = next.map(() => () => {});
      const { database, movedAside } = await openDatabase({ path, steps: none, now });
      expect(movedAside).toBeUndefined();
      const isNew = database.get("SELECT 1 FROM pragma_table_info('sessions') WHERE name = 'note'") !== undefined;
      const bodies = database.get("SELECT count(*) AS new FROM items WHERE body = CAST('{}' AS BLOB)");
      expect(bodies).toEqual({ new: isNew ? 16 : 0 });
      if (opened !== undefined) expect(isNew).toBe(true);
      database.close();
    });
    expect(calls).toBeGreaterThan(10);
  },
);
