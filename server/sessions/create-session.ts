import type { CommandInput, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import type { Announce } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import { NO_CONVERSATION } from './read-conversation.ts';
import type { SeqAllocator } from './seq-numbers.ts';
import type { SessionOpening } from './session-opening.ts';
import { projectForSession } from './session-project.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionView } from './session-view.ts';

export interface CreateSessionDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly trust: ProjectTrust;
  readonly registry: ProviderRegistry;
  readonly open: OpenSessions;
  readonly opening: SessionOpening;
  readonly seq: SeqAllocator;
  readonly view: SessionView;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly onFailure: (error: unknown) => void;
}

export type CreateSession = (input: CommandInput<'session:create'>) => Promise<CommandOutput<'session:create'>>;

/** Begins a session. One that cannot be saved leaves nothing behind. */
export function createCreateSession(deps: CreateSessionDeps): CreateSession {
  const { sessions, projects, trust, registry, open, opening, seq, view, clock, announce, onFailure } = deps;
  return async (input) => {
    const provider = registry.resolve(input.cliType);
    const { id: projectId, path: projectDir } = await projectForSession(input, projects, trust, announce);
    await trust.check(projectId, input.ask);
    const created = await provider.createSession({ projectDir }).catch(async (error: unknown) => {
      throw await trust.explain(projectId, error);
    });
    const { sessionId, cliType } = created;
    const now = clock.now();
    const facts = { id: sessionId, projectId, cliType, createdAt: now, lastActiveAt: now };
    // Subscribe before saving, so that a slow disk does not lose the agent's first events.
    await opening.openBy(sessionId, provider, async () => NO_CONVERSATION);
    const seqCeiling = seq.ceiling(sessionId);
    const meta: SessionMeta = { ...facts, archived: false, title: PLACEHOLDER_TITLE, used: false, seqCeiling };
    try {
      await sessions.add(meta);
    } catch (error) {
      await provider.killSession(sessionId).catch(onFailure);
      open.drop(sessionId);
      throw error;
    }
    return { sessionId, cliType, projectId, session: view.item(meta) };
  };
}
