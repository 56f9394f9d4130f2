import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { ProjectRecord, ProjectStore } from '../projects/project-store.ts';

/** Tells which project a directory belongs to. */
export interface Places {
  /** The project with the longest path that contains the directory, or whose repository has a worktree that does. */
  projectOf(directory: string): string | undefined;
  /** Looks again at links and worktrees. `directories`: some that may belong to a project. Never rejects. */
  refresh(directories: Iterable<string>): Promise<void>;
}

const MAX_WORKTREES = 1_000;

export function createPlaces(projects: Pick<ProjectStore, 'listProjects'>): Places {
  let seen: readonly ProjectRecord[] | undefined;
  /** Further directories of projects: without links, and worktrees. */
  const further = new Map<string, readonly string[]>();
  /** What directories are without links, if that is something else. */
  const real = new Map<string, string>();
  let index = new Map<string, string>();
  let answers = new Map<string, string | undefined>();

  function rebuild(): void {
    seen = projects.listProjects();
    answers = new Map();
    index = new Map();
    for (const { id, path } of seen) for (const directory of further.get(path) ?? []) index.set(directory, id);
    for (const { id, path } of seen) index.set(path, id);
  }

  function find(directory: string): string | undefined {
    for (let at = resolve(directory); ; at = dirname(at)) {
      const id = index.get(at);
      if (id !== undefined || at === dirname(at)) return id;
    }
  }

  return {
    projectOf(directory) {
      if (seen !== projects.listProjects()) rebuild();
      if (answers.has(directory)) return answers.get(directory);
      const without = real.get(directory);
      const id = find(directory) ?? (without === undefined ? undefined : find(without));
      answers.set(directory, id);
      return id;
    },
    async refresh(directories) {
      for (const { path } of projects.listProjects()) further.set(path, await furtherDirectories(path));
      rebuild();
      for (const directory of new Set(directories)) {
        if (find(directory) !== undefined) continue;
        const without = await realPath(directory);
        if (without === undefined || without === directory) real.delete(directory);
        else real.set(directory, without);
      }
      rebuild();
    },
  };
}

/** Git's own files are read: no process is started. */
async function furtherDirectories(path: string): Promise<readonly string[]> {
  const own = join(path, '.git', 'worktrees');
  const names = await readdir(own).catch(() => []);
  const worktrees = await Promise.all(names.slice(0, MAX_WORKTREES).map((name) => worktreeOf(join(own, name))));
  const all = [path, ...worktrees.filter((directory) => directory !== undefined)];
  const withoutLinks = await Promise.all(all.map((directory) => realPath(directory)));
  return [...all, ...withoutLinks.filter((directory) => directory !== undefined)];
}

/** The file names the `.git` of the worktree. */
async function worktreeOf(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'gitdir'), 'utf8').catch(() => '');
  const [line = ''] = text.split('\n', 1);
  if (line.trim() === '' || line.includes('\0')) return undefined;
  return dirname(isAbsolute(line) ? line : resolve(folder, line));
}

function realPath(directory: string): Promise<string | undefined> {
  return realpath(directory).catch(() => undefined);
}
