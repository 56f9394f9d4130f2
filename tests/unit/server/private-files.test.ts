import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  makePrivateDirectory,
  openPrivate,
  openPrivateSync,
  readPrivate,
  readPrivateSync,
  UnsafeFileError,
} from '../../../server/private-files.ts';
import { createTranscript, openTranscript } from '../../../server/providers/envelope/transcript.ts';
import { canActAsOther, giveToOther } from '../../support/other-user.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const plants: Array<readonly [string, (path: string, victim: string) => void]> = [
  ['a link to a file of the user', (path, victim) => symlinkSync(victim, path)],
  ['a link that leads nowhere', (path) => symlinkSync('/nowhere/at/all', path)],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ...(canActAsOther
    ? [
        [
          'a file of another user',
          (path: string) => {
            writeFileSync(path, 'planted');
            giveToOther(path);
          },
        ] as const,
      ]
    : []),
];

describe('safe/data-directory a private file', () => {
  it.each(plants)('is neither read nor written if it is %s', async (_name, plant) => {
    const directory = scratchDirectory();
    const [path, victim] = [join(directory, 'file'), join(directory, 'victim')];
    writeFileSync(victim, 'precious');
    plant(path, victim);

    for (const access of ['read', 'append', 'create'] as const) {
      await expect(openPrivate(path, access)).rejects.toThrow();
      expect(() => openPrivateSync(path, access)).toThrow();
    }
    await expect(readPrivate(path)).rejects.toBeInstanceOf(UnsafeFileError);
    expect(() => readPrivateSync(path)).toThrow(UnsafeFileError);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(readdirSync(directory).sort()).toEqual(['file', 'victim']);
  });

  it('is not appended to if it has a second name', () => {
    const directory = scratchDirectory();
    writeFileSync(join(directory, 'victim'), 'precious');
    linkSync(join(directory, 'victim'), join(directory, 'file'));

    expect(() => openPrivateSync(join(directory, 'file'), 'append')).toThrow(/is a hard link/);
  });

  it.each([0o644, 0o666, 0o660])('with mode %o of the user becomes private when it is opened', async (mode) => {
    const path = join(scratchDirectory(), 'file');
    writeFileSync(path, 'mine');
    chmodSync(path, mode);

    expect((await readPrivate(path)).toString()).toBe('mine');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, mode);
    expect(readPrivateSync(path)).toBe('mine');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('that is created is private whatever the umask is', async () => {
    const path = join(scratchDirectory(), 'file');
    const before = process.umask(0);
    try {
      await (await openPrivate(path, 'create')).close();
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe('safe/data-directory a private directory', () => {
  it('is not a link', () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));

    expect(() => makePrivateDirectory(join(directory, 'link'))).toThrow(/is a link/);
  });

  it('becomes private if others could write to it', () => {
    const path = join(scratchDirectory(), 'directory');
    mkdirSync(path);
    chmodSync(path, 0o777);

    makePrivateDirectory(path);

    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('belongs to the user', () => {
    const path = join(scratchDirectory(), 'directory');
    mkdirSync(path);
    if (!canActAsOther) return makePrivateDirectory(path);
    giveToOther(path);

    expect(() => makePrivateDirectory(path)).toThrow(/belongs to another user/);
  });
});

describe('safe/data-directory a transcript', () => {
  const item = {
    type: 'message',
    itemId: 'i1',
    turnId: 't1',
    sessionId: 'fixture:1',
    status: 'complete',
    origin: 'agent',
    content: 'secret',
    sourceTimestamp: '2026-01-01T00:00:00.000Z',
    emittedAt: '2026-01-01T00:00:00.000Z',
  };

  it('that is a link is neither read nor appended to', async () => {
    const directory = scratchDirectory();
    const [path, victim] = [join(directory, 'a', 'b', 'one.jsonl'), join(directory, 'victim')];
    writeFileSync(victim, 'precious');
    mkdirSync(join(directory, 'a', 'b'), { recursive: true });
    symlinkSync(victim, path);
    const transcript = openTranscript(path);

    await expect(transcript.read()).rejects.toThrow(/is a link/);
    expect(() => transcript.append({ order: 0, item: item as never })).toThrow(/is a link/);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('is not created below a directory that is a link', () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, 'elsewhere'));
    symlinkSync(join(directory, 'elsewhere'), join(directory, 'envelope'));

    expect(() => createTranscript(join(directory, 'envelope', 'fixture', 'one.jsonl'))).toThrow();
    expect(readdirSync(join(directory, 'elsewhere'))).toEqual([]);
  });
});
