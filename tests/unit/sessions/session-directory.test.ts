import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStores } from '../../../server/open-stores.ts';
import { directoryOf } from '../../../server/sessions/session-directory.ts';
import type { SessionMeta } from '../../../shared/entities.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

async function start() {
  const directory = scratchDirectory();
  const path = join(directory, 'project');
  const worktree = join(directory, 'worktree');
  for (const each of [path, worktree]) mkdirSync(each);
  const { projects } = await openStores(join(directory, 'data'), {
    warn: () => {},
    onError: () => {},
    journalThread: 'here',
  });
  const { id: projectId } = await projects.addProject(path);
  const at = new Date(0).toISOString();
  const facts = { projectId, cliType: 'codex', archived: false, title: 'T', lastActiveAt: at, createdAt: at };
  const metaIn = (cwd?: string): SessionMeta => ({ id: 'codex:a', ...facts, ...(cwd !== undefined && { cwd }) });
  return { path, worktree, projectId, projects, metaIn };
}

it('follow/worktrees a session that was begun in a worktree goes on there', async () => {
  const { path, worktree, projects, metaIn } = await start();
  expect(directoryOf(metaIn(worktree), projects)).toBe(worktree);
  expect(directoryOf(metaIn(), projects)).toBe(path);
});

it('follow/worktrees it goes on in the project if its directory is gone', async () => {
  const { path, worktree, projects, metaIn } = await start();
  rmSync(worktree, { recursive: true });
  expect(directoryOf(metaIn(worktree), projects)).toBe(path);
  expect(directoryOf(undefined, projects)).toBeUndefined();
});

it('follow/worktrees what may run in a project may run in its worktrees, and nowhere else', async () => {
  const { path, worktree, projectId, projects, metaIn } = await start();
  await projects.decideTrust(projectId, true, ['a']);
  expect(projects.allowedIn(worktree).size).toBe(0);
  directoryOf(metaIn(worktree), projects);
  expect([...projects.allowedIn(worktree)]).toEqual(['a']);
  expect(projects.directoriesOf(projectId)).toEqual([path, worktree]);
  // A project of its own is trusted or not by itself.
  await projects.addProject(worktree);
  expect(projects.allowedIn(worktree).size).toBe(0);
  expect(projects.directoriesOf(projectId)).toEqual([path]);
});
