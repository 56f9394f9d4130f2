import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INDEX_NAME, isSafeName, toLines } from '../../../server/keep/kept-index.ts';
import { createClaudeHome, nativeHomes } from '../../support/agents/native-homes.ts';
import { keepOne } from '../../support/keep-one.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createKeepRig, dataFiles, type KeepRig, PROJECT } from './keep-rig.ts';

function contents(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [relative(directory, path), readFileSync(path, 'utf8')]));
}

/** A conversation with a sub-agent that was copied. */
async function copied(
  native = createClaudeHome(),
): Promise<KeepRig & { readonly path: string; readonly child: string }> {
  const rig = await createKeepRig({ native });
  const path = native.write('one', PROJECT, 'hello');
  const child = native.addSubAgent('one', PROJECT, 'child', 'looked');
  await rig.keep.copyAll();
  native.ask('one', PROJECT, 'again');
  await rig.keep.copyAll();
  return { ...rig, path, child };
}

describe.each(nativeHomes)('$name', ({ create }) => {
  it('keep/put-back all files come back where they were, and nothing else', async () => {
    const rig = await copied(create());
    const { keep, native } = rig;
    const before = contents(native.home);
    rmSync(native.home, { recursive: true });
    expect(await keep.putBack(rig.sessionId('one'))).toBe(Object.keys(before).length);
    expect(contents(native.home)).toEqual(before);
    expect(await keep.putBack(rig.sessionId('one'))).toBe(0);
    // The files are new ones, but their copies go on.
    native.ask('one', PROJECT, 'after');
    await keep.copyAll();
    expect(dataFiles(rig, 'one')).toHaveLength(Object.keys(before).length);
    expect(rig.copyOf('one')[relative(native.home, rig.path)]?.toString()).toBe(readFileSync(rig.path, 'utf8'));
  });

  it('keep/put-back a copy is read without putting it back, in a directory that is removed afterwards', async () => {
    const rig = await copied(create());
    const { driver } = rig.native;
    const sessionId = rig.sessionId('one');
    const target = { sessionId, nativeId: 'one', projectDir: PROJECT, wasUsed: true };
    const shown = await driver.readHistory?.(target);
    rmSync(rig.native.home, { recursive: true });
    let home = '';
    const read = await rig.keep.readKept(sessionId, (given) => {
      home = given;
      return driver.readHistory?.(target, given) ?? Promise.resolve(undefined);
    });
    const withoutTimes = (history: typeof read) => history?.map(({ itemId, status }) => [itemId, status]);
    expect(withoutTimes(read)).toEqual(withoutTimes(shown));
    expect(read?.length).toBeGreaterThan(2);
    expect(home.startsWith(join(rig.dataDir, 'kept', '.scratch'))).toBe(true);
    expect(readdirSync(dirname(home))).toEqual([]);
    expect(await rig.keep.readKept(rig.sessionId('unknown'), async () => 1)).toBeUndefined();
    await expect(rig.keep.readKept(sessionId, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(dirname(home))).toEqual([]);
  });
});

it('keep/put-back a session without a copy is refused with words', async () => {
  const { keep } = await createKeepRig();
  await expect(keep.putBack('claude-code:one')).rejects.toMatchObject({ code: 'NOT_KEPT', status: 404 });
  await expect(keep.putBack('unknown:one')).rejects.toMatchObject({ code: 'NOT_KEPT' });
});

it('keep/put-back only what is missing is written, and a file that has grown stays as it is', async () => {
  const { keep, native, path, child } = await copied();
  rmSync(child);
  appendFileSync(path, '{"grown":true}\n');
  const grown = readFileSync(path, 'utf8');
  expect(await keep.putBack('claude-code:one')).toBe(1);
  expect(readFileSync(path, 'utf8')).toBe(grown);
  expect(contents(native.home)[relative(native.home, child)]).toContain('looked');
});

describe('a file that differs from its copy', () => {
  const others: Record<string, (path: string) => void> = {
    'is shorter': (path) => truncateSync(path, 20),
    'has another beginning': (path) => writeFileSync(path, 'x'.repeat(10_000)),
    'is a directory': (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    'is a link': (path) => {
      renameSync(path, `${path}.moved`);
      symlinkSync(`${path}.moved`, path);
    },
  };

  it.each(Object.keys(others))('keep/put-back is refused, and nothing is written: it %s', async (name) => {
    const { keep, native, path, child } = await copied();
    others[name]?.(path);
    rmSync(child);
    const before = contents(native.home);
    await expect(keep.putBack('claude-code:one')).rejects.toMatchObject({
      code: 'PUT_BACK_CONFLICT',
      status: 409,
      message: expect.stringContaining(path),
    });
    expect(contents(native.home)).toEqual(before);
  });
});

it('keep/put-back nothing is written through a link that leads out of the home of the agent', async () => {
  const { keep, native } = await copied();
  const outside = scratchDirectory();
  rmSync(join(native.home, 'projects'), { recursive: true });
  symlinkSync(outside, join(native.home, 'projects'));
  await expect(keep.putBack('claude-code:one')).rejects.toMatchObject({ code: 'PUT_BACK_CONFLICT' });
  expect(readdirSync(outside)).toEqual([]);
});

it('keep/put-back a home that is itself a link is used', async () => {
  const real = scratchDirectory();
  const link = join(scratchDirectory(), 'home');
  symlinkSync(real, link);
  const { keep, path } = await copied(createClaudeHome(link));
  const before = readFileSync(path, 'utf8');
  rmSync(join(real, 'projects'), { recursive: true });
  expect(await keep.putBack('claude-code:one')).toBe(3);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

it('keep/copies-verified a damaged copy is refused, and nothing is left in the home of the agent', async () => {
  const rig = await copied();
  rmSync(rig.native.home, { recursive: true });
  mkdirSync(rig.native.home);
  const [, second = ''] = dataFiles(rig, 'one');
  const data = readFileSync(second);
  data[15] = (data[15] ?? 0) ^ 1;
  writeFileSync(second, data);
  await expect(rig.keep.putBack('claude-code:one')).rejects.toMatchObject({
    code: 'COPY_DAMAGED',
    message: expect.stringContaining(second),
  });
  expect(contents(rig.native.home)).toEqual({});
  await expect(rig.keep.readKept('claude-code:one', async () => 1)).rejects.toMatchObject({ code: 'COPY_DAMAGED' });
});

it('keep/put-back a home that cannot be written to is reported', async () => {
  const { keep, native } = await copied();
  rmSync(join(native.home, 'projects'), { recursive: true });
  writeFileSync(join(native.home, 'projects'), 'a file');
  await expect(keep.putBack('claude-code:one')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  expect(contents(native.home)).toEqual({ projects: 'a file' });
});

describe('a name in an index that leads elsewhere', () => {
  it.each(['../outside', '/etc/passwd', 'a/../../b', 'a//b', './a', '', 'a\0b', 'a\\..\\b', 'C:/x', 'x'.repeat(1_025)])(
    'keep/put-back is not used: %j',
    async (name) => {
      expect(isSafeName(name)).toBe(false);
      const rig = await createKeepRig();
      await keepOne(rig.dataDir, 'claude-code:one', 'projects/a.jsonl', 'fine\n');
      const index = join(rig.dataDir, 'kept', 'claude-code', 'one', INDEX_NAME);
      appendFileSync(index, toLines([{ kind: 'name', file: 0, name }]));
      await rig.keep.putBack('claude-code:one');
      expect(contents(rig.native.home)).toEqual({ 'projects/a.jsonl': 'fine\n' });
    },
  );

  it('keep/put-back ordinary names are', () => {
    for (const name of ['a', 'projects/-home-dev/1.jsonl', 'sessions/2026/01/02/rollout-x.jsonl', 'a/..b', 'a/b c…']) {
      expect(isSafeName(name)).toBe(true);
    }
  });
});
