import type { CommandInput, CommandOutput } from '../../shared/commands.ts';
import { PLACEHOLDER_TITLE, type SessionMeta } from '../../shared/entities.ts';
import { AppError, toErrorBody } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import { abortable } from '../abortable.ts';
import type { Journal } from '../journal/journal.ts';
import type { KeyedQueue } from '../keyed-queue.ts';
import type { ProjectTrust } from '../projects/project-trust.ts';
import { deriveTitle } from '../titles.ts';
import type { KeepCurrent } from './keep-current.ts';
import type { Announce, OpenSession } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import type { PendingSends } from './pending-sends.ts';
import type { SessionStore } from './session-store.ts';

export type SendMessage = (input: CommandInput<'session:send'>) => Promise<CommandOutput<'session:send'>>;

export interface SendMessageDeps {
  readonly sessions: SessionStore;
  readonly trust: ProjectTrust;
  readonly journal: Journal;
  readonly open: OpenSessions;
  readonly pendingSends: PendingSends;
  /** Messages to one session are sent one after the other. */
  readonly inOrder: KeyedQueue;
  readonly announce: Announce;
  readonly newId: () => string;
  /** Throws SESSION_NOT_FOUND for a session that is unknown or archived. */
  readonly metaOf: (sessionId: SessionId) => SessionMeta;
  readonly load: (sessionId: SessionId) => Promise<OpenSession>;
  /** Throws if the message would not continue what is shown. */
  readonly beforeSend: KeepCurrent['beforeSend'];
  readonly onSent: (sessionId: SessionId) => void;
}

/**
 * Sends messages. A message is on disk before the agent gets it, and one whose turn is known is not sent again. A message
 * that is refused leaves nothing.
 */
export function createSendMessage(deps: SendMessageDeps): SendMessage {
  const { sessions, trust, journal, open, pendingSends, announce, metaOf } = deps;

  function nameByFirstMessage(sessionId: SessionId, content: string): void {
    const meta = sessions.get(sessionId);
    if (meta?.title !== PLACEHOLDER_TITLE || meta.titleChosen) return;
    const title = deriveTitle(content);
    if (title === PLACEHOLDER_TITLE) return;
    sessions.update(sessionId, { title }).catch(() => undefined);
    announce({ to: 'all', message: { type: 'session:title-updated', sessionId, title } });
  }

  /** Failing to save the flag must not fail a message that was sent. */
  async function noteFirstMessage(sessionId: SessionId, content: string): Promise<void> {
    nameByFirstMessage(sessionId, content);
    if (sessions.get(sessionId)?.used === true) return;
    await sessions.updateNow(sessionId, { used: true }).catch(() => undefined);
  }

  return ({ turnId: chosen, ...input }) => {
    const { sessionId, content, ask } = input;
    const cancelled = pendingSends.signal(sessionId);
    return deps.inOrder(sessionId, async () => {
      cancelled.throwIfAborted();
      const { projectId } = metaOf(sessionId);
      if (chosen !== undefined && (await journal.hasTurn(sessionId, chosen))) return { sessionId, turnId: chosen };
      const explained = async (error: unknown): Promise<never> => {
        throw await trust.explain(projectId, error);
      };
      const session = await abortable(deps.load(sessionId), cancelled).catch(explained);
      cancelled.throwIfAborted();
      if (session.isMissing()) throw new AppError('TRANSCRIPT_MISSING');
      const stopWatching = open.watch(sessionId);
      const turnId = chosen ?? deps.newId();
      try {
        await abortable(trust.check(projectId, ask), cancelled);
        await abortable(deps.beforeSend(session, input), cancelled);
        cancelled.throwIfAborted();
        await session.keep(turnId, content);
        cancelled.throwIfAborted();
        const bound = await session.provider.sendMessage(sessionId, content, { turnId });
        deps.onSent(sessionId);
        await noteFirstMessage(sessionId, content);
        return { sessionId, turnId: bound.turnId };
      } catch (error) {
        session.forget(turnId);
        session.failTurns(toErrorBody(error), turnId);
        return await explained(error);
      } finally {
        stopWatching();
      }
    });
  };
}
