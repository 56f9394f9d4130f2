import type { HistoryMessage } from '../../shared/events.ts';
import { isUserItemId, type TurnEvent, type UpsertObject } from '../../shared/stream-contracts.ts';

type TurnStatus = HistoryMessage['turns'][number]['status'];

/** The state of a session in a window: a snapshot and all later events. */
export interface Conversation {
  readonly items: ReadonlyMap<string, UpsertObject>;
  readonly turns: ReadonlyMap<string, TurnStatus>;
  reset(history: Pick<HistoryMessage, 'entries' | 'turns'>): void;
  /** Adds an older page. */
  prepend(page: Pick<HistoryMessage, 'entries' | 'turns'>): void;
  /** Returns the text that this added to the item; undefined if it does not continue the previous text. */
  take(upsert: UpsertObject): string | undefined;
  takeTurn(event: TurnEvent): void;
  isRunning(): boolean;
}

export function createConversation(): Conversation {
  const items = new Map<string, UpsertObject>();
  const turns = new Map<string, TurnStatus>();

  return {
    items,
    turns,
    reset(history) {
      items.clear();
      turns.clear();
      for (const item of history.entries) items.set(item.itemId, item);
      for (const { turnId, status } of history.turns) turns.set(turnId, status);
    },
    prepend(page) {
      const newer = [...items];
      items.clear();
      for (const item of page.entries) items.set(item.itemId, item);
      for (const [itemId, item] of newer) items.set(itemId, item);
      for (const { turnId, status } of page.turns) if (!turns.has(turnId)) turns.set(turnId, status);
    },
    take(upsert) {
      const before = textOf(items.get(upsert.itemId));
      const after = textOf(upsert);
      items.set(upsert.itemId, upsert);
      if (isUserItemId(upsert.itemId)) turns.set(upsert.turnId, 'running');
      return after.startsWith(before) ? after.slice(before.length) : undefined;
    },
    takeTurn(event) {
      const status = statusAfter(event);
      if (status !== undefined) turns.set(event.turnId, status);
    },
    isRunning: () => [...turns.values()].includes('running'),
  };
}

function statusAfter(event: TurnEvent): TurnStatus | undefined {
  switch (event.type) {
    case 'turn_receipt':
      return undefined;
    case 'turn_started':
      return 'running';
    case 'turn_complete':
      return event.status;
    case 'turn_error':
      return 'error';
  }
}

export function textOf(item: UpsertObject | undefined): string {
  return item === undefined || item.type === 'tool_call' ? '' : item.content;
}

/** The differences between two views of a session, one sentence per item or turn. */
export function differences(seen: Conversation, fresh: Conversation): string[] {
  const found: string[] = [];
  if (seen.items.size !== fresh.items.size) found.push(`${seen.items.size} items instead of ${fresh.items.size}`);
  const order = [...seen.items.keys()];
  for (const [index, [itemId, item]] of [...fresh.items].entries()) {
    if (order[index] !== itemId) found.push(`item ${index} is ${order[index]} instead of ${itemId}`);
    if (JSON.stringify(seen.items.get(itemId)) !== JSON.stringify(item)) found.push(`item ${itemId} differs`);
  }
  for (const [turnId, status] of fresh.turns) {
    if (seen.turns.get(turnId) !== status) found.push(`turn ${turnId} is ${seen.turns.get(turnId)}, not ${status}`);
  }
  return found;
}
