import type { SessionUpdate } from './session-update.ts';
import { noticeText } from './translate-notice.ts';

type NoticeUpdate = Extract<SessionUpdate, { sessionUpdate: 'notice' }>;

/** Notices that came between turns: they wait for the next one, and each is shown once in a session. */
export interface HeldNotices {
  hold(notice: NoticeUpdate): void;
  take(): NoticeUpdate[];
}

export function createHeldNotices(): HeldNotices {
  const seen = new Set<string>();
  let waiting: NoticeUpdate[] = [];
  return {
    hold(notice) {
      const text = noticeText(notice);
      if (seen.has(text)) return;
      seen.add(text);
      waiting.push(notice);
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}
