import type { CommandInput, CommandOutput } from '../../shared/commands.ts';
import type { SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import { directoryOf } from './session-directory.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionView } from './session-view.ts';

export interface ForkSessionDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly registry: ProviderRegistry;
  readonly view: SessionView;
  readonly clock: Clock;
  /** Throws SESSION_NOT_FOUND for a session that is unknown or archived. */
  readonly metaOf: (sessionId: SessionId) => SessionMeta;
  readonly onFailure: (error: unknown) => void;
}

export type ForkSession = (input: CommandInput<'session:fork'>) => Promise<CommandOutput<'session:fork'>>;

/** Makes a session of ours from a copy of a conversation. It is opened like any other. */
export function createForkSession(deps: ForkSessionDeps): ForkSession {
  const { sessions, projects, registry, view, clock, metaOf, onFailure } = deps;
  return async ({ sessionId: from, itemId, branch }) => {
    const original = metaOf(from);
    const { projectId, cliType, title, cwd } = original;
    const projectDir = directoryOf(original, projects);
    if (projectDir === undefined) throw new AppError('PROJECT_NOT_FOUND');
    const provider = registry.resolve(cliType);
    const sessionId = await provider.fork(from, { projectDir, itemId, branch });
    const now = clock.now();
    const meta: SessionMeta = {
      id: sessionId,
      projectId,
      cliType: fromCanonical(sessionId).cliType,
      archived: false,
      title: forkTitle(title),
      titleChosen: true,
      createdAt: now,
      lastActiveAt: now,
      used: true,
      ...(cwd !== undefined && { cwd }),
      origin: { from, how: 'forked', at: now },
    };
    try {
      await sessions.add(meta);
    } catch (error) {
      const stored = { projectDir, neverUsed: false };
      await provider.deleteConversation(sessionId, stored).catch(onFailure);
      throw error;
    }
    return { sessionId, cliType, projectId, session: view.item(meta) };
  };
}

const FORK = ' (fork)';

function forkTitle(title: string): string {
  return title.endsWith(FORK) ? title : title + FORK;
}
