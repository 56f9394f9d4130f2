import { z } from 'zod';
import { type SessionId, sessionIdSchema } from '../../../shared/ids.ts';
import { createStored, type KeyValues } from '../../shared/storage.ts';

export interface LoadNotesOptions {
  /** Belongs to this window only. */
  readonly ofWindow: KeyValues;
  /** Shared by all windows of the browser. */
  readonly ofBrowser: KeyValues;
  readonly now: () => number;
}

/**
 * Which session pages are loading. A note that is left over at the next start means that the page never got as far as
 * drawing and was never closed properly either: it probably froze, and would freeze again.
 */
export interface LoadNotes {
  /** Whether a note was left over when this page started. */
  isUnfinished(sessionId: SessionId): boolean;
  begin(sessionId: SessionId): void;
  /** The page has drawn its contents, or was closed. */
  end(sessionId: SessionId): void;
  /** The window is closed or reloaded. It can still run this, so nothing in it is frozen. */
  leave(): void;
}

/** A younger note of another window may be about a page that is loading right now. */
const OTHER_WINDOW_MS = 5_000;
const MAX_NOTES = 50;

const notesSchema = z.array(z.object({ sessionId: sessionIdSchema, at: z.number() }));
type Notes = z.infer<typeof notesSchema>;

export function createLoadNotes({ ofWindow, ofBrowser, now }: LoadNotesOptions): LoadNotes {
  const storedIn = (storage: KeyValues) => createStored<Notes>(storage, 'liminal:loading', notesSchema, []);
  const stores = [storedIn(ofWindow), storedIn(ofBrowser)] as const;
  const [own, shared] = stores;
  const start = now();
  const unfinished = new Set(
    [...own.read(), ...shared.read().filter(({ at }) => start - at >= OTHER_WINDOW_MS)].map(
      ({ sessionId }) => sessionId,
    ),
  );
  const begun = new Set<SessionId>();

  function change(sessionId: SessionId, added: Notes): void {
    for (const store of stores) {
      const others = store.read().filter((note) => note.sessionId !== sessionId);
      store.write([...others, ...added].slice(-MAX_NOTES));
    }
  }

  function end(sessionId: SessionId): void {
    if (!begun.delete(sessionId)) return;
    change(sessionId, []);
  }

  return {
    isUnfinished: (sessionId) => unfinished.has(sessionId),
    begin(sessionId) {
      unfinished.delete(sessionId);
      begun.add(sessionId);
      change(sessionId, [{ sessionId, at: now() }]);
    },
    end,
    leave() {
      for (const sessionId of [...begun]) end(sessionId);
    },
  };
}
