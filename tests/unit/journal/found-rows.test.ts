import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../server/journal/open-database.ts';
import { openJournal } from '../../../server/journal/open-journal.ts';
import { migrations } from '../../../server/journal/schema.ts';
import { watchEventLoop } from '../../support/event-loop.ts';
import { AT, conversation, SESSION } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const row = (path: string, body = '{}') => ({ path, stamp: '1:2', format: 'x/1', body });
const open = (dataDir: string, thread: 'here' | 'worker' = 'here') =>
  openJournal({ dataDir, thread, warn: expect.unreachable });

it('follow/list what was found is there in the next run, in the order of paths, and what is gone is not', async () => {
  const dataDir = scratchDirectory();
  const first = await open(dataDir);
  await first.found.write([row('/b'), row('/a', JSON.stringify('\ud800\0')), row('/c'), row('/"ü')], []);
  await first.found.write([row('/b', '{"again":true}')], ['/c', '/unknown']);
  await first.close();

  const later = await open(dataDir);
  const rows = await later.found.read(undefined);
  expect(rows).toEqual([row('/"ü'), row('/a', JSON.stringify('\ud800\0')), row('/b', '{"again":true}')]);
  expect(await later.found.read('/a')).toEqual([row('/b', '{"again":true}')]);
  expect(await later.found.read('/b')).toEqual([]);
  await later.close();
});

it('follow/list 20,000 files are read without keeping anything else waiting', async () => {
  const dataDir = scratchDirectory();
  const journal = await open(dataDir, 'worker');
  const paths = Array.from({ length: 20_000 }, (_, index) => `/home/dev/.claude/projects/p/${100_000 + index}.jsonl`);
  const body = JSON.stringify({ cwd: '/home/dev/project', title: 'What was asked first in it' });
  await journal.found.write(
    paths.map((path) => row(path, body)),
    [],
  );
  const stop = watchEventLoop();
  const read: string[] = [];
  for (let page = await journal.found.read(undefined); page.length > 0; page = await journal.found.read(read.at(-1)))
    read.push(...page.map(({ path }) => path));
  const longest = stop();
  expect(read).toEqual(paths);
  expect(longest).toBeLessThan(100);
  await journal.close();
});

it('keep/migrate a journal of the first version keeps its conversations and takes what is found', async () => {
  const dataDir = scratchDirectory();
  const path = join(dataDir, 'journal.sqlite');
  const made = await open(dataDir);
  await made.replace(SESSION, conversation(3, 3), 'stamp');
  await made.close();
  // What the first version wrote: the same file without what later steps add.
  const { database } = await openDatabase({ path, steps: migrations, now: () => AT });
  database.exec('DROP TABLE found; PRAGMA user_version = 1');
  database.close();

  const journal = await open(dataDir);
  expect(await journal.found.read(undefined)).toEqual([]);
  await journal.found.write([row('/a')], []);
  expect(await journal.found.read(undefined)).toEqual([row('/a')]);
  expect(await journal.read(SESSION)).toEqual(conversation(3, 3));
  await journal.close();
});
