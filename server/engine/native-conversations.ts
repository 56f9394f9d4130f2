import { fromCanonical, type SessionId, toCanonical } from '../../shared/ids.ts';
import type { Driver, SessionTarget } from './driver.ts';
import type { ProcessKeeper } from './process-keeper.ts';
import { ProviderError } from './provider-errors.ts';
import type { CliProvider, StoredSession } from './provider-types.ts';

export interface NativeConversationsDeps {
  readonly driver: Driver;
  readonly shared: ProcessKeeper | undefined;
  /** Keeps the shared process while `use` runs, and stops it afterwards if no session needs it. */
  readonly useShared: <T>(use: () => Promise<T>) => Promise<T>;
  /** Whether a session has a conversation, as far as that is known here. */
  readonly wasUsed: (sessionId: SessionId) => boolean;
}

/** What the engine does with the agent's own conversations besides opening them. */
export function createNativeConversations(
  deps: NativeConversationsDeps,
): Pick<CliProvider, 'setTitle' | 'deleteConversation' | 'readNewest' | 'historyStamp' | 'readContext' | 'fork'> {
  const { driver, shared, useShared, wasUsed } = deps;
  const targetOf = (sessionId: SessionId, { projectDir, neverUsed }: StoredSession): SessionTarget => ({
    sessionId,
    nativeId: fromCanonical(sessionId).nativeId,
    projectDir,
    wasUsed: !neverUsed,
  });

  const used = (projectDir: string): StoredSession => ({ projectDir, neverUsed: false });

  return {
    readNewest: async (sessionId, projectDir) => driver.readNewest?.(targetOf(sessionId, used(projectDir))),
    historyStamp: async (sessionId, projectDir) => driver.historyStamp?.(targetOf(sessionId, used(projectDir))),
    readContext: async (sessionId, projectDir) =>
      driver.readContext?.(targetOf(sessionId, { projectDir, neverUsed: !wasUsed(sessionId) })),

    async fork(sessionId, { projectDir, ...at }) {
      const target = targetOf(sessionId, used(projectDir));
      const toSession = (nativeId: string) => toCanonical(driver.cliType, nativeId);
      if (driver.fork !== undefined) return toSession(await driver.fork(target, at));
      if (shared === undefined) throw new ProviderError('FORK_UNSUPPORTED');
      return useShared(async () => {
        const process = await shared.ensure();
        if (process.fork === undefined) throw new ProviderError('FORK_UNSUPPORTED');
        return toSession(await process.fork(target, at));
      });
    },

    async setTitle(sessionId, title, stored) {
      const target = targetOf(sessionId, stored);
      if (driver.setTitle !== undefined) return driver.setTitle(target, title);
      if (shared === undefined) return 'never';
      const process = shared.current;
      if (process?.isOpen() !== true) return 'later';
      return (await process.setTitle?.(target, title)) ?? 'never';
    },

    async deleteConversation(sessionId, stored) {
      const target = targetOf(sessionId, stored);
      if (driver.deleteConversation !== undefined) return driver.deleteConversation(target);
      if (stored.neverUsed) return undefined;
      const keeps = `${driver.label} keeps its own copy of the conversation.`;
      if (shared === undefined) return keeps;
      const { available, reason } = await driver.checkAvailability();
      if (!available) return `${driver.label} could not be asked, so it keeps its own copy: ${reason}`;
      return useShared(async () => {
        const process = await shared.ensure();
        return process.deleteConversation === undefined ? keeps : process.deleteConversation(target);
      });
    },
  };
}
