import type { StreamAction } from '../../../streaming/stream-actions.ts';

/** Where new items of a turn belong: the ids it has given out so far. */
export interface TurnScope {
  readonly turnId: string;
  /** Model messages begun in this turn. */
  readonly ordinal: number;
  readonly notices: Readonly<Record<string, number>>;
}

export type NoticeKind = 'retry' | 'compaction' | 'interrupted' | 'notice';

export const openScope = (turnId: string): TurnScope => ({ turnId, ordinal: 0, notices: {} });

export const nextMessage = (scope: TurnScope): TurnScope => ({ ...scope, ordinal: scope.ordinal + 1 });

export const blockItemId = (turnId: string, ordinal: number, index: number): string => `${turnId}:${ordinal}:${index}`;

export const userItemId = (turnId: string): string => `${turnId}:user`;

/** A turn that the agent began by itself is named after its first message, which the transcript knows as well. */
export const ownTurnId = (messageId: string): string => `self-${messageId}`;

/** Numbered by kind, so that a notice has the same id live and in the history, where some kinds are missing. */
export function nextNotice(scope: TurnScope, kind: NoticeKind): { scope: TurnScope; itemId: string } {
  const count = (scope.notices[kind] ?? 0) + 1;
  return {
    scope: { ...scope, notices: { ...scope.notices, [kind]: count } },
    itemId: `${scope.turnId}:${kind}:${count}`,
  };
}

/** A message that arrives block by block without having been streamed. */
export interface WholeMessage {
  readonly id: string;
  readonly ordinal: number;
  readonly blockCount: number;
}

/** The message the block belongs to: the one before, or the next. */
export function continueMessage(before: WholeMessage | undefined, id: string, lastOrdinal: number): WholeMessage {
  return before?.id === id ? before : { id, ordinal: lastOrdinal + 1, blockCount: 0 };
}

/** The id of the message's next block, and the message with that block. */
export function addBlock(message: WholeMessage, base: string): { itemId: string; message: WholeMessage } {
  const { ordinal, blockCount } = message;
  return { itemId: blockItemId(base, ordinal, blockCount), message: { ...message, blockCount: blockCount + 1 } };
}

/** Why the agent began a turn by itself, as the first item of that turn. */
export function showCause(turnId: string, content: string): readonly StreamAction[] {
  return content === '' ? [] : [{ do: 'message', turnId, itemId: `${turnId}:cause`, origin: 'system', content }];
}

/** What a sub-agent reports: the text of its last message that has some. */
export interface Report {
  readonly messageId: string;
  readonly text: string;
}

export function addToReport(before: Report | undefined, messageId: string, text: string): Report {
  return { messageId, text: before?.messageId === messageId ? `${before.text}\n${text}` : text };
}
