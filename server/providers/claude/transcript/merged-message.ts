export interface SentMessage {
  readonly turnId: string;
  readonly content: string;
}

/**
 * Messages that waited together are merged into one entry, which keeps their ids but not where one ends. What was
 * put into the queue before tells; if it does not fit, the whole text counts as the last message.
 */
export function splitMergedMessage(
  turnIds: readonly string[],
  content: string,
  enqueued: readonly string[],
): readonly SentMessage[] {
  const last = turnIds.at(-1);
  if (last === undefined) return [];
  for (let start = enqueued.length - turnIds.length; start >= 0; start -= 1) {
    const parts = enqueued.slice(start, start + turnIds.length);
    if (parts.join('\n') === content) {
      return turnIds.map((turnId, index) => ({ turnId, content: parts[index] ?? '' }));
    }
  }
  return [{ turnId: last, content }];
}
