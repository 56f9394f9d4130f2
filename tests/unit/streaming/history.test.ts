import { describe, expect, it } from 'vitest';
import { collectHistory } from '../../../server/streaming/history.ts';
import type { StreamAction, TimedAction } from '../../../server/streaming/stream-actions.ts';
import { cancelTurn, completeTurn, failTurn, finishCall, say, startCall, startText, startTurn } from './core-rig.ts';

const at = (minute: number) => `2025-01-01T00:0${minute}:00.000Z`;
const collect = (...actions: StreamAction[]) =>
  collectHistory(
    actions.map((action, i): TimedAction => ({ action, sourceTimestamp: at(i) })),
    { sessionId: 'codex:s', providerId: 'codex', now: () => '2026-01-01T00:00:00.000Z' },
  );

describe('history', () => {
  it('is the last state of each item', () => {
    const items = collect(startTurn(), startText(), say('one '), say('two'), { do: 'item_done', itemId: 't:1:0' });

    expect(items).toEqual([
      {
        type: 'message',
        turnId: 't',
        sessionId: 'codex:s',
        itemId: 't:1:0',
        status: 'complete',
        content: 'one two',
        origin: 'agent',
        sourceTimestamp: at(4),
        emittedAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('is in the order in which items first appear, not in that of their ends', () => {
    const items = collect(
      startText('a'),
      startCall('c', 'b'),
      startText('d'),
      say('x', 'd'),
      say('x', 'a'),
      finishCall(),
    );
    expect(items.map((item) => item.itemId)).toEqual(['a', 'b', 'd']);
  });

  it('contains nothing unfinished', () => {
    const items = collect(
      startText('a:1:0', 'a'),
      say('cut short', 'a:1:0'),
      startCall('c', 'a:1:1', 'a'),
      cancelTurn('a'),
      startText('b:1:0', 'b'),
      say('the file ends here', 'b:1:0'),
      startCall('d', 'b:1:1', 'b'),
    );
    expect(items).toMatchObject([
      { status: 'complete', content: 'cut short' },
      { status: 'error', errorCode: 'CANCELLED' },
      { status: 'complete', content: 'the file ends here' },
      { status: 'error', errorCode: 'CANCELLED', sourceTimestamp: at(6) },
    ]);
  });

  it('keeps failures', () => {
    expect(collect(startText(), say('half'), failTurn())).toMatchObject([
      { status: 'error', errorCode: 'MODEL_ERROR' },
    ]);
  });

  it('treats calls of a completed turn as complete', () => {
    expect(collect(startCall(), completeTurn())).toMatchObject([{ status: 'complete' }]);
  });

  it('contains no items that were never shown', () => {
    expect(collect(startText('empty'), say('x', 'unknown'), completeTurn())).toEqual([]);
  });
});
