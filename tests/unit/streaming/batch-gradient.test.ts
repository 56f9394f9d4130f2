import { describe, expect, it } from 'vitest';
import { createBatchGradient } from '../../../server/streaming/batch-gradient.ts';

/** Feeds single tokens and returns the counts at which the gradient asked for a push. */
function pushesOver(thresholds: number[], total: number): number[] {
  const gradient = createBatchGradient(thresholds);
  const pushes: number[] = [];
  let sent = 0;
  for (let tokens = 1; tokens <= total; tokens += 1) {
    if (!gradient.isExceededBy(tokens - sent)) continue;
    pushes.push(tokens);
    sent = tokens;
  }
  return pushes;
}

describe('batch gradient', () => {
  it('widens step by step and repeats its last value', () => {
    expect(pushesOver([10, 20, 40], 160)).toEqual([11, 32, 73, 114, 155]);
  });

  it('pushes the first token at once when it begins with 0', () => {
    expect(pushesOver([0, 10, 20], 60)).toEqual([1, 12, 33, 54]);
  });

  it('is not exceeded by exactly as many tokens as the threshold', () => {
    expect(createBatchGradient([10]).isExceededBy(10)).toBe(false);
    expect(createBatchGradient([10]).isExceededBy(11)).toBe(true);
  });

  it.each([
    { tokens: 11, next: 20 },
    { tokens: 31, next: 40 },
    { tokens: 70, next: 40 },
    { tokens: 71, next: 80 },
    { tokens: 5000, next: 80 },
  ])('skips every threshold that $tokens tokens cross at once', ({ tokens, next }) => {
    const gradient = createBatchGradient([10, 20, 40, 80]);
    expect(gradient.isExceededBy(tokens)).toBe(true);
    expect(gradient.isExceededBy(next)).toBe(false);
    expect(gradient.isExceededBy(next + 1)).toBe(true);
  });

  it('never asks for a push when it is empty', () => {
    expect(pushesOver([], 1000)).toEqual([]);
  });
});
