import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../server/journal/open-database.ts';
import { openJournal } from '../../../server/journal/open-journal.ts';
import { migrations } from '../../../server/journal/schema.ts';
import { AT, conversation, item, message, SESSION } from '../../support/journal/kept-entries.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createRandom } from '../../support/seeded-random.ts';

const PLACES = Number(process.env.LIMINAL_TRUNCATIONS ?? 50);
const ROUNDS = { timeout: 20_000 + PLACES * 1_000 };
const WHOLE = conversation(60, 10);
const ASIDE = /^journal\.sqlite\.corrupt-[^.]*\.\d+Z$/;

/** The bytes of a journal with a conversation of 600 entries. */
let sound: Buffer = Buffer.alloc(0);

beforeEach(async () => {
  if (sound.length > 0) return;
  const dataDir = scratchDirectory();
  const { journal } = await open(dataDir);
  await journal.replace(SESSION, WHOLE, undefined);
  await journal.close();
  sound = readFileSync(pathIn(dataDir));
});

const pathIn = (dataDir: string) => join(dataDir, 'journal.sqlite');

async function open(dataDir: string) {
  const warnings: string[] = [];
  const journal = await openJournal({ dataDir, thread: 'here', warn: (text) => warnings.push(text) });
  return { journal, warnings };
}

/** Opens a journal with these bytes; whatever they are, it must be possible to go on. */
async function useFile(bytes: Uint8Array) {
  const dataDir = scratchDirectory();
  writeFileSync(pathIn(dataDir), bytes, { mode: 0o600 });
  const { journal, warnings } = await open(dataDir);
  const found = await journal.read(SESSION);
  const page = await journal.open(SESSION);
  journal.record(SESSION, [item(message('next', 1))]);
  await journal.durable();
  expect((await journal.read(SESSION)).entries).toContainEqual(message('next', 1));
  await journal.close();

  const names = readdirSync(dataDir);
  const aside = names.find((name) => ASIDE.test(name));
  if (aside !== undefined) {
    expect(warnings).toContainEqual(expect.stringContaining(aside));
    expect(names).toContain(`${aside}.reason.txt`);
  }
  return { found, page, warnings, aside, dataDir };
}

describe('a journal that is damaged', () => {
  it('keep/damaged is kept aside with the reason, and a new one is begun', async () => {
    const { found, aside, dataDir } = await useFile(Buffer.from('precious, but not a database '.repeat(500)));

    expect(found).toEqual({ entries: [], turns: [] });
    expect(readFileSync(join(dataDir, aside ?? ''), 'utf8')).toMatch(/^precious/);
    const { journal, warnings } = await open(dataDir);
    expect((await journal.read(SESSION)).entries).toEqual([message('next', 1)]);
    expect(warnings).toEqual([]);
    await journal.close();
  });

  it('keep/damaged says so before the start is over, if its first bytes show it', async () => {
    const dataDir = scratchDirectory();
    writeFileSync(pathIn(dataDir), 'x'.repeat(5_000));
    const { journal, warnings } = await open(dataDir);
    expect(warnings).toEqual([expect.stringContaining('is damaged')]);
    await journal.close();
  });

  it('keep/damaged is found while it is in use, also if only its tables are wrong', async () => {
    const dataDir = scratchDirectory();
    const path = pathIn(dataDir);
    writeFileSync(path, sound);
    const { database } = await openDatabase({ path, steps: migrations, now: () => AT });
    database.exec('DROP TABLE growths');
    database.close();

    const { journal, warnings } = await open(dataDir);
    journal.record(SESSION, [item(message('next', 1))]);
    await journal.durable();
    expect((await journal.read(SESSION)).entries).toEqual([message('next', 1)]);
    expect(warnings).toEqual([expect.stringContaining('its tables are not those of a journal')]);
    await journal.close();
  });

  it('keep/damaged loses single entries that are not what they should be, and says how many', async () => {
    const dataDir = scratchDirectory();
    const path = pathIn(dataDir);
    writeFileSync(path, sound);
    const { database } = await openDatabase({ path, steps: migrations, now: () => AT });
    database.run("UPDATE items SET body = x'00' WHERE key = 3");
    database.run(`UPDATE items SET body = CAST('{"type":"message"}' AS BLOB) WHERE key = 4`);
    database.run("UPDATE turns SET body = 'text' WHERE key = 5");
    database.close();

    const { journal, warnings } = await open(dataDir);
    const { entries, turns } = await journal.read(SESSION);
    expect(entries).toEqual(WHOLE.entries.filter((_, index) => index !== 2 && index !== 3));
    expect(turns).toEqual(WHOLE.turns.filter((_, index) => index !== 4));
    expect(warnings).toEqual([expect.stringMatching(/could not be read and are left out: 3$/)]);
    expect(await journal.open(SESSION)).toBeDefined();
    await journal.close();
  });
});

