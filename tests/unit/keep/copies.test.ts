import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createClaudeHome, createCodexHome, nativeHomes } from '../../support/agents/native-homes.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createKeepRig, dataFiles, PROJECT } from './keep-rig.ts';

describe.each(nativeHomes)('$name', ({ create }) => {
  it('keep/copies every file of a conversation is copied, byte for byte, and what is added later too', async () => {
    const rig = await createKeepRig({ native: create() });
    const { native, keep } = rig;
    const path = native.write('one', PROJECT, 'hello');
    const child = native.addSubAgent('one', PROJECT, 'child', 'looked');
    native.write('two', `${PROJECT}/below`, 'from a terminal');
    native.write('other', '/somewhere/else', 'no project');
    const expectCopies = () => {
      const copy = rig.copyOf('one');
      for (const file of [path, child]) expect(copy[relative(native.home, file)]).toEqual(readFileSync(file));
    };
    await keep.copyAll();
    expectCopies();
    expect(Object.keys(rig.copyOf('two'))).toHaveLength(1);
    expect(existsSync(join(rig.dataDir, 'kept', native.driver.cliType, 'other'))).toBe(false);
    native.ask('one', PROJECT, 'again');
    appendFileSync(child, '{"half": ');
    await keep.copyAll();
    expectCopies();
    const before = dataFiles(rig, 'one').map((file) => statSync(file).mtimeMs);
    utimesSync(path, 1, 1);
    await keep.copyAll();
    expect(dataFiles(rig, 'one').map((file) => statSync(file).mtimeMs)).toEqual(before);
    expect(await keep.status()).toMatchObject({ state: 'idle', sessions: 2, on: true });
  });
});

