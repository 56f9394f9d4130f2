import type { SessionMeta } from '../../shared/entities.ts';
import { errorCatalogue } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { OpenSessions } from './open-sessions.ts';

/** The error of a turn that its provider left open after the process ended. */
export const PROCESS_GONE = { code: 'PROCESS_CRASH', message: errorCatalogue.PROCESS_CRASH.message } as const;

export interface SessionEndings {
  /** Ends the process of a session and drops it from memory. */
  end(meta: SessionMeta): Promise<unknown>;
  /** Ends a session and runs `after` before it can be opened again. */
  endThen<T>(meta: SessionMeta, after: () => Promise<T>): Promise<T>;
  /** Resolves when the session is not being ended. Never rejects. */
  settled(sessionId: SessionId): Promise<void>;
}

export interface SessionEndingsDeps {
  readonly open: OpenSessions;
  readonly providerOf: (cliType: string) => CliProvider | undefined;
}

export function createSessionEndings({ open, providerOf }: SessionEndingsDeps): SessionEndings {
  const endings = new Map<SessionId, Promise<unknown>>();

  async function run({ id, cliType }: SessionMeta): Promise<void> {
    await providerOf(cliType)?.killSession(id);
    await open.settled(id);
    open.get(id)?.failTurns(PROCESS_GONE);
    await open.get(id)?.drained();
    open.drop(id);
  }

  function add<T>(id: SessionId, ending: Promise<T>): Promise<T> {
    const end = ending.finally(() => {
      if (endings.get(id) === end) endings.delete(id);
    });
    endings.set(id, end);
    return end;
  }

  return {
    end: (meta) => endings.get(meta.id) ?? add(meta.id, run(meta)),
    endThen: (meta, after) => add(meta.id, run(meta).then(after)),
    async settled(sessionId) {
      await endings.get(sessionId)?.catch(() => undefined);
    },
  };
}
