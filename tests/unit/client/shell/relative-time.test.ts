import { describe, expect, it } from 'vitest';
import { relativeTime } from '../../../../client/shell/sidebar/relative-time.ts';

const now = Date.parse('2026-03-20T12:00:00.000Z');
const ago = (ms: number) => relativeTime(new Date(now - ms).toISOString(), now);
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

describe('the age of a session', () => {
  it.each([
    [0, 'now'],
    [-5 * MINUTE, 'now'],
    [59 * SECOND, 'now'],
    [MINUTE, '1 m'],
    [HOUR - 1, '59 m'],
    [HOUR, '1 h'],
    [DAY - 1, '23 h'],
    [DAY, '1 d'],
    [7 * DAY - 1, '6 d'],
  ])('of %d ms is %j', (ms, words) => {
    expect(ago(ms)).toBe(words);
  });

  it('is a date after a week, with the year if it is not the current one', () => {
    expect(ago(10 * DAY)).toMatch(/10/);
    expect(ago(10 * DAY)).not.toMatch(/2026/);
    expect(ago(400 * DAY)).toMatch(/2025/);
  });
});
