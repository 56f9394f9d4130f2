import type { CommandInput } from '../../shared/commands.ts';
import type { Project } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { Announce } from './open-session.ts';

/** Finds the project for a new session. A directory that is not a project yet is added. */
export async function projectForSession(
  { projectId, projectDir }: CommandInput<'session:create'>,
  projects: ProjectStore,
  announce: Announce,
): Promise<Project> {
  if (projectDir !== undefined) return findOrAdd(projectDir, projects, announce);
  const project = projects.getProject(projectId ?? '');
  if (project === undefined) throw new AppError('PROJECT_NOT_FOUND');
  return project;
}

async function findOrAdd(path: string, projects: ProjectStore, announce: Announce): Promise<Project> {
  try {
    const project = await projects.addProject(path);
    announce({ to: 'all', message: { type: 'project:added', project } });
    return project;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PROJECT_DUPLICATE') return projects.findOrAdd(path);
    throw error;
  }
}
