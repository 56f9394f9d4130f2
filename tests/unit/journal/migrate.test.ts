import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../server/journal/open-database.ts';
import { openJournal } from '../../../server/journal/open-journal.ts';
import { type Migration, migrations } from '../../../server/journal/schema.ts';
import { AT, conversation, SESSION } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const now = () => AT;
const addNote: Migration = (database) => database.exec("ALTER TABLE sessions ADD COLUMN note TEXT DEFAULT 'new'");
const fail: Migration = () => {
  throw new Error('not today');
};

async function journalIn(dataDir: string): Promise<string> {
  const journal = await openJournal({ dataDir, thread: 'here', warn: expect.unreachable });
  await journal.replace(SESSION, conversation(3, 3), 'stamp');
  await journal.close();
  return join(dataDir, 'journal.sqlite');
}

it('keep/migrate a journal of every earlier version is brought up to date, with everything in it', async () => {
  for (let version = 1; version <= migrations.length; version += 1) {
    const path = join(scratchDirectory(), 'journal.sqlite');
    const older = await openDatabase({ path, steps: migrations.slice(0, version), now });
    older.database.run('INSERT INTO sessions (id, stamp) VALUES (?, ?)', [SESSION, 'stamp']);
    older.database.close();

    const newer = await openDatabase({ path, steps: [...migrations, addNote], now });
    expect(newer.movedAside).toBeUndefined();
    expect(newer.database.all('SELECT id, stamp, note FROM sessions')).toEqual([
      { id: SESSION, stamp: 'stamp', note: 'new' },
    ]);
    expect(newer.database.get('PRAGMA user_version')).toEqual({ user_version: migrations.length + 1 });
    newer.database.close();
  }
});

it('keep/migrate all steps are done or none', async () => {
  const dataDir = scratchDirectory();
  const path = await journalIn(dataDir);
  await expect(openDatabase({ path, steps: [...migrations, addNote, fail], now })).rejects.toThrow('not today');

  const journal = await openJournal({ dataDir, thread: 'here', warn: expect.unreachable });
  expect(await journal.read(SESSION)).toEqual(conversation(3, 3));
  await journal.close();
});

it('keep/newer a journal of a newer version prevents the start and is left as it is', async () => {
  const dataDir = scratchDirectory();
  const path = await journalIn(dataDir);
  const { database } = await openDatabase({ path, steps: [...migrations, addNote], now });
  database.close();
  const before = readFileSync(path);

  for (const thread of ['here', 'worker'] as const) {
    await expect(openJournal({ dataDir, thread, warn: expect.unreachable })).rejects.toMatchObject({
      code: 'SERVER_NEWER_DATA',
      message: expect.stringContaining('Update Liminal Builder'),
    });
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(dataDir)).toEqual(['journal.sqlite']);
});

it('keep/newer a newer version that is still in the log is refused when it is read', async () => {
  const dataDir = scratchDirectory();
  const path = await journalIn(dataDir);
  const { database } = await openDatabase({ path, steps: migrations, now });
  database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  const files = ['', '-wal'].map((suffix) => [suffix, readFileSync(path + suffix)] as const);
  database.close();
  const copy = scratchDirectory();
  for (const [suffix, bytes] of files) writeFileSync(join(copy, `journal.sqlite${suffix}`), bytes);

  const troubles: string[] = [];
  const journal = await openJournal({
    dataDir: copy,
    thread: 'here',
    warn: expect.unreachable,
    onTrouble: (text) => troubles.push(text),
  });
  await expect(journal.read(SESSION)).rejects.toMatchObject({ code: 'SERVER_NEWER_DATA' });
  expect(troubles).toHaveLength(1);
  await journal.close();
});
