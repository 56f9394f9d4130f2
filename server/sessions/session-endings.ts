import type { SessionMeta } from '../../shared/entities.ts';
import { errorCatalogue } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { OpenSessions } from './open-sessions.ts';

/** The error of a turn that its provider left open after the process ended. */
export const PROCESS_GONE = { code: 'PROCESS_CRASH', message: errorCatalogue.PROCESS_CRASH.message } as const;

export interface SessionEndings {
  /** Ends the process of a session and drops it from memory. */
  end(meta: SessionMeta): Promise<void>;
  /** Resolves when the session is not being ended. Never rejects. */
  settled(sessionId: SessionId): Promise<void>;
}

export interface SessionEndingsDeps {
  readonly open: OpenSessions;
  readonly providerOf: (cliType: string) => CliProvider | undefined;
}

export function createSessionEndings({ open, providerOf }: SessionEndingsDeps): SessionEndings {
  const endings = new Map<SessionId, Promise<void>>();

  async function run({ id, cliType }: SessionMeta): Promise<void> {
    await providerOf(cliType)?.killSession(id);
    await open.settled(id);
    open.get(id)?.failTurns(PROCESS_GONE);
    await open.get(id)?.drained();
    open.drop(id);
  }

  return {
    end(meta) {
      const underWay = endings.get(meta.id);
      if (underWay !== undefined) return underWay;
      const end = run(meta).finally(() => endings.delete(meta.id));
      endings.set(meta.id, end);
      return end;
    },
    async settled(sessionId) {
      await endings.get(sessionId)?.catch(() => undefined);
    },
  };
}
