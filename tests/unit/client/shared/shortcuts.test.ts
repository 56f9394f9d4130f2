import { describe, expect, it } from 'vitest';
import { shellKeyOf } from '../../../../client/shared/shortcuts.ts';

const keyOf = (init: KeyboardEventInit) => shellKeyOf(new KeyboardEvent('keydown', init));

describe('keys of the shell', () => {
  it.each([
    ['filter', { key: 'k', ctrlKey: true }],
    ['filter', { key: 'K', metaKey: true }],
    ['sidebar', { key: 'b', ctrlKey: true }],
    ['close-tab', { key: 'w', code: 'KeyW', altKey: true }],
    ['tab-1', { key: '¡', code: 'Digit1', altKey: true }],
    ['tab-9', { key: '9', code: 'Numpad9', altKey: true }],
  ])('%s is meant by %j', (key, init) => {
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
  ])('%j is not for the shell', (init) => {
    expect(keyOf(init)).toBeNull();
  });
});
