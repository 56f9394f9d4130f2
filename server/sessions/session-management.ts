import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import type { SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider, StoredSession } from '../engine/provider-types.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { OpenSessions } from './open-sessions.ts';
import { directoryOf } from './session-directory.ts';
import type { SessionEndings } from './session-endings.ts';
import type { SessionPatch, SessionStore } from './session-store.ts';
import type { SessionView } from './session-view.ts';

type Managed = 'rename' | 'pin' | 'unarchive' | 'delete';
type Command<N extends Managed> = Extract<CommandName, `session:${N}`>;

/** Forgets what is kept of a deleted session. Called again if deleting failed half-way and is repeated. */
export type ForgetSession = (sessionId: SessionId) => Promise<void>;

/** What users do with sessions as a whole: name, pin, bring back, delete. */
export type SessionManagement = {
  readonly [N in Managed]: (input: CommandInput<Command<N>>) => Promise<CommandOutput<Command<N>>>;
} & {
  /** Tells the agent a chosen title that it does not have yet. Call it whenever the agent may have opened the session. */
  tellTitle(sessionId: SessionId): void;
};

export interface SessionManagementDeps {
  readonly sessions: SessionStore;
  readonly projects: ProjectStore;
  readonly open: OpenSessions;
  readonly endings: SessionEndings;
  readonly view: SessionView;
  /** Throws SESSION_NOT_FOUND for a session that is unknown or archived. */
  readonly metaOf: (sessionId: SessionId) => SessionMeta;
  readonly providerOf: (cliType: string) => CliProvider | undefined;
  /** Whether a message is on its way to the agent. */
  readonly isSending: (sessionId: SessionId) => boolean;
  /** Throws SESSION_IN_USE if another program has the session open. */
  readonly refuseIfHeld: (sessionId: SessionId) => Promise<void>;
  readonly forget: readonly ForgetSession[];
  readonly onFailure: (error: unknown) => void;
}

export function createSessionManagement(deps: SessionManagementDeps): SessionManagement {
  const { sessions, open, endings, view, metaOf, providerOf } = deps;

  function anyMeta(sessionId: SessionId): SessionMeta {
    const meta = sessions.get(sessionId);
    if (meta === undefined) throw new AppError('SESSION_NOT_FOUND');
    return meta;
  }

  /** Takes the change back if it cannot be saved. */
  async function change(sessionId: SessionId, patch: SessionPatch, undo: SessionPatch): Promise<void> {
    try {
      await sessions.updateNow(sessionId, patch);
    } catch (error) {
      sessions.update(sessionId, undo).catch(() => undefined);
      throw error;
    }
  }

  /** Undefined if the project was removed: agents look for their sessions by directory. */
  function storedSession(meta: SessionMeta): StoredSession | undefined {
    const projectDir = directoryOf(meta, deps.projects);
    return projectDir === undefined ? undefined : { projectDir, neverUsed: !(meta.used ?? true) };
  }

  async function tell(meta: SessionMeta): Promise<void> {
    const { id, cliType, title } = meta;
    const stored = storedSession(meta);
    const provider = providerOf(cliType);
    if (stored === undefined || provider === undefined) return;
    const told = await provider.setTitle(id, title, stored);
    // It may have been renamed again meanwhile.
    if (told === 'later' || sessions.get(id)?.title !== title) return;
    sessions.update(id, { titleUntold: false }).catch(() => undefined);
  }

  function tellTitle(sessionId: SessionId): void {
    const meta = sessions.get(sessionId);
    if (meta?.titleUntold) tell(meta).catch(deps.onFailure);
  }

  function refuseInUse({ id }: SessionMeta): void {
    const session = open.get(id);
    if (session?.isRunning()) throw inUse('A turn is running in this session. Cancel it, then delete the session.');
    if (deps.isSending(id)) throw inUse('A message is being sent in this session. Cancel it, then delete the session.');
    if ((session?.backgroundCount() ?? 0) > 0)
      throw inUse('Background work is running in this session. Stop it, then delete the session.');
  }

  async function deleteNative(meta: SessionMeta): Promise<string | undefined> {
    const { id, cliType } = meta;
    const provider = providerOf(cliType);
    const stored = storedSession(meta);
    const label = provider?.label ?? cliType;
    if (provider === undefined) return `${label} is not configured any more. It keeps its own copy, if it has one.`;
    if (stored === undefined) return `The project was removed, so ${label} was not asked. It keeps its own copy.`;
    return provider.deleteConversation(id, stored);
  }

  return {
    tellTitle,

    async rename({ sessionId, title }) {
      const { title: before, titleChosen = false, titleUntold = false } = metaOf(sessionId);
      const chosen = { title, titleChosen: true, titleUntold: true };
      await change(sessionId, chosen, { title: before, titleChosen, titleUntold });
      await tell(metaOf(sessionId)).catch(deps.onFailure);
      return { sessionId, title };
    },

    async pin({ sessionId, pinned }) {
      const before = metaOf(sessionId).pinned ?? false;
      await change(sessionId, { pinned }, { pinned: before });
      view.announce(sessionId);
      return { sessionId, pinned };
    },

    async unarchive({ sessionId }) {
      if (anyMeta(sessionId).archived) await change(sessionId, { archived: false }, { archived: true });
      return { sessionId, session: view.item(anyMeta(sessionId)) };
    },

    async delete({ sessionId }) {
      const meta = anyMeta(sessionId);
      refuseInUse(meta);
      // What the agent has goes first: if something fails, the session is still listed and can be deleted again.
      const left = await endings.endThen(meta, async () => {
        await deps.refuseIfHeld(sessionId);
        const kept = await deleteNative(meta);
        for (const forget of deps.forget) await forget(sessionId);
        await sessions.remove(sessionId);
        return kept;
      });
      return { sessionId, ...(left === undefined ? {} : { left }) };
    },
  };
}

function inUse(message: string): AppError {
  return new AppError('SESSION_IN_USE', message);
}
