import { join } from 'node:path';
import { z } from 'zod';
import { nativeIdSchema, type SessionId, sessionIdSchema } from '../../../../shared/ids.ts';
import { type JsonStoreOptions, openJsonStore } from '../../../store/index.ts';

/**
 * Agents choose the ids of their sessions, and some forget an unused session when they restart. Such a session is
 * created anew and keeps its id here. This is where the agent's new id is stored.
 */
export interface SessionAliases {
  find(sessionId: SessionId): string | undefined;
  /** Resolves when it is stored. */
  record(sessionId: SessionId, nativeId: string): Promise<void>;
  forget(sessionId: SessionId): Promise<void>;
}

const schema = z.object({ aliases: z.record(sessionIdSchema, nativeIdSchema) });

export interface StoredSessionAliases extends SessionAliases {
  close(): Promise<void>;
}

/** Stored in the data directory. The caller holds its lock. */
export async function openSessionAliases(
  dataDir: string,
  options: Pick<JsonStoreOptions<z.infer<typeof schema>>, 'onError'> = {},
): Promise<StoredSessionAliases> {
  const store = await openJsonStore({
    path: join(dataDir, 'session-aliases.json'),
    version: 1,
    schema,
    defaults: { aliases: {} },
    ...options,
  });
  return {
    find: (sessionId) => store.read().aliases[sessionId],
    async record(sessionId, nativeId) {
      const saved = store.update(({ aliases }) => ({ aliases: { ...aliases, [sessionId]: nativeId } }));
      await Promise.all([saved, store.flush()]);
    },
    async forget(sessionId) {
      const { [sessionId]: known, ...aliases } = store.read().aliases;
      if (known !== undefined) await store.update(() => ({ aliases }));
    },
    close: () => store.close(),
  };
}

export function createMemoryAliases(): SessionAliases {
  const aliases = new Map<SessionId, string>();
  return {
    find: (sessionId) => aliases.get(sessionId),
    async record(sessionId, nativeId) {
      aliases.set(sessionId, nativeId);
    },
    async forget(sessionId) {
      aliases.delete(sessionId);
    },
  };
}
