import { beforeEach, describe, expect, it } from 'vitest';
import { words } from '../../support/output-log.ts';
import { delta, messageStart, responseStart, SESSION } from './envelopes.ts';
import { createProcessorRig, type ProcessorRig } from './processor-rig.ts';

let rig: ProcessorRig;

beforeEach(() => {
  rig = createProcessorRig();
});

describe('batch gradient', () => {
  beforeEach(() => rig.feed(responseStart(), messageStart()));

  it('stream/TC-5.2a early emissions come after few tokens', () => {
    expect(rig.pushesOver(12)).toEqual([11]);
  });

  it('stream/TC-5.2b later emissions come at growing intervals', () => {
    expect(rig.pushesOver(275)).toEqual([11, 32, 73, 154, 275]);
  });

  it('stream/TC-5.2c a threshold must be exceeded, not reached', () => {
    rig.feed(delta(words(10)));
    expect(rig.log.upserts()).toEqual([]);

    rig.feed(delta(' '));
    expect(rig.log.upserts()).toEqual([]);

    rig.feed(delta('eleven'));
    expect(rig.log.statuses('item-1')).toEqual(['create']);
  });

  it('stream/TC-5.2d a delta that crosses three thresholds emits once, and the fourth applies next', () => {
    rig.feed(delta(words(71)));
    expect(rig.log.contents('item-1')).toEqual([words(71)]);

    rig.feed(delta(words(80, 72)));
    expect(rig.log.upserts()).toHaveLength(1);

    rig.feed(delta(words(1, 152)));
    expect(rig.log.upserts()).toHaveLength(2);
  });

  it('stream/TC-5.2e the last threshold repeats', () => {
    expect(rig.pushesOver(700).slice(-4)).toEqual([275, 396, 517, 638]);
  });

  it('stream/TC-5.2f the default gradient is 10, 20, 40, 80, 120', () => {
    const pushes = [0, ...rig.pushesOver(400)];
    const steps = pushes.slice(1).map((push, i) => push - (pushes[i] ?? 0) - 1);
    expect(steps).toEqual([10, 20, 40, 80, 120, 120]);
  });

  it('can be configured', () => {
    rig = createProcessorRig({ sessionId: SESSION, config: { batchGradientTokens: [2, 5] } });
    rig.feed(messageStart());
    expect(rig.pushesOver(16)).toEqual([3, 9, 15]);
  });
});

describe('deadline', () => {
  it('stream/TC-5.4b buffered text is emitted after 1000 ms', () => {
    rig.feed(responseStart(), messageStart(), delta('waiting'));
    rig.clock.advance(999);
    expect(rig.log.upserts()).toEqual([]);

    rig.clock.advance(1);
    expect(rig.log.upserts()).toMatchObject([
      { status: 'create', content: 'waiting', emittedAt: '2026-01-01T00:00:01.000Z' },
    ]);

    rig.clock.advance(10_000);
    expect(rig.log.upserts()).toHaveLength(1);
  });

  it('stream/TC-5.4b the timeout counts from the first unsent delta, so a slow steady stream is not starved', () => {
    rig.feed(responseStart(), messageStart());
    for (let i = 0; i < 10; i += 1) {
      rig.feed(delta('x'));
      rig.clock.advance(300);
    }

    expect(rig.log.contents('item-1')).toEqual(['x'.repeat(4), 'x'.repeat(8)]);
  });

  it('stream/TC-5.4b an emission by the gradient clears the timeout until there is unsent text again', () => {
    rig.feed(responseStart(), messageStart(), delta('a '));
    rig.clock.advance(900);
    rig.feed(delta(words(10)));
    expect(rig.log.upserts()).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);

    rig.feed(delta('later'));
    rig.clock.advance(999);
    expect(rig.log.upserts()).toHaveLength(1);
    rig.clock.advance(1);
    expect(rig.log.upserts()).toHaveLength(2);
  });
});
