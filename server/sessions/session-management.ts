import type { CommandInput, CommandName, CommandOutput } from '../../shared/commands.ts';
import type { SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { ProjectStore } from '../projects/project-store.ts';
import type { OpenSessions } from './open-sessions.ts';
import type { SessionEndings } from './session-endings.ts';
import type { SessionStore } from './session-store.ts';
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

  /** Undefined if the project is gone: then the agent cannot be asked about its sessions. */
  const directoryOf = ({ projectId }: SessionMeta) => deps.projects.getProject(projectId)?.path;

  async function tell({ id, cliType, title, ...meta }: SessionMeta): Promise<void> {
    const projectDir = directoryOf({ id, cliType, title, ...meta });
    if (projectDir === undefined) return;
    const told = await providerOf(cliType)?.setTitle(id, title, { projectDir });
    const current = sessions.get(id);
    // It may have been renamed again meanwhile.
    if (told === 'later' || current?.title !== title) return;
    await sessions.update(id, { titleUntold: false });
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
    const projectDir = directoryOf(meta);
    const label = provider?.label ?? cliType;
    if (provider === undefined) return `${label} is not configured any more. It keeps its own copy, if it has one.`;
    if (projectDir === undefined) return `The project was removed, so ${label} was not asked. It keeps its own copy.`;
    return provider.deleteConversation(id, { projectDir });
  }

  return {
    tellTitle,

    async rename({ sessionId, title }) {
      metaOf(sessionId);
      await sessions.updateNow(sessionId, { title, titleChosen: true, titleUntold: true });
      await tell(metaOf(sessionId)).catch(deps.onFailure);
      return { sessionId, title };
    },

    async pin({ sessionId, pinned }) {
      metaOf(sessionId);
      await sessions.updateNow(sessionId, { pinned });
      view.announce(sessionId);
      return { sessionId, pinned };
    },

    async unarchive({ sessionId }) {
      if (anyMeta(sessionId).archived) await sessions.updateNow(sessionId, { archived: false });
      return { sessionId, session: view.item(anyMeta(sessionId)) };
    },

    async delete({ sessionId }) {
      const meta = anyMeta(sessionId);
      refuseInUse(meta);
      // What the agent has goes first: if something fails, the session is still listed and can be deleted again.
      const left = await endings.endThen(meta, async () => {
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
