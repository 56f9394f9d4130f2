import type { ProjectStore } from '../projects/project-store.ts';
import type { SessionService } from '../sessions/session-service.ts';
import type { SessionExportDeps } from './session-export.ts';

/** Reads sessions through the service, which brings them up to date with what the agent has. */
export function createSessionReader(service: SessionService, projects: ProjectStore): SessionExportDeps['read'] {
  return async (sessionId) => {
    const { meta, session, release } = await service.read(sessionId);
    const { label: agentLabel } = session.provider;
    return {
      head: { session: meta, agentLabel, projectPath: projects.getProject(meta.projectId)?.path },
      newest() {
        const { entries, turns, more = false } = session.history();
        return { entries, turns, more };
      },
      before: session.pageBefore,
      release,
    };
  };
}
