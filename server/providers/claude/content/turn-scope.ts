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
