import { statSync } from 'node:fs';
import type { SessionMeta } from '../../shared/entities.ts';
import type { ProjectStore } from '../projects/project-store.ts';

/**
 * Where the agent of a session works: where the session was begun, such as a worktree or a sub-directory of the project,
 * or in the project's own directory if that is gone. Undefined if the project was removed.
 */
export function directoryOf(meta: SessionMeta | undefined, projects: ProjectStore): string | undefined {
  const project = projects.getProject(meta?.projectId ?? '');
  if (meta?.cwd === undefined || project === undefined || !isDirectory(meta.cwd)) return project?.path;
  projects.noteDirectory(project.id, meta.cwd);
  return meta.cwd;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
