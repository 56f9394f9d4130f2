import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPlaces } from '../../../server/found/places.ts';
import type { ProjectRecord } from '../../../server/projects/project-store.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const project = (path: string): ProjectRecord => ({ id: path, path, name: path, addedAt: '2026-01-01T00:00:00.000Z' });

function createRig(paths: readonly string[]) {
  let list = paths.map(project);
  const places = createPlaces({ listProjects: () => list });
  return {
    ...places,
    set: (next: readonly string[]) => {
      list = next.map(project);
    },
  };
}

it('follow/list a session belongs to the project with the longest path that contains its directory', () => {
  const { projectOf, set } = createRig(['/work/app', '/work/app/packages/a', '/work/ap']);
  expect(projectOf('/work/app')).toBe('/work/app');
  expect(projectOf('/work/app/src/deep')).toBe('/work/app');
  expect(projectOf('/work/app/packages/a/src/../lib/')).toBe('/work/app/packages/a');
  expect(projectOf('/work/apple')).toBeUndefined();
  expect(projectOf('/')).toBeUndefined();

  set(['/work/app']);
  expect(projectOf('/work/app/packages/a')).toBe('/work/app');
  set(['/']);
  expect(projectOf('/work/apple')).toBe('/');
});

it('follow/worktrees worktrees of its repository belong to a project, wherever they are', async () => {
  const root = scratchDirectory();
  const [repository, worktree] = [join(root, 'repository'), join(root, 'elsewhere', 'worktree')];
  mkdirSync(repository);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repository, stdio: 'ignore' });
  git('init');
  git('commit', '--allow-empty', '-m', 'first');
  git('worktree', 'add', worktree);
  const { projectOf, refresh, set } = createRig([repository]);
  expect(projectOf(join(worktree, 'src'))).toBeUndefined();
  await refresh([]);
  expect(projectOf(join(worktree, 'src'))).toBe(repository);
  expect(projectOf(join(root, 'elsewhere'))).toBeUndefined();

  set([repository, worktree]);
  expect(projectOf(join(worktree, 'src'))).toBe(worktree);
});

it('follow/worktrees what is no worktree is passed over', async () => {
  const repository = scratchDirectory();
  const own = join(repository, '.git', 'worktrees');
  for (const name of ['empty', 'relative', 'folder']) mkdirSync(join(own, name), { recursive: true });
  writeFileSync(join(own, 'file'), 'x');
  writeFileSync(join(own, 'empty', 'gitdir'), '');
  writeFileSync(join(own, 'relative', 'gitdir'), '../../../../beside/.git\n');
  mkdirSync(join(own, 'folder', 'gitdir'));
  const { projectOf, refresh } = createRig([repository]);
  await refresh([]);
  expect(projectOf(join(repository, '..', 'beside', 'src'))).toBe(repository);
  expect(projectOf('/')).toBeUndefined();
});

it('follow/list a project that has become a link, and a directory behind one, are told by what they are without', async () => {
  const root = scratchDirectory();
  const [old, moved, link] = [join(root, 'old'), join(root, 'moved'), join(root, 'link')];
  mkdirSync(join(old, 'src'), { recursive: true });
  renameSync(old, moved);
  symlinkSync(moved, old);
  symlinkSync(join(moved, 'src'), link);
  const { projectOf, refresh } = createRig([old]);
  await refresh([link]);
  expect(projectOf(join(moved, 'src'))).toBe(old);
  expect(projectOf(link)).toBe(old);
});
