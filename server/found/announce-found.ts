import type { SessionMeta } from '../../shared/entities.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import { createTimeSlices } from '../time-slice.ts';
import type { CatalogueChange, FoundSession } from './catalogue.ts';
import type { ListedSessions } from './listed-sessions.ts';

export interface AnnounceFoundDeps {
  readonly sessions: Pick<ListedSessions, 'get' | 'ownerOf'>;
  readonly all: () => readonly FoundSession[];
  readonly clock: Clock;
  /** At most 500 at a time. */
  readonly found: (sessions: readonly SessionMeta[]) => void;
  readonly changed: (sessionId: SessionId) => void;
  readonly gone: (sessionId: SessionId) => void;
}

/** Tells the windows what became of found sessions. */
export interface FoundAnnouncer {
  take(change: CatalogueChange): void;
  /** The projects, or what belongs to them, have changed. */
  review(): Promise<void>;
  close(): void;
}

const BATCH = 500;
/** A session that is being written to is announced this often at most. */
const PAUSE_MS = 1_000;
/** How many are announced without a pause. */
const AT_ONCE = 200;
const SHORT_PAUSE_MS = 20;

export function createFoundAnnouncer(deps: AnnounceFoundDeps): FoundAnnouncer {
  const { sessions, clock } = deps;
  /** Found sessions that are listed by themselves, and the project in which the windows have them. */
  const listed = new Map<SessionId, string>();
  const changed = new Set<SessionId>();
  let pause: unknown;

  function look(ids: Iterable<SessionId>): void {
    let batch: SessionMeta[] = [];
    for (const id of ids) {
      const meta = sessions.ownerOf(id) === undefined ? sessions.get(id) : undefined;
      const before = listed.get(id);
      if (meta === undefined) listed.delete(id);
      if (meta === undefined || meta.projectId === before) continue;
      listed.set(id, meta.projectId);
      batch.push(meta);
      if (batch.length < BATCH) continue;
      deps.found(batch);
      batch = [];
    }
    if (batch.length > 0) deps.found(batch);
  }

  function tellChanged(): void {
    if (pause !== undefined || changed.size === 0) return;
    for (const id of [...changed].slice(0, AT_ONCE)) {
      changed.delete(id);
      deps.changed(id);
    }
    pause = clock.setTimeout(
      () => {
        pause = undefined;
        tellChanged();
      },
      changed.size > 0 ? SHORT_PAUSE_MS : PAUSE_MS,
    );
  }

  return {
    take({ added, changed: others, gone }) {
      look(added);
      look(others);
      for (const id of gone) if (listed.delete(id) && sessions.ownerOf(id) === undefined) deps.gone(id);
      for (const id of added) {
        const owner = sessions.ownerOf(id);
        if (owner !== undefined) changed.add(owner);
      }
      for (const id of others) changed.add(sessions.ownerOf(id) ?? id);
      tellChanged();
    },
    async review() {
      const takeTurns = createTimeSlices();
      const all = deps.all();
      for (let at = 0; at < all.length; at += BATCH) {
        look(all.slice(at, at + BATCH).map(({ sessionId }) => sessionId));
        await takeTurns();
      }
    },
    close: () => clock.clearTimeout(pause),
  };
}
