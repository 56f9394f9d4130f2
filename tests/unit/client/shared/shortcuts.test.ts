import { describe, expect, it } from 'vitest';
import { shellKeyOf } from '../../../../client/shared/shortcuts.ts';

const keyOf = (init: KeyboardEventInit) => shellKeyOf(new KeyboardEvent('keydown', init));

describe('shell shortcuts', () => {
  it.each([
    ['filter', { key: 'k', ctrlKey: true }],
    ['filter', { key: 'K', metaKey: true }],
    ['sidebar', { key: 'b', ctrlKey: true }],
    ['close-tab', { key: 'w', code: 'KeyW', altKey: true }],
    ['tab-1', { key: '¡', code: 'Digit1', altKey: true }],
    ['tab-9', { key: '9', code: 'Numpad9', altKey: true }],
  ])('recognises %s in %j', (key, init) => {
    expect(keyOf(init)).toBe(key);
  });

  it.each([
    { key: 'k' },
    { key: 'k', ctrlKey: true, shiftKey: true },
    { key: 'k', ctrlKey: true, altKey: true },
    { key: 'k', ctrlKey: true, metaKey: true },
    { key: '0', code: 'Digit0', altKey: true },
    { key: '1', code: 'Digit1' },
    { key: '1', code: 'Digit1', altKey: true, ctrlKey: true },
    { key: 'k', ctrlKey: true, isComposing: true },
  ])('ignores %j', (init) => {
    expect(keyOf(init)).toBeNull();
  });
});
