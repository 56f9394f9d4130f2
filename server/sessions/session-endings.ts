import type { SessionMeta } from '../../shared/entities.ts';
import { errorCatalogue } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { OpenSessions } from './open-sessions.ts';
import type { SerialQueues } from './serial-queue.ts';

/** How a turn ends that its provider left open although the process is gone. */
export const PROCESS_GONE = { code: 'PROCESS_CRASH', message: errorCatalogue.PROCESS_CRASH.message } as const;

export interface SessionEndings {
  /** Ends the process of a session and lets go of it. What is asked for later comes later. */
  end(meta: SessionMeta): Promise<void>;
  isEnding(sessionId: SessionId): boolean;
}

export interface SessionEndingsDeps {
  readonly open: OpenSessions;
  readonly inLine: SerialQueues;
  readonly providerOf: (cliType: string) => CliProvider | undefined;
}

export function createSessionEndings({ open, inLine, providerOf }: SessionEndingsDeps): SessionEndings {
  const ending = new Map<SessionId, Promise<void>>();

  return {
    /**
     * Kills twice: at once, so that a load or a send under way fails fast, and again in line behind them, for what
     * they had started.
     */
    end({ id, cliType }) {
      const provider = providerOf(cliType);
      const hurried = provider?.killSession(id).catch(() => undefined);
      const end = inLine(id, async () => {
        await hurried;
        await open.settled(id);
        await provider?.killSession(id);
        open.get(id)?.failTurns(PROCESS_GONE);
        open.drop(id);
      }).finally(() => {
        if (ending.get(id) === end) ending.delete(id);
      });
      ending.set(id, end);
      return end;
    },
    isEnding: (sessionId) => ending.has(sessionId),
  };
}
