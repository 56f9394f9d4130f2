import { AppError } from '../shared/errors.ts';
import type { SessionId } from '../shared/ids.ts';
import { isTurnEnd } from '../shared/turns.ts';
import type { Clock } from './clock.ts';
import type { KeepCommands } from './commands/command-handlers.ts';
import type { ProviderRegistry } from './engine/provider-registry.ts';
import { type Keep, type KeepOptions, openKeep } from './keep/keep.ts';
import type { Logger } from './log.ts';
import type { ProjectStore } from './projects/project-store.ts';
import type { Announce } from './sessions/open-session.ts';
import { directoryOf } from './sessions/session-directory.ts';
import type { SessionStore } from './sessions/session-store.ts';

export type KeepSettings = Pick<KeepOptions, 'dataDir' | 'on' | 'limitBytes' | 'timing'>;

export interface ConnectKeepDeps {
  readonly settings: KeepSettings;
  readonly projects: ProjectStore;
  readonly sessions: SessionStore;
  readonly registry: ProviderRegistry;
  readonly announce: Announce;
  /** Tells all windows how a session is listed now. */
  readonly announceSession: (sessionId: SessionId) => void;
  /** Looks again at what the agent has of a session. */
  readonly reload: (sessionId: SessionId) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ConnectedKeep {
  readonly keep: Keep;
  readonly commands: KeepCommands;
  /** Announces, and copies the transcript of a session whose turn has ended. */
  readonly announce: Announce;
}

/** Connects the copies to projects, sessions and windows. */
export async function connectKeep(deps: ConnectKeepDeps): Promise<ConnectedKeep> {
  const { settings, projects, sessions, registry, clock, log } = deps;
  const keep = await openKeep({
    ...settings,
    clock,
    log,
    agents: () => registry.list(),
    projectDirs: () => projects.listProjects().map(({ path }) => path),
    projectDirOf: (sessionId) => directoryOf(sessions.get(sessionId), projects),
    onKept: deps.announceSession,
    onStatus: (status) => deps.announce({ to: 'all', message: { type: 'keep:status', ...status } }),
  });
  return {
    keep,
    commands: {
      status: keep.status,
      async putBack({ sessionId }) {
        const meta = sessions.get(sessionId);
        if (meta === undefined || meta.archived) throw new AppError('SESSION_NOT_FOUND');
        const files = await keep.putBack(sessionId);
        await deps.reload(sessionId);
        return { sessionId, files };
      },
    },
    announce(announcement) {
      deps.announce(announcement);
      const { message } = announcement;
      if (message.type === 'session:turn' && isTurnEnd(message.payload)) keep.copySoon(message.sessionId);
    },
  };
}
