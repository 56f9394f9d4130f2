import type { CommandInput, CommandOutput } from '../../shared/commands.ts';
import { AppError } from '../../shared/errors.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionView } from './session-view.ts';

export interface SessionListing {
  list(input: CommandInput<'session:list'>): Promise<CommandOutput<'session:list'>>;
  listAll(input: CommandInput<'session:list-all'>): Promise<CommandOutput<'session:list-all'>>;
}

export interface SessionListingDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly view: SessionView;
}

export function createSessionListing({ sessions, projects, view }: SessionListingDeps): SessionListing {
  return {
    async list({ projectId, archived }) {
      if (projects.getProject(projectId) === undefined) throw new AppError('PROJECT_NOT_FOUND');
      const listed = archived === undefined ? sessions.list(projectId) : sessions.listArchived(projectId);
      return { projectId, sessions: listed.map(view.item) };
    },

    async listAll({ after }) {
      const known = new Set(projects.listProjects().map(({ id }) => id));
      const page = sessions.page(after, ({ projectId }) => known.has(projectId));
      if (page === undefined) throw new AppError('SESSION_NOT_FOUND');
      const archived = page.more ? {} : sessions.archivedCounts();
      const hasCounts = Object.keys(archived).length > 0;
      return { sessions: page.sessions.map(view.item), more: page.more, ...(hasCounts && { archived }) };
    },
  };
}
