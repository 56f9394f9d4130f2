import type { AppendMessage } from '../../../shared/events.ts';
import {
  type TurnEvent,
  type TurnSummary,
  type TurnTimes,
  type UpsertObject,
  userItemId,
} from '../../../shared/stream-contracts.ts';
import { appendText } from './append.ts';
import { type Item, isUnfinished, nextItem, runsInBackground } from './item.ts';
import { createItemIndex } from './item-index.ts';
import { createPendingSends } from './pending-sends.ts';
import { layOutRows, parentOf, pendingKey, type Row } from './rows.ts';
import { type SentState, sentStateOf } from './sent-state.ts';
import { compareShown, type SnapshotLoss } from './snapshot-loss.ts';
import { createTurns } from './turns.ts';

export interface ConversationOptions {
  readonly now: () => number;
  /** The contents of the row with this key changed. */
  readonly onRowChanged: (key: string) => void;
  /** Rows were added, removed or moved. */
  readonly onRowsChanged: () => void;
}

/** The state of a conversation: items by id, and turns. Independent of the DOM. */
export interface Conversation {
  /**
   * Takes a snapshot. With `hasOlder`, entries that are known from before its first entry stay, unless one of them may
   * have changed.
   */
  replace(entries: readonly UpsertObject[], turns: readonly TurnSummary[], hasOlder?: boolean): void;
  /** Adds older entries. An entry that is already known is newer and stays. */
  prepend(entries: readonly UpsertObject[], turns: readonly TurnSummary[]): void;
  upsert(upsert: UpsertObject): void;
  /** Returns false if the item is not known, or has another text than the one that grew. */
  append(message: AppendMessage): boolean;
  /** `times`: those of the turn on the server. */
  turn(event: TurnEvent, times?: TurnTimes): void;
  /** Shows a message that is being sent. */
  send(turnId: string, content: string): void;
  /** The server did not answer. The message is sent again when it can be reached. */
  sendWaits(turnId: string, content: string): void;
  sent(turnId: string): void;
  sendFailed(turnId: string): void;

  rows(): readonly Row[];
  itemOf(itemId: string): Item | undefined;
  oldestItemId(): string | undefined;
  childrenOf(itemId: string): readonly Item[];
  /** The background work that runs. */
  background(): readonly Item[];
  /** The key of the row that shows the item. */
  rowOf(item: Item): string;
  /** When the earliest running turn started; undefined if none is running. */
  runningSince(): number | undefined;
  lastActivityAt(): number;
  isEmpty(): boolean;
  /** What the last snapshot took away from what was shown. */
  loss(): SnapshotLoss;
  userTextOf(turnId: string): string | undefined;
  /** How far the message of a turn has come; undefined if that is not known. */
  sentStateOf(turnId: string): SentState | undefined;
}

/** The ids come from the agent: a cycle of parents must not hang the page. */
const MAX_DEPTH = 50;

