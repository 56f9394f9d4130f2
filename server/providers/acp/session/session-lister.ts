import { isAbsolute } from 'node:path';
import type { Clock } from '../../../clock.ts';
import type { ToldList, ToldSession } from '../../../engine/native-sessions.ts';
import { createTimeSlices } from '../../../time-slice.ts';
import { cleanTitle } from '../../../titles.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { readListedSession } from '../connection/agent-responses.ts';

export type ListSessions = () => Promise<ToldList | undefined>;

/** For all pages together. */
const DEADLINE_MS = 5_000;
const MAX_PAGES = 100;
const MAX_SESSIONS = 10_000;
/** A clock elsewhere may be ahead of ours, or in another time zone. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * Asks an agent for the sessions that it stores, page by page: a page may be empty while others follow. Whatever came is
 * used. An agent that does not answer in time is not asked again.
 */
export function createSessionLister(
  connection: Pick<AcpConnection, 'can' | 'listSessions'>,
  clock: Clock,
): ListSessions {
  let isTooSlow = false;
  let running: Promise<ToldList> | undefined;

  async function list(): Promise<ToldList> {
    const until = clock.monotonic() + DEADLINE_MS;
    const takeTurns = createTimeSlices();
    const found = new Map<string, ToldSession>();
    const cursors = new Set<string>();
    const soFar = (isWhole: boolean): ToldList => ({ sessions: [...found.values()], isWhole });
    let cursor: string | undefined;
    let seen = 0;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const left = until - clock.monotonic();
      const page = left > 0 ? await connection.listSessions(cursor, left).catch(() => undefined) : undefined;
      if (page === undefined) {
        isTooSlow = pages === 0 && clock.monotonic() >= until;
        return soFar(false);
      }
      for (const entry of page.sessions) {
        seen += 1;
        if (seen > MAX_SESSIONS) return soFar(false);
        const session = toTold(entry, clock.now());
        if (session !== undefined && !found.has(session.nativeId)) found.set(session.nativeId, session);
        await takeTurns();
      }
      cursor = page.nextCursor;
      if (cursor === undefined) return soFar(true);
      if (cursors.has(cursor)) return soFar(false);
      cursors.add(cursor);
    }
    return soFar(false);
  }

  return async () => {
    if (!connection.can.list || isTooSlow) return undefined;
    running ??= list().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function toTold(entry: unknown, now: string): ToldSession | undefined {
  const listed = readListedSession(entry);
  if (listed === undefined || !isAbsolute(listed.cwd) || listed.cwd.includes('\0')) return undefined;
  const { sessionId: nativeId, cwd, title, updatedAt } = listed;
  return { nativeId, cwd, title: cleanTitle(title ?? ''), lastMessageAt: toTime(updatedAt ?? '', now) };
}

/** Undefined for a time that cannot be right. */
function toTime(text: string, now: string): string | undefined {
  const time = Date.parse(text);
  return time > 0 && time <= Date.parse(now) + MAX_AHEAD_MS ? new Date(time).toISOString() : undefined;
}
