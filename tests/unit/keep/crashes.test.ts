import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShortFileError } from '../../../server/keep/kept-files.ts';
import { toLines } from '../../../server/keep/kept-index.ts';
import { readCopy } from '../../../server/keep/read-copy.ts';
import { DamagedCopyError } from '../../../server/keep/session-copy.ts';
import { createClaudeHome, type NativeHome } from '../../support/agents/native-homes.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { createMemoryFiles, failFiles, type KeptDisk } from '../../support/store/memory-kept-files.ts';
import { createKeepRig, PROJECT } from './keep-rig.ts';

/** A conversation with a sub-agent, copied in two parts. */
async function makeCopies() {
  const native = createClaudeHome();
  const disk: KeptDisk = new Map();
  const dataDir = scratchDirectory();
  const { keep } = await createKeepRig({ native, dataDir, files: createMemoryFiles(disk) });
  native.write('one', PROJECT, 'the code word is heron');
  native.addSubAgent('one', PROJECT, 'child', 'looked');
  await keep.copyAll();
  native.ask('one', PROJECT, 'again');
  await keep.copyAll();
  await keep.close();
  return { native, disk, dataDir, directory: join(dataDir, 'kept', 'claude-code', 'one') };
}

/** What can be read of the copy, by name. */
async function readAll(directory: string, disk: KeptDisk): Promise<Record<string, Buffer | Error>> {
  const read: Record<string, Buffer | Error> = {};
  for (const file of (await readCopy(directory, createMemoryFiles(disk))) ?? []) {
    read[file.name] = await collect(file.read()).catch((error: Error) => error);
  }
  return read;
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function nativeContents(native: NativeHome): Promise<Record<string, Buffer>> {
  const { files = [] } = (await native.driver.nativeFiles?.find('one', PROJECT)) ?? {};
  return Object.fromEntries(files.map(({ name, path }) => [name, readFileSync(path)]));
}

/** A server that starts with what is on disk has a whole copy after one look. */
async function expectToRecover(native: NativeHome, dataDir: string, disk: KeptDisk, what: string): Promise<void> {
  const { keep } = await createKeepRig({ native, dataDir, files: createMemoryFiles(disk) });
  await keep.copyAll();
  // A copy that lost a part is found out at the first attempt to continue it, and made anew at the next.
  if ((await keep.status()).state === 'failed') await keep.copyAll();
  expect(await readAll(join(dataDir, 'kept', 'claude-code', 'one'), disk), what).toEqual(await nativeContents(native));
  expect(keep.isKept('claude-code:one'), what).toBe(true);
  await keep.close();
}

describe('a copy of which a file was cut', () => {
  it('keep/copies-verified gives only the beginning of what was copied, or an error, at every byte', async () => {
    const { native, disk, directory } = await makeCopies();
    const whole = await nativeContents(native);
    expect(await readAll(directory, disk)).toEqual(whole);
    for (const [path, content] of disk) {
      for (let length = 0; length < content.length; length += 1) {
        const read = await readAll(directory, new Map(disk).set(path, content.subarray(0, length)));
        for (const [name, got] of Object.entries(read)) {
          const isRefused = got instanceof ShortFileError || got instanceof DamagedCopyError;
          const isBeginning = Buffer.isBuffer(got) && whole[name]?.subarray(0, got.length).equals(got);
          expect(isRefused || isBeginning, `${path} cut to ${length}: ${name}`).toBe(true);
        }
      }
    }
  });

  it('keep/copies-verified is whole again after the next look, wherever the index was cut', async () => {
    const { native, disk, dataDir, directory } = await makeCopies();
    const path = join(directory, 'index.jsonl');
    const index = disk.get(path) ?? Buffer.alloc(0);
    for (let length = 0; length < index.length; length += 13) {
      const cut = new Map(disk).set(path, index.subarray(0, length));
      await expectToRecover(native, dataDir, cut, `index cut to ${length}`);
    }
  });
});

it('keep/copies-verified a changed byte anywhere in a copy is noticed', async () => {
  const { native, disk, directory } = await makeCopies();
  const whole = await nativeContents(native);
  for (const [path, content] of disk) {
    for (let at = 0; at < content.length; at += 1) {
      const changed = Buffer.from(content);
      changed[at] = (changed[at] ?? 0) ^ 0x11;
      const read = await readAll(directory, new Map(disk).set(path, changed)).catch(() => ({}));
      for (const [name, got] of Object.entries(read)) {
        const isPart = Buffer.isBuffer(got) && whole[name]?.subarray(0, got.length).equals(got);
        expect(got instanceof Error || isPart, `${path} at ${at}: ${name}`).toBe(true);
      }
    }
  }
});

it('keep/copies-verified a line of the index that is damaged costs nothing that is still in the transcript', async () => {
  const { native, disk, dataDir, directory } = await makeCopies();
  const path = join(directory, 'index.jsonl');
  const lines = (disk.get(path)?.toString() ?? '').split('\n');
  for (let damaged = 0; damaged < lines.length - 1; damaged += 1) {
    const index = lines.map((line, number) => (number === damaged ? 'damaged' : line)).join('\n');
    const changed = new Map(disk).set(path, Buffer.from(index));
    await expectToRecover(native, dataDir, changed, `line ${damaged}`);
    // No file of the old copy was written over.
    for (const [file, content] of disk) {
      if (file !== path) expect(changed.get(file)?.subarray(0, content.length)).toEqual(content);
    }
    const size = changed.get(path)?.length;
    await expectToRecover(native, dataDir, changed, `line ${damaged}, started again`);
    expect(changed.get(path)?.length).toBe(size);
  }
});

it('keep/copies-verified a numbered file that lost its end is copied anew', async () => {
  const { native, disk, dataDir, directory } = await makeCopies();
  const path = join(directory, '0.gz');
  const cut = new Map(disk).set(path, (disk.get(path) ?? Buffer.alloc(0)).subarray(0, 5));
  native.ask('one', PROJECT, 'more');
  await expectToRecover(native, dataDir, cut, 'cut data');
});

describe('a server that is killed at any file system call', () => {
  it.each(['nothing', 'half', 'all'] as const)(
    'keep/copies has a whole copy after the next start (%s done)',
    async (done) => {
      for (let call = 1; ; call += 1) {
        const native = createClaudeHome();
        native.write('one', PROJECT, 'the code word is heron');
        native.addSubAgent('one', PROJECT, 'child', 'looked');
        const disk: KeptDisk = new Map();
        const dataDir = scratchDirectory();
        const failing = failFiles(createMemoryFiles(disk), { call, done });
        const rig = await createKeepRig({ native, dataDir, files: failing.files }).catch(() => undefined);
        await rig?.keep.copyAll();
        native.ask('one', PROJECT, 'again');
        await rig?.keep.copyAll();
        await rig?.keep.close();
        await expectToRecover(native, dataDir, disk, `call ${call}`);
        if (failing.calls() < call) break;
        expect(call).toBeLessThan(100);
      }
    },
  );

  it('keep/copies goes on by itself when a call has failed once', async () => {
    for (let call = 2; ; call += 1) {
      const native = createClaudeHome();
      native.write('one', PROJECT, 'hello');
      const disk: KeptDisk = new Map();
      const failing = failFiles(createMemoryFiles(disk), { call, count: 1, done: 'half' });
      const rig = await createKeepRig({ native, files: failing.files });
      await rig.keep.copyAll();
      if (failing.calls() < call) break;
      await rig.keep.copyAll();
      expect(await rig.keep.status(), `call ${call}`).toMatchObject({ state: 'idle', sessions: 1 });
      const directory = join(rig.dataDir, 'kept', 'claude-code', 'one');
      expect(await readAll(directory, disk)).toEqual(await nativeContents(native));
      expect(call).toBeLessThan(50);
    }
  });
});

it('keep/copies-verified a copy of a newer version is neither read nor continued', async () => {
  const { native, disk, dataDir, directory } = await makeCopies();
  const path = join(directory, 'index.jsonl');
  const [header = '', ...rest] = (disk.get(path)?.toString() ?? '').split('\n');
  const newer = toLines([{ ...JSON.parse(header), check: undefined, version: 2 }]).trim();
  const index = Buffer.from([newer, ...rest].join('\n'));
  disk.set(path, index);
  native.ask('one', PROJECT, 'more');
  const { keep } = await createKeepRig({ native, dataDir, files: createMemoryFiles(disk) });
  await keep.copyAll();
  expect(disk.get(path)).toBe(index);
  const status = await keep.status();
  expect(status.state).toBe('failed');
  expect(status.message).toContain('newer version');
  await expect(keep.putBack('claude-code:one')).rejects.toMatchObject({ code: 'SERVER_NEWER_DATA' });
});
