import type { CommandInput } from '../../shared/commands.ts';
import { AppError } from '../../shared/errors.ts';
import type { ProjectRecord, ProjectStore } from '../projects/project-store.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import type { Announce } from './open-session.ts';

/** Finds the project for a new session. A directory that is not a project yet is added. */
export async function projectForSession(
  { projectId, projectDir }: CommandInput<'session:create'>,
  projects: ProjectStore,
  trust: ProjectTrust,
  announce: Announce,
): Promise<ProjectRecord> {
  if (projectDir !== undefined) return findOrAdd(projectDir, projects, trust, announce);
  const project = projects.getProject(projectId ?? '');
  if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
  return project;
}

async function findOrAdd(
  path: string,
  projects: ProjectStore,
  trust: ProjectTrust,
  announce: Announce,
): Promise<ProjectRecord> {
  try {
    const added = await projects.addProject(path);
    announce({ to: 'all', message: { type: 'project:added', project: await trust.describe(added) } });
    return added;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PROJECT_DUPLICATE') return projects.findOrAdd(path);
    throw error;
  }
}
