import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createProjectFiles, type ProjectFiles } from '../../../../server/providers/acp/workspace/project-files.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

let root: string;
let project: string;
let files: ProjectFiles;
const inProject = (...path: string[]): string => join(project, ...path);

beforeEach(() => {
  root = scratchDirectory();
  project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(inProject('a.txt'), 'one\ntwo\nthree');
  files = createProjectFiles(project);
});

describe('files of a project', () => {
  it('are read whole or in part', async () => {
    expect(await files.read(inProject('a.txt'))).toBe('one\ntwo\nthree');
    expect(await files.read(inProject('a.txt'), { line: 2 })).toBe('two\nthree');
    expect(await files.read(inProject('a.txt'), { limit: 2 })).toBe('one\ntwo');
    expect(await files.read(inProject('a.txt'), { line: 9, limit: 1 })).toBe('');
  });

  it('are overwritten, or created with missing directories', async () => {
    await files.write(inProject('a.txt'), 'x');
    await files.write(inProject('deep', 'er', 'b.txt'), 'y');
    expect(readFileSync(inProject('a.txt'), 'utf8')).toBe('x');
    expect(readFileSync(inProject('deep/er/b.txt'), 'utf8')).toBe('y');
  });

  it('can be accessed through links that stay inside the project', async () => {
    mkdirSync(inProject('real'));
    symlinkSync(inProject('real'), inProject('folder-link'));
    symlinkSync(inProject('a.txt'), inProject('file-link'));
    await files.write(inProject('folder-link', 'b.txt'), 'y');
    await files.write(inProject('file-link'), 'z');
    expect(await files.read(inProject('real', 'b.txt'))).toBe('y');
    expect(await files.read(inProject('a.txt'))).toBe('z');
  });

  it('can be accessed through a link to the project itself', async () => {
    symlinkSync(project, join(root, 'link-to-project'));
    expect(await files.read(join(root, 'link-to-project', 'a.txt'))).toContain('one');
  });
});

describe('an agent is refused', () => {
  it.for([
    ['a path outside', (): string => join(root, 'secret.txt')],
    ['a way out', (): string => inProject('..', 'secret.txt')],
    ['a link out', (): string => inProject('link')],
    ['a file behind a link out', (): string => inProject('folder', 'secret.txt')],
    ['a sibling with the same beginning', (): string => `${project}-other/x`],
    ['a relative path', (): string => 'a.txt'],
  ] as const)('%s, for reading and for writing', async ([, path]) => {
    symlinkSync(join(root, 'secret.txt'), inProject('link'));
    symlinkSync(root, inProject('folder'));
    mkdirSync(`${project}-other`);
    writeFileSync(`${project}-other/x`, 'secret');
    await expect(files.read(path())).rejects.toThrow(/outside the project directory|not an absolute path/);
    await expect(files.write(path(), 'mine')).rejects.toThrow(/outside the project directory|not an absolute path/);
    expect(readFileSync(join(root, 'secret.txt'), 'utf8')).toBe('secret');
    expect(readFileSync(`${project}-other/x`, 'utf8')).toBe('secret');
  });

  it('a new file behind a link to the outside, and the directories for it', async () => {
    symlinkSync(root, inProject('folder'));
    await expect(files.write(inProject('folder', 'new', 'b.txt'), 'y')).rejects.toThrow('outside');
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  it('a new file behind a dangling link', async () => {
    symlinkSync(join(root, 'not-there.txt'), inProject('dangling'));
    symlinkSync(join(root, 'not-there'), inProject('dangling-folder'));
    await expect(files.write(inProject('dangling'), 'y')).rejects.toThrow();
    await expect(files.write(inProject('dangling-folder', 'b.txt'), 'y')).rejects.toThrow('does not exist');
    expect(existsSync(join(root, 'not-there.txt'))).toBe(false);
    expect(existsSync(join(root, 'not-there'))).toBe(false);
  });

  it('something that is not a file', async () => {
    execFileSync('mkfifo', [inProject('pipe')]);
    await expect(files.read(inProject('pipe'))).rejects.toThrow('is not a file');
    await expect(files.write(inProject('pipe'), 'x')).rejects.toThrow();
    await expect(files.read(project)).rejects.toThrow('is not a file');
  });

  it('a file that is too large', async () => {
    truncateSync(inProject('a.txt'), 11 * 1024 * 1024);
    await expect(files.read(inProject('a.txt'))).rejects.toThrow('is larger than');
  });
});
