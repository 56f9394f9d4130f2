import type { SessionTarget } from '../../../engine/driver.ts';
import type { ForkPoint } from '../../../engine/native-sessions.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import type { ToldTitle } from '../../../engine/provider-types.ts';
import type { KeyedQueue } from '../../../keyed-queue.ts';
import type { AcpAgent } from '../agents/acp-agent.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { toProviderError } from '../connection/acp-errors.ts';
import type { SessionAliases } from './session-aliases.ts';

export interface StoredSessionsOptions {
  readonly agent: AcpAgent;
  readonly connection: AcpConnection;
  readonly aliases: SessionAliases;
  /** The order in which sessions are opened and closed at the agent. */
  readonly inOrder: KeyedQueue;
}

/** What an agent does with the sessions that it stores, open or not. */
export interface StoredSessions {
  setTitle(target: SessionTarget, title: string): Promise<ToldTitle>;
  deleteConversation(target: SessionTarget): Promise<string | undefined>;
  /** Only of a whole session: the protocol has no place in it. */
  fork(target: SessionTarget, at: ForkPoint): Promise<string>;
}

export function createStoredSessions({ agent, connection, aliases, inOrder }: StoredSessionsOptions): StoredSessions {
  const storedIdOf = ({ sessionId, nativeId }: SessionTarget) => aliases.find(sessionId) ?? nativeId;

  return {
    async setTitle(target, title) {
      if (!connection.can.title) return 'never';
      try {
        await connection.setTitle(storedIdOf(target), title);
        return 'told';
      } catch (error) {
        const failure = toProviderError(error, agent);
        // It stores a session with its first message.
        if (failure.code === 'SESSION_NOT_FOUND') return 'later';
        throw failure;
      }
    },

    async fork(target, { itemId, branch }) {
      if (!connection.can.fork || itemId !== undefined || branch !== undefined)
        throw new ProviderError('FORK_UNSUPPORTED');
      try {
        const forked = await connection.forkSession(storedIdOf(target), target.projectDir);
        if (connection.can.close) await inOrder(forked, () => connection.closeSession(forked));
        return forked;
      } catch (error) {
        throw toProviderError(error, agent);
      }
    },

    async deleteConversation(target) {
      const storedId = storedIdOf(target);
      if (!connection.can.delete) return `${agent.label} cannot delete its sessions: it keeps its own copy.`;
      try {
        await inOrder(storedId, () => connection.deleteSession(storedId));
      } catch (error) {
        const failure = toProviderError(error, agent);
        if (failure.code !== 'SESSION_NOT_FOUND') throw failure;
      }
      await aliases.forget(target.sessionId);
      return agent.leftByDelete?.(storedId);
    },
  };
}