export function createConversation({ now, onRowChanged, onRowsChanged }: ConversationOptions): Conversation {
  let items = new Map<string, Item>();
  let index = createItemIndex([]);
  const turns = createTurns(now);
  const pending = createPendingSends();
  /** When each message was sent that the server has not answered. */
  const sending = new Map<string, number>();
  let activityAt = now();
  let loss: SnapshotLoss = 'none';

  function put(upsert: UpsertObject): void {
    const known = items.get(upsert.itemId);
    const item = nextItem(known, upsert, goesOn(upsert));
    if (item === known) return;
    items.set(upsert.itemId, item);
    if (known === undefined) settle(upsert);
    if (known === undefined || known.upsert.inContext !== upsert.inContext) onRowsChanged();
    index.put(item);
    onRowChanged(rowOf(item));
    if (known !== undefined && runsInBackground(known.upsert) && !runsInBackground(upsert)) closeSteps();
  }

  /** The item of a message replaces its pending row. */
  function settle({ itemId, turnId }: UpsertObject): void {
    if (itemId === userItemId(turnId)) pending.drop(turnId);
  }

  function putPending(turnId: string, content: string, isWaiting: boolean): void {
    if (!sending.has(turnId)) sending.set(turnId, now());
    if (!items.has(userItemId(turnId))) pending.put({ turnId, content, isWaiting });
    onRowChanged(pendingKey(turnId));
    onRowsChanged();
  }

  /** Background work and its steps go on after their turn has ended. */
  function goesOn(upsert: UpsertObject): boolean {
    if (!turns.hasEnded(upsert.turnId)) return true;
    let current: UpsertObject | undefined = upsert;
    for (let depth = 0; current !== undefined && depth < MAX_DEPTH; depth += 1) {
      if (runsInBackground(current)) return true;
      current = items.get(current.parentItemId ?? '')?.upsert;
    }
    return false;
  }

  /** Steps that were left unfinished end with the background work that they belong to. */
  function closeSteps(): void {
    for (const { upsert } of openItems()) if (upsert.parentItemId !== undefined) put(upsert);
  }

  const openItems = (): Item[] => index.openIds().flatMap((itemId) => items.get(itemId) ?? []);

  function outermostOf(item: Item): Item {
    let outermost = item;
    for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
      const parent = parentOf(outermost, items);
      if (parent === undefined) break;
      outermost = parent;
    }
    return outermost;
  }

  const rowOf = (item: Item): string => outermostOf(item).upsert.itemId;

  /** The known items before this one. None if it is not known, or if one of them is not finished. */
  function finishedBefore(itemId: string | undefined): Item[] {
    const before: Item[] = [];
    for (const item of items.values()) {
      if (item.upsert.itemId === itemId) return before;
      if (item.isOpen) return [];
      before.push(item);
    }
    return [];
  }

  function replace(entries: readonly UpsertObject[], summaries: readonly TurnSummary[], hasOlder: boolean): void {
    const before = items;
    const turnsBefore = turns.all();
    const kept = hasOlder ? finishedBefore(entries[0]?.itemId) : [];
    const keptTurns = kept.flatMap(({ upsert }) => turns.all().get(upsert.turnId) ?? []);
    items = new Map(kept.map((item) => [item.upsert.itemId, item]));
    turns.replace([...keptTurns, ...summaries]);
    for (const upsert of entries) {
      const known = before.get(upsert.itemId);
      const item = nextItem(known, upsert, goesOn(upsert));
      items.set(upsert.itemId, item);
      if (known === undefined) settle(upsert);
    }
    index = createItemIndex(items.values());
    // What is on older pages now is not lost.
    const isComparable = !hasOlder || before.has(entries[0]?.itemId ?? '');
    const shown = { items: isComparable ? before : new Map<string, Item>(), turns: turnsBefore };
    loss = compareShown(shown, { items, turns: turns.all() });
    for (const item of items.values()) {
      if (before.get(item.upsert.itemId) !== item) onRowChanged(rowOf(item));
    }
    for (const turnId of turns.all().keys()) turnChanged(turnId);
    onRowsChanged();
  }

  function turnChanged(turnId: string): void {
    for (const key of [`end:${turnId}`, userItemId(turnId), pendingKey(turnId)]) onRowChanged(key);
  }

  return {
    replace(entries, summaries, hasOlder = false) {
      replace(entries, summaries, hasOlder);
      activityAt = now();
    },
    prepend(entries, summaries) {
      turns.add(summaries);
      const newer = items;
      const added = entries.map((upsert) => newer.get(upsert.itemId) ?? nextItem(undefined, upsert, goesOn(upsert)));
      items = new Map(added.map((item) => [item.upsert.itemId, item]));
      for (const [itemId, item] of newer) if (!items.has(itemId)) items.set(itemId, item);
      index = createItemIndex(items.values());
      for (const item of added) onRowChanged(rowOf(item));
      // Steps whose background work is on this page were taken for unfinished ones.
      for (const { upsert, isOpen } of items.values()) if (!isOpen && isUnfinished(upsert)) put(upsert);
      onRowsChanged();
    },
    upsert(upsert) {
      put(upsert);
      activityAt = now();
    },
    append(message) {
      const known = items.get(message.itemId);
      const upsert = known && appendText(known.upsert, message);
      if (upsert === undefined) return false;
      put(upsert);
      activityAt = now();
      return true;
    },
    turn(event, times) {
      turns.apply(event, times);
      activityAt = now();
      for (const { upsert } of openItems()) if (upsert.turnId === event.turnId) put(upsert);
      turnChanged(event.turnId);
      if (event.type !== 'turn_receipt') onRowsChanged();
    },
    send(turnId, content) {
      putPending(turnId, content, false);
      activityAt = now();
    },
    sendWaits: (turnId, content) => putPending(turnId, content, true),
    sent(turnId) {
      sending.delete(turnId);
      turns.begin(turnId);
      turnChanged(turnId);
      onRowsChanged();
    },
    sendFailed(turnId) {
      sending.delete(turnId);
      pending.drop(turnId);
      onRowsChanged();
    },
    rows: () => layOutRows({ items, turns: turns.all(), pending: pending.list() }),
    itemOf: (itemId) => items.get(itemId),
    oldestItemId: () => items.keys().next().value,
    childrenOf: (itemId) => index.childrenOf(itemId),
    background: () => openItems().filter(({ upsert }) => runsInBackground(upsert)),
    rowOf,
    runningSince() {
      const starts = turns.running().map(({ startedAt }) => Date.parse(startedAt));
      starts.push(...sending.values());
      return starts.length === 0 ? undefined : Math.min(...starts);
    },
    lastActivityAt: () => activityAt,
    loss: () => loss,
    isEmpty: () => items.size === 0 && pending.list().length === 0,
    userTextOf(turnId) {
      const upsert = items.get(userItemId(turnId))?.upsert;
      return upsert?.type === 'message' ? upsert.content : undefined;
    },
    sentStateOf(turnId) {
      const state = sentStateOf(turns.receiptOf(turnId), turns.all().get(turnId));
      const send = pending.list().find((each) => each.turnId === turnId);
      return state ?? (send && (send.isWaiting ? 'waiting' : 'sending'));
    },
  };
}