it('keep/copies a numbered file is plain gzip, and only the user can read it', async () => {
  const rig = await createKeepRig();
  const path = rig.native.write('one', PROJECT, 'hello');
  await rig.keep.copyAll();
  rig.native.ask('one', PROJECT, 'again');
  await rig.keep.copyAll();
  const [file = ''] = dataFiles(rig, 'one');
  expect(gunzipSync(readFileSync(file))).toEqual(readFileSync(path));
  for (const each of [file, join(dirname(file), 'index.jsonl')]) expect(statSync(each).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
});

it('keep/copies a session is marked as kept while its copy is complete, also after a restart', async () => {
  const rig = await createKeepRig();
  rig.native.write('one', PROJECT, 'hello');
  expect(rig.keep.isKept('claude-code:one')).toBe(false);
  await rig.keep.copyAll();
  expect(rig.keep.isKept('claude-code:one')).toBe(true);
  await rig.keep.close();
  const again = await createKeepRig({ dataDir: rig.dataDir, native: rig.native });
  expect(again.keep.isKept('claude-code:one')).toBe(true);
  expect(again.keep.isKept('claude-code:two')).toBe(false);
  expect(again.keep.isKept('envelope:one')).toBe(false);
});

it('keep/copies a session is copied soon after its turn, and its first copy is announced', async () => {
  const rig = await createKeepRig({ timing: { soonMs: 1, firstLookMs: 60_000 } });
  rig.native.write('one', PROJECT, 'hello');
  rig.keep.copySoon('claude-code:one');
  rig.keep.copySoon('claude-code:unknown');
  rig.keep.copySoon('nobody:one');
  await expect.poll(() => rig.keptSessions).toEqual(['claude-code:one']);
  expect(rig.keep.isKept('claude-code:one')).toBe(true);
});

describe('a file that changed before its end', () => {
  const changes: Record<string, (path: string) => void> = {
    'was cut': (path) => truncateSync(path, 10),
    'was replaced by a shorter one': (path) => writeFileSync(path, '{"cwd":"/home/dev/project"}\n'),
    'was replaced by a longer one': (path) => {
      writeFileSync(`${path}.new`, `{"cwd":"/home/dev/project"}\n${'x'.repeat(100_000)}\n`);
      renameSync(`${path}.new`, path);
    },
    'was written over in place': (path) => {
      const text = readFileSync(path, 'utf8').replace('hello', 'HELLO');
      writeFileSync(path, text);
      utimesSync(path, 7, 7);
    },
  };

  it.each(Object.keys(changes))('keep/copies is copied anew beside its old copy: it %s', async (name) => {
    const rig = await createKeepRig();
    const path = rig.native.write('one', PROJECT, 'hello');
    const old = readFileSync(path);
    await rig.keep.copyAll();
    changes[name]?.(path);
    await rig.keep.copyAll();
    const contents = dataFiles(rig, 'one').map((file) => gunzipSync(readFileSync(file)).toString());
    expect(contents).toEqual([old.toString(), readFileSync(path, 'utf8')]);
    expect(rig.copyOf('one')[relative(rig.native.home, path)]?.toString()).toEqual(contents[1]);
    expect(rig.keep.isKept('claude-code:one')).toBe(true);
  });

  it('keep/copies is not copied anew if it was replaced by a file that begins the same', async () => {
    const rig = await createKeepRig();
    const path = rig.native.write('one', PROJECT, 'hello');
    rig.native.ask('one', PROJECT, 'long '.repeat(500_000));
    await rig.keep.copyAll();
    expect(rig.keep.isKept('claude-code:one')).toBe(true);
    cpSync(path, `${path}.new`);
    renameSync(`${path}.new`, path);
    rig.native.ask('one', PROJECT, 'again');
    await rig.keep.copyAll();
    expect(dataFiles(rig, 'one')).toHaveLength(1);
    expect(rig.copyOf('one')[relative(rig.native.home, path)]?.equals(readFileSync(path))).toBe(true);
  });
});

it('keep/copies a conversation that Codex moves to its archive keeps its copy', async () => {
  const native = createCodexHome();
  const rig = await createKeepRig({ native });
  const path = native.write('one', PROJECT, 'hello');
  await rig.keep.copyAll();
  const archived = join(native.home, 'archived_sessions', path.slice(path.lastIndexOf('/') + 1));
  mkdirSync(dirname(archived));
  renameSync(path, archived);
  appendFileSync(archived, '{}\n');
  await rig.keep.copyAll();
  expect(rig.copyOf('one')).toEqual({ [relative(native.home, archived)]: readFileSync(archived) });
  expect(dataFiles(rig, 'one')).toHaveLength(1);
});

describe('what is not a file of the user in the home of the agent', () => {
  it('keep/copies is not copied: links, directories that are links, names that lead elsewhere', async () => {
    const native = createClaudeHome();
    const rig = await createKeepRig({ native });
    const outside = scratchDirectory();
    writeFileSync(join(outside, 'secret.jsonl'), '{"cwd":"/home/dev/project"}\n');
    const folder = dirname(native.write('one', PROJECT, 'hello'));
    symlinkSync(join(outside, 'secret.jsonl'), join(folder, 'linked.jsonl'));
    mkdirSync(join(folder, 'one'));
    symlinkSync(outside, join(folder, 'one', 'subagents'));
    writeFileSync(join(folder, 'one', 'back\\slash'), 'x');
    symlinkSync(outside, join(native.home, 'projects', `${PROJECT.replaceAll('/', '-')}-linked`));
    await rig.keep.copyAll();
    expect(Object.keys(rig.copyOf('one'))).toHaveLength(1);
    for (const name of ['linked', 'secret']) expect(rig.keep.isKept(`claude-code:${name}`)).toBe(false);
    expect(lstatSync(join(rig.dataDir, 'kept', 'claude-code')).isDirectory()).toBe(true);
    expect(existsSync(join(rig.dataDir, 'kept', 'claude-code', 'secret'))).toBe(false);
  });
});

it('keep/copies an empty file is copied as an empty file', async () => {
  const rig = await createKeepRig();
  const path = rig.native.write('one', PROJECT, 'hello');
  const empty = join(path.replace('.jsonl', ''), 'tool-results', 'empty.txt');
  mkdirSync(dirname(empty), { recursive: true });
  writeFileSync(empty, '');
  await rig.keep.copyAll();
  const size = (await rig.keep.status()).bytes;
  await rig.keep.copyAll();
  expect((await rig.keep.status()).bytes).toBe(size);
  rmSync(dirname(path), { recursive: true });
  expect(await rig.keep.putBack('claude-code:one')).toBe(2);
  expect(readFileSync(empty)).toHaveLength(0);
});

it('keep/copies the copies of an earlier server go on where they were, without copying again', async () => {
  const rig = await createKeepRig();
  const path = rig.native.write('one', PROJECT, 'hello');
  await rig.keep.copyAll();
  const { bytes } = await rig.keep.status();
  await rig.keep.close();
  const again = await createKeepRig({ dataDir: rig.dataDir, native: rig.native });
  await again.keep.copyAll();
  expect((await again.keep.status()).bytes).toBe(bytes);
  rig.native.ask('one', PROJECT, 'again');
  await again.keep.copyAll();
  expect(again.copyOf('one')[relative(rig.native.home, path)]).toEqual(readFileSync(path));
  expect(dataFiles(again, 'one')).toHaveLength(1);
});

it('keep/delete the copy of a deleted session is removed, and its size does not count any more', async () => {
  const rig = await createKeepRig();
  rig.native.write('one', PROJECT, 'hello');
  rig.native.write('two', PROJECT, 'hello');
  await rig.keep.copyAll();
  const { bytes } = await rig.keep.status();
  await rig.keep.forget(rig.sessionId('one'));
  expect(await rig.keep.status()).toMatchObject({ sessions: 1, files: 1 });
  expect((await rig.keep.status()).bytes).toBeLessThan(bytes);
  expect(rig.keep.isKept(rig.sessionId('one'))).toBe(false);
  expect(existsSync(join(rig.dataDir, 'kept', rig.native.driver.cliType, 'one'))).toBe(false);
  await expect(rig.keep.putBack(rig.sessionId('one'))).rejects.toMatchObject({ code: 'NOT_KEPT' });
});