it('keep/truncate a journal that was cut off at any place is kept aside, and a new one is begun', ROUNDS, async () => {
  const random = createRandom(12);
  const lengths = [1, 99, 100, 4_095, 4_096, 8_192, sound.length - 4_096, sound.length - 1];
  while (lengths.length < PLACES) lengths.push(1 + random.below(sound.length - 1));

  for (const length of lengths) {
    const bytes = sound.subarray(0, length);
    const { found, aside, dataDir, warnings } = await useFile(bytes);
    expect(readFileSync(join(dataDir, aside ?? '')).equals(bytes), `cut at ${length}`).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(found.entries, `cut at ${length}`).toEqual([]);
  }
  expect((await useFile(sound.subarray(0, 0))).aside).toBeUndefined();
});

it('keep/truncate a journal with something behind its end is kept aside as well', async () => {
  expect((await useFile(Buffer.concat([sound, Buffer.alloc(100)]))).aside).toBeDefined();
});

it('keep/damaged a journal with wrong bytes anywhere opens and can be used', ROUNDS, async () => {
  const random = createRandom(7);
  let asides = 0;
  let whole = 0;
  for (let round = 0; round < PLACES; round += 1) {
    const bytes = Buffer.from(sound);
    const flips = 1 + random.below(round % 2 === 0 ? 3 : 300);
    for (let flip = 0; flip < flips; flip += 1) bytes[random.below(bytes.length)] = random.below(256);
    const { found, aside, warnings } = await useFile(bytes);
    if (aside !== undefined) asides += 1;
    else if (found.entries.length === WHOLE.entries.length) whole += 1;
    else expect(warnings, `round ${round}`).not.toEqual([]);
  }
  // Otherwise nothing was damaged, or nothing was left.
  expect(asides).toBeGreaterThan(0);
  expect(asides + whole).toBeLessThanOrEqual(PLACES);
});

it('keep/truncate a log that was cut off leaves an earlier state of the journal', ROUNDS, async () => {
  const dataDir = scratchDirectory();
  const path = pathIn(dataDir);
  const { journal } = await open(dataDir);
  for (let index = 0; index < 20; index += 1) {
    journal.record(SESSION, [item(message('t', index), index)]);
    await journal.durable();
  }
  const files = { '': readFileSync(path), '-wal': readFileSync(`${path}-wal`) };
  await journal.close();
  const random = createRandom(3);
  for (let round = 0; round < PLACES / 5; round += 1) {
    const copy = scratchDirectory();
    for (const [suffix, bytes] of Object.entries(files)) writeFileSync(pathIn(copy) + suffix, bytes);
    truncateSync(`${pathIn(copy)}-wal`, random.below(files['-wal'].length));
    const again = await open(copy);
    const { entries } = await again.journal.read(SESSION);
    expect(entries).toEqual(Array.from({ length: entries.length }, (_, index) => message('t', index)));
    expect(again.warnings).toEqual([]);
    await again.journal.close();
  }
});

describe('files that are not ours', () => {
  it.each(['journal.sqlite', 'journal.sqlite-wal', 'journal.sqlite-journal'])(
    'keep/journal a link in the place of %s prevents the start, and is not followed',
    async (name) => {
      const dataDir = scratchDirectory();
      const target = join(scratchDirectory(), 'target');
      if (basename(name) !== 'journal.sqlite') writeFileSync(pathIn(dataDir), sound);
      symlinkSync(target, join(dataDir, name));

      await expect(open(dataDir)).rejects.toMatchObject({ name: 'UnsafeFileError' });
      expect(() => readFileSync(target)).toThrow('ENOENT');
    },
  );
});
