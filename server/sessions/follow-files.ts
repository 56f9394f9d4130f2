import { dirname } from 'node:path';
import type { SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { NativeFiles } from '../engine/native-files.ts';
import type { FolderWatches } from '../folder-watches.ts';

/** Tells when the agent's file of a session changes. */
export interface FollowFiles {
  /** Follows a session, if it has a file by now. Call it again when it may have got one. */
  follow(sessionId: SessionId, projectDir: string, files: NativeFiles): Promise<void>;
  stop(sessionId: SessionId): void;
  close(): void;
}

export interface FollowFilesDeps {
  readonly watches: FolderWatches;
  readonly clock: Clock;
  readonly onChange: (sessionId: SessionId) => void;
}

/** A file that changes is looked at when it rests, and at least this often while it does not. */
const QUIET_MS = 100;
const MOST_MS = 300;

interface Followed {
  stopWatching: (() => void) | undefined;
  timer: unknown;
  /** When the change that waits came. */
  since: number;
}

export function createFollowFiles({ watches, clock, onChange }: FollowFilesDeps): FollowFiles {
  const sessions = new Map<SessionId, Followed>();
  let isClosed = false;

  function noteChange(sessionId: SessionId, followed: Followed): void {
    const now = clock.monotonic();
    if (followed.timer === undefined) followed.since = now;
    clock.clearTimeout(followed.timer);
    const wait = Math.max(0, Math.min(QUIET_MS, followed.since + MOST_MS - now));
    followed.timer = clock.setTimeout(() => {
      followed.timer = undefined;
      onChange(sessionId);
    }, wait);
  }

  function stop(sessionId: SessionId): void {
    const followed = sessions.get(sessionId);
    sessions.delete(sessionId);
    followed?.stopWatching?.();
    clock.clearTimeout(followed?.timer);
  }

  return {
    async follow(sessionId, projectDir, files) {
      if (sessions.has(sessionId) || isClosed) return;
      const followed: Followed = { stopWatching: undefined, timer: undefined, since: 0 };
      sessions.set(sessionId, followed);
      const nativeId = files.nativeIdOf(sessionId);
      const found = await files.find(nativeId, projectDir);
      if (sessions.get(sessionId) !== followed) return;
      const path = found?.files[0]?.path;
      if (path === undefined) {
        sessions.delete(sessionId);
        return;
      }
      // Codex goes on in another file when turns are taken back. The names of all of them have the id.
      followed.stopWatching = watches.watch(dirname(path), (changed) => {
        if (changed === undefined || changed.includes(nativeId)) noteChange(sessionId, followed);
      });
      // What was written since the conversation was read.
      noteChange(sessionId, followed);
    },
    stop,
    close() {
      isClosed = true;
      for (const sessionId of [...sessions.keys()]) stop(sessionId);
    },
  };
}
