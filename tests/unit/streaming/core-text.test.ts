import { describe, expect, it } from 'vitest';
import { words } from '../../support/output-log.ts';
import { cancelTurn, completeTurn, createCoreRig, failTurn, say, startText, startTurn } from './core-rig.ts';

describe('text of a live agent', () => {
  it('is pushed at once with its first token, then at least every 50 ms', () => {
    const { apply, log, clock } = createCoreRig();
    apply(startTurn(), startText(), say('Hel'));
    expect(log.contents('t:1:0')).toEqual(['Hel']);

    apply(say('lo'));
    clock.advance(49);
    expect(log.upserts()).toHaveLength(1);
    clock.advance(1);
    expect(log.contents('t:1:0')).toEqual(['Hel', 'Hello']);
  });

  it('is pushed by the timeout when it is blank or has no spaces', () => {
    const { apply, log, clock } = createCoreRig();
    apply(startTurn(), startText(), say('\n\n'));
    expect(log.upserts()).toEqual([]);
    clock.advance(50);
    expect(log.contents('t:1:0')).toEqual(['\n\n']);

    apply(say('語'.repeat(500)));
    apply(say('語'.repeat(500)));
    clock.advance(50);
    expect(log.contents('t:1:0')).toHaveLength(3);
  });

  it('ends with one complete upsert that contains the unsent text, without an update before it', () => {
    const { apply, log, clock } = createCoreRig();
    apply(startTurn(), startText(), say('one '), say('two'), { do: 'item_done', itemId: 't:1:0' });
    clock.advance(1000);

    expect(log.statuses('t:1:0')).toEqual(['create', 'complete']);
    expect(log.contents('t:1:0')).toEqual(['one ', 'one two']);
  });

  it('is replaced by the final text if there is one', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say('draft'), { do: 'item_done', itemId: 't:1:0', content: 'final' });

    expect(log.contents('t:1:0')).toEqual(['draft', 'final']);
  });

  it('starts no timer and emits nothing for empty deltas', () => {
    const { apply, log, clock } = createCoreRig();
    apply(startTurn(), startText(), say(''));
    expect(clock.pending).toBe(0);
    expect(log.upserts()).toEqual([]);
  });

  it('carries the time of the event with its last word', () => {
    const { core, log, clock } = createCoreRig();
    core.apply(startText(), '2025-05-05T05:05:05.000Z');
    core.apply(say('one'), '2025-05-05T05:05:06.000Z');
    core.apply(say(' two'), '2025-05-05T05:05:07.000Z');
    clock.advance(50);

    expect(log.upserts()).toMatchObject([
      { sourceTimestamp: '2025-05-05T05:05:06.000Z', emittedAt: '2026-01-01T00:00:00.000Z' },
      { sourceTimestamp: '2025-05-05T05:05:07.000Z', emittedAt: '2026-01-01T00:00:00.050Z' },
    ]);
  });

  it('keeps the tool call of the sub-agent that wrote it', () => {
    const { apply, log } = createCoreRig();
    apply({ do: 'item_start', turnId: 't', itemId: 'i', kind: 'thinking', content: 'Hm', parentItemId: 'p' });
    expect(log.upserts()).toMatchObject([{ type: 'thinking', parentItemId: 'p', providerId: 'claude-code' }]);
  });
});

describe('text left open when its turn ends', () => {
  it('is complete when the turn completed', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say('one '), say('two'), completeTurn());

    expect(log.outline()).toEqual(['turn_started', 'message:create', 'message:complete', 'turn_complete']);
    expect(log.contents('t:1:0').at(-1)).toBe('one two');
  });

  it('is failed with its text so far when the turn failed', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say('one '), say('two'), failTurn());

    expect(log.upserts().at(-1)).toMatchObject({
      status: 'error',
      content: 'one two',
      errorCode: 'MODEL_ERROR',
      errorMessage: 'Overloaded.',
    });
  });

  it('stream/TC-5.4e is neither when the turn was cancelled, but its unsent text is shown', () => {
    const { apply, log, clock } = createCoreRig();
    apply(startTurn(), startText(), say('one '), say('two'), cancelTurn());
    expect(log.outline()).toEqual(['turn_started', 'message:create', 'message:update', 'turn_complete']);
    expect(log.contents('t:1:0').at(-1)).toBe('one two');
    expect(clock.pending).toBe(0);
  });

  it('is not repeated by a cancelled turn if all of it was shown', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say('one'), cancelTurn());
    expect(log.statuses('t:1:0')).toEqual(['create']);
  });

  it.each([
    ['completed', completeTurn()],
    ['cancelled', cancelTurn()],
    ['failed', failTurn()],
  ])('is not shown at all when it is empty: the turn %s', (_, ending) => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), ending);
    expect(log.upserts()).toEqual([]);
  });
});

describe('snapshots', () => {
  it('are not changed by later events', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say(words(1)));
    const [first] = log.upserts();
    const before = structuredClone(first);
    apply(say(words(100)), completeTurn());

    expect(first).toEqual(before);
    expect(new Set(log.all).size).toBe(log.all.length);
  });

  it('may be modified by their receiver without effect', () => {
    const contents: string[] = [];
    const { apply } = createCoreRig({
      onUpsert: (upsert) => {
        if (upsert.type === 'message') contents.push(upsert.content);
        Object.assign(upsert, { itemId: 'spoilt', content: 'spoilt', status: 'error' });
      },
    });
    apply(startTurn(), startText(), say('one '), say('two'), completeTurn());

    expect(contents).toEqual(['one ', 'one two']);
  });
});
