import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createStored } from '../../../../client/shared/storage.ts';
import { applyTheme, readTheme, storeTheme } from '../../../../client/shared/theme.ts';

beforeEach(() => localStorage.clear());

describe('a stored value', () => {
  const stored = (storage: Storage = localStorage) =>
    createStored(storage, 'key', z.object({ n: z.number() }), { n: 0 });

  it('is read back as it was written', () => {
    stored().write({ n: 3 });
    expect(stored().read()).toEqual({ n: 3 });
  });

  it.each(['{', '"text"', '{"n":"3"}', ''])('is the fallback if %j is stored', (text) => {
    localStorage.setItem('key', text);
    expect(stored().read()).toEqual({ n: 0 });
  });

  it('does not throw if the browser refuses to store', () => {
    const refusing = {
      getItem: () => {
        throw new DOMException('denied', 'SecurityError');
      },
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    } as unknown as Storage;
    stored(refusing).write({ n: 1 });
    expect(stored(refusing).read()).toEqual({ n: 0 });
  });
});

describe('the theme', () => {
  it('follows the system until another one is chosen', () => {
    expect(readTheme(localStorage)).toBe('system');
    storeTheme(localStorage, 'light');
    expect(readTheme(localStorage)).toBe('light');
    localStorage.setItem('liminal:theme', 'pink');
    expect(readTheme(localStorage)).toBe('system');
  });

  it('is set on the root element, and removed to follow the system', () => {
    const root = document.createElement('html');
    applyTheme(root, 'dark');
    expect(root.dataset.theme).toBe('dark');
    applyTheme(root, 'system');
    expect(root.dataset.theme).toBeUndefined();
  });
});
