import type { SessionEvent } from '../../shared/events.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import type { LoggedEvent } from './event-log.ts';

/** Size limit for replayed whole texts; beyond it, a snapshot is cheaper. */
const MOST_TEXT = 1024 * 1024;

/**
 * Returns the events that a window missed, as it would have received them. Undefined if the log no longer has them, or
 * if they cannot be sent without appends because the texts are too long or one was replaced.
 */
export function missedEvents(
  logged: readonly LoggedEvent[] | undefined,
  appends: boolean,
  itemOf: (itemId: string) => UpsertObject | undefined,
): SessionEvent[] | undefined {
  if (logged === undefined || appends)
    return logged?.map((entry) => (entry.kind === 'growth' ? entry.append : entry.event));

  const events: SessionEvent[] = [];
  /** Items whose current text does not follow from the logged events. */
  const replaced = new Set<string>();
  let length = 0;
  for (const entry of logged.toReversed()) {
    if (entry.kind === 'whole') {
      events.push(entry.event);
      if (entry.event.type === 'session:upsert') replaced.add(entry.event.payload.itemId);
      continue;
    }
    const { itemId, at, text } = entry.append;
    const item = itemOf(itemId);
    length += at + text.length;
    if (item === undefined || item.type === 'tool_call' || replaced.has(itemId) || length > MOST_TEXT) return undefined;
    events.push(wholeOf(item, entry));
  }
  return events.reverse();
}

type Growth = Extract<LoggedEvent, { kind: 'growth' }>;
type TextUpsert = Exclude<UpsertObject, { type: 'tool_call' }>;

/** The whole item right after the growth. */
function wholeOf(item: TextUpsert, { append, stamp }: Growth): SessionEvent {
  const { sessionId, seq, at, text, end } = append;
  const { errorCode: _, errorMessage: __, ...rest } = item;
  const content = item.content.slice(0, at + text.length);
  const payload: TextUpsert = { ...rest, status: 'update', ...stamp, ...end, content };
  return { type: 'session:upsert', sessionId, seq, payload };
}
