import { stat } from 'node:fs/promises';
import type { CommandOutput } from '../../shared/commands.ts';
import type { FoundSession } from './catalogue.ts';

type Directory = CommandOutput<'directory:with-sessions'>['directories'][number];

const MAX_OFFERED = 100;

/** The directories of sessions that belong to no project, most recently used first. Runs alone do not count. */
export async function offeredDirectories(
  sessions: readonly FoundSession[],
  projectOf: (directory: string) => string | undefined,
): Promise<Directory[]> {
  const found = new Map<string, Directory>();
  for (const { cwd: path, isRun, lastMessageAt } of sessions) {
    if (isRun || projectOf(path) !== undefined) continue;
    const before = found.get(path);
    const isNewer = before === undefined || lastMessageAt > before.lastActiveAt;
    const lastActiveAt = isNewer ? lastMessageAt : before.lastActiveAt;
    found.set(path, { path, sessions: (before?.sessions ?? 0) + 1, lastActiveAt });
  }
  const offered: Directory[] = [];
  for (const directory of [...found.values()].sort((a, b) => (a.lastActiveAt < b.lastActiveAt ? 1 : -1))) {
    if (offered.length === MAX_OFFERED) break;
    if (await isDirectory(directory.path)) offered.push(directory);
  }
  return offered;
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
