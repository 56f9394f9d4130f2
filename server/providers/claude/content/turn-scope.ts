import type { StreamAction } from '../../../streaming/stream-actions.ts';

/** A turn and the ids of items that it has used so far. */
export interface TurnScope {
  readonly turnId: string;
  /** How many model messages have started in this turn. */
  readonly ordinal: number;
  readonly notices: Readonly<Record<string, number>>;
}

export type NoticeKind = 'retry' | 'compaction' | 'interrupted' | 'notice';

export const openScope = (turnId: string): TurnScope => ({ turnId, ordinal: 0, notices: {} });

export const nextMessage = (scope: TurnScope): TurnScope => ({ ...scope, ordinal: scope.ordinal + 1 });

export const blockItemId = (turnId: string, ordinal: number, index: number): string => `${turnId}:${ordinal}:${index}`;

/** A turn that the agent started by itself is named after its first message, whose id is in the transcript as well. */
export const ownTurnId = (messageId: string): string => `self-${messageId}`;

/** Notices are numbered by kind, so that their ids are the same in the history, which lacks some kinds. */
export function nextNotice(scope: TurnScope, kind: NoticeKind): { scope: TurnScope; itemId: string } {
  const count = (scope.notices[kind] ?? 0) + 1;
  return {
    scope: { ...scope, notices: { ...scope.notices, [kind]: count } },
    itemId: `${scope.turnId}:${kind}:${count}`,
  };
}

/** A message that arrives in whole blocks instead of being streamed. */
export interface WholeMessage {
  readonly id: string;
  readonly ordinal: number;
  readonly blockCount: number;
}

/** The message that a block belongs to: the previous one if the id is the same, otherwise a new one. */
export function continueMessage(before: WholeMessage | undefined, id: string, lastOrdinal: number): WholeMessage {
  return before?.id === id ? before : { id, ordinal: lastOrdinal + 1, blockCount: 0 };
}

/** Returns the id of the message's next block, and the message with that block counted. */
export function addBlock(message: WholeMessage, base: string): { itemId: string; message: WholeMessage } {
  const { ordinal, blockCount } = message;
  return { itemId: blockItemId(base, ordinal, blockCount), message: { ...message, blockCount: blockCount + 1 } };
}

/** Shows why the agent started a turn by itself, as the first item of that turn. */
export function showCause(turnId: string, content: string): readonly StreamAction[] {
  return content === '' ? [] : [{ do: 'message', turnId, itemId: `${turnId}:cause`, origin: 'system', content }];
}

/** The report of a sub-agent: the text of its last message that has any. */
export interface Report {
  readonly messageId: string;
  readonly text: string;
}

export function addToReport(before: Report | undefined, messageId: string, text: string): Report {
  return { messageId, text: before?.messageId === messageId ? `${before.text}\n${text}` : text };
}
