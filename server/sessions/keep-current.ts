import type { CommandInput } from '../../shared/commands.ts';
import type { Holder } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { PageLimits } from '../journal/history-page.ts';
import type { Journal } from '../journal/journal.ts';
import { createKeyedQueue } from '../keyed-queue.ts';
import type { Contexts } from './contexts.ts';
import type { FollowFiles } from './follow-files.ts';
import type { SessionGuard } from './guard.ts';
import type { OpenSession, RefreshOutcome } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import { lookAtAgent } from './refresh-from-agent.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Keeps the sessions in memory current with what other programs write: what is shown is what the agent would continue,
 * and a process of ours that has not read it is ended before the next message.
 */
export interface KeepCurrent {
  /** A session was opened with what the agent had at `stamp`. */
  opened(sessionId: SessionId, stamp: string | undefined): void;
  /** A session has left the memory. */
  closed(sessionId: SessionId): void;
  /** A turn or background work began or ended. */
  noteActivity(sessionId: SessionId): void;
  /** Looks at what the agent has. Where a turn runs, that is done when it has ended. */
  look(sessionId: SessionId): Promise<RefreshOutcome>;
  /** Another program opened or closed a session, or does something else in it. */
  followHolder(sessionId: SessionId, holder: Holder | undefined): Promise<void>;
  /**
   * Makes sure that a message would go to an agent that has what is shown. Throws SESSION_IN_USE, SESSION_CHANGED or
   * CONTEXT_UNCERTAIN.
   */
  beforeSend(
    session: OpenSession,
    input: Pick<CommandInput<'session:send'>, 'sessionId' | 'ask' | 'accept'>,
  ): Promise<void>;
}

export interface KeepCurrentDeps {
  readonly open: OpenSessions;
  readonly sessions: SessionStore;
  readonly journal: Journal;
  readonly pages: PageLimits | undefined;
  readonly guard: SessionGuard;
  readonly contexts: Contexts;
  readonly files: FollowFiles;
  readonly projectDirOf: (sessionId: SessionId) => string | undefined;
  readonly providerOf: (cliType: string) => CliProvider | undefined;
  /** Resolves when all of the conversation was read. */
  readonly whole: (sessionId: SessionId) => Promise<void>;
  /** Whether a message is on its way to the agent. */
  readonly isSending: (sessionId: SessionId) => boolean;
  /** Announces how the session is listed now. */
  readonly announce: (sessionId: SessionId) => void;
  readonly onFailure: (error: unknown) => void;
}

const WRITTEN_ELSEWHERE = 'another program wrote to the session';
const OPENED_ELSEWHERE = 'another program opened the session';

export function createKeepCurrent(deps: KeepCurrentDeps): KeepCurrent {
  const { open, sessions, guard, contexts, files, projectDirOf } = deps;
  /** What was last read of each session in memory. */
  const stamps = new Map<SessionId, string | undefined>();
  /** Sessions to look at when their turns have ended. */
  const due = new Set<SessionId>();
  const inOrder = createKeyedQueue();

  function follow(sessionId: SessionId): void {
    const nativeFiles = open.get(sessionId)?.provider.nativeFiles;
    const projectDir = projectDirOf(sessionId);
    if (nativeFiles === undefined || projectDir === undefined) return;
    void files.follow(sessionId, projectDir, nativeFiles).catch(deps.onFailure);
  }

  /** The list shows when somebody last wrote. */
  function noteWritten(sessionId: SessionId, at: string): void {
    guard.noteWriter(sessionId, at);
    const meta = sessions.get(sessionId);
    if (meta !== undefined && Date.parse(meta.lastActiveAt) < Date.parse(at)) {
      sessions.update(sessionId, { lastActiveAt: at }).catch(() => undefined);
      deps.announce(sessionId);
    }
  }

  async function refresh(session: OpenSession, sessionId: SessionId, projectDir: string): Promise<RefreshOutcome> {
    const { provider } = session;
    const options = { sessionId, projectDir, provider, journal: deps.journal, pages: deps.pages };
    let writtenAt: string | undefined;
    await session.drained();
    const outcome = await session.refresh(async (shown) => {
      let found = await lookAtAgent(options, shown);
      if (found?.hasForeign) {
        writtenAt = found.lastAt;
        const wasAlive = provider.isAlive(sessionId);
        await provider.rest(sessionId, WRITTEN_ELSEWHERE);
        // An agent may write when it ends, and by that decide which branch goes on.
        if (wasAlive) found = await lookAtAgent(options, shown);
      }
      if (found === undefined) return undefined;
      stamps.set(sessionId, found.stamp);
      // An agent that runs has what was shown; its files may lag behind.
      return provider.isAlive(sessionId) ? undefined : found.take();
    });
    if (outcome === 'busy') due.add(sessionId);
    else contexts.look(sessionId);
    if (writtenAt !== undefined) noteWritten(sessionId, writtenAt);
    return outcome;
  }

  function look(sessionId: SessionId): Promise<RefreshOutcome> {
    return inOrder(sessionId, async () => {
      const session = open.get(sessionId);
      const projectDir = projectDirOf(sessionId);
      if (session === undefined || projectDir === undefined) return 'same';
      await deps.whole(sessionId);
      return refresh(session, sessionId, projectDir);
    });
  }

  /** Unless a message is on its way: its turn would look like one of somebody else. */
  function lookBetweenTurns(sessionId: SessionId): void {
    if (deps.isSending(sessionId)) due.add(sessionId);
    else void look(sessionId).catch(deps.onFailure);
  }

  return {
    opened(sessionId, stamp) {
      stamps.set(sessionId, stamp);
      follow(sessionId);
      contexts.look(sessionId);
    },
    closed(sessionId) {
      stamps.delete(sessionId);
      due.delete(sessionId);
      files.stop(sessionId);
      contexts.cancel(sessionId);
    },
    noteActivity(sessionId) {
      const session = open.get(sessionId);
      if (session === undefined || isBusy(session)) return;
      follow(sessionId);
      contexts.look(sessionId);
      if (due.delete(sessionId)) lookBetweenTurns(sessionId);
    },
    look: async (sessionId) => {
      if (!deps.isSending(sessionId)) return look(sessionId);
      due.add(sessionId);
      return 'busy';
    },
    async followHolder(sessionId, holder) {
      deps.announce(sessionId);
      const provider = deps.providerOf(fromCanonical(sessionId).cliType);
      if (holder?.certain) await provider?.rest(sessionId, OPENED_ELSEWHERE);
      lookBetweenTurns(sessionId);
    },
    async beforeSend(session, { sessionId, ask, accept }) {
      await deps.whole(sessionId);
      await guard.refuseIfHeld(sessionId);
      const projectDir = projectDirOf(sessionId) ?? '';
      if (!isBusy(session) && (await session.provider.historyStamp(sessionId, projectDir)) !== stamps.get(sessionId)) {
        const outcome = await look(sessionId);
        if (outcome === 'changed' && ask) throw new AppError('SESSION_CHANGED');
      }
      if (ask) await contexts.check(sessionId, accept);
    },
  };
}

function isBusy(session: OpenSession): boolean {
  return session.isRunning() || session.backgroundCount() > 0;
}
