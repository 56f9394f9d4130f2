import { expect } from 'vitest';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Shown } from './shown-window.ts';

const isUser = (item: UpsertObject) => item.type === 'message' && item.origin === 'user';
const isAnswer = (item: UpsertObject) => item.type === 'message' && item.origin === 'agent';
const hasEnded = ({ status }: UpsertObject) => status === 'complete' || status === 'error';
const textOf = (item: UpsertObject) => (item.type === 'tool_call' ? (item.toolOutput ?? '') : item.content);

/** Everything that was shown is there after the restart, and nothing is open. */
export function expectKept(before: Shown, after: Shown, sent: readonly string[]): void {
  for (const [itemId, item] of before.items) {
    const kept = after.items.get(itemId);
    expect(kept, `${itemId} is there`).toBeDefined();
    if (kept === undefined) continue;
    expect(textOf(kept).startsWith(textOf(item).trimEnd()), `${itemId} has its text: ${textOf(kept)}`).toBe(true);
    // What a crash cut short is shown whole where the agent had come further.
    const isMended = item.errorCode === 'PROCESS_CRASH' && kept.status === 'complete';
    if (hasEnded(item) && !isMended) {
      expect(kept).toMatchObject({ status: item.status, ...(item.errorCode && { errorCode: item.errorCode }) });
    }
  }
  for (const [turnId, turn] of before.turns) {
    const kept = after.turns.get(turnId);
    expect(kept, `turn ${turnId} is there`).toBeDefined();
    if (turn.status === 'running') continue;
    const { startedAt: _start, endedAt: _end, receipt: _receipt, ...facts } = turn;
    expect(kept).toMatchObject(facts);
    expect(kept?.endedAt).toBeDefined();
  }
  for (const item of after.items.values())
    expect(hasEnded(item), `${item.itemId} has ended: ${item.status}`).toBe(true);
  for (const turn of after.turns.values()) expect(turn.status).not.toBe('running');
  const messages = [...after.items.values()].filter(isUser).map(textOf);
  for (const text of sent)
    expect(
      messages.filter((message) => message === text),
      text,
    ).toHaveLength(1);
}

/** The request holds exactly what the page says. */
export function expectContext(shown: Shown, request: string): void {
  for (const item of shown.items.values()) {
    if (item.parentItemId !== undefined || (!isUser(item) && !isAnswer(item))) continue;
    const text = textOf(item).trim();
    if (item.inContext === false) expect(request, `without ${text}`).not.toContain(text);
    else if (isUser(item) || item.status === 'complete') expect(request, `with ${text}`).toContain(text);
  }
}
