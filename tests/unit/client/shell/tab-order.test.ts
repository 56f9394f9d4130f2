import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyValues } from '../../../../client/shared/storage.ts';
import { closeTab, createTabMemory, moveTab, noTabs, openTab, type Tabs } from '../../../../client/shell/state/tabs.ts';

const id = fc.constantFrom('codex:a', 'codex:b', 'codex:c', 'codex:d');
const step = fc.oneof(
  id.map((tab) => (tabs: Tabs) => openTab(tabs, tab)),
  id.map((tab) => (tabs: Tabs) => closeTab(tabs, tab)),
  fc.tuple(id, fc.integer({ min: -1, max: 5 })).map(
    ([tab, place]) =>
      (tabs: Tabs) =>
        moveTab(tabs, tab, place),
  ),
);
const history = fc.array(step, { maxLength: 30 }).map((steps) => steps.reduce((tabs, next) => next(tabs), noTabs));

describe('any sequence of changes to the tabs', () => {
  it('leaves no duplicates, and an active tab unless there are none', () => {
    fc.assert(
      fc.property(history, ({ order, active }) => {
        expect(new Set(order).size).toBe(order.length);
        expect(active === null ? order.length === 0 : order.includes(active)).toBe(true);
      }),
    );
  });

  it('can be stored and read back', () => {
    fc.assert(
      fc.property(history, (tabs) => {
        const memory = createTabMemory(createKeyValues(), createKeyValues());
        memory.write(tabs);
        expect(memory.read()).toEqual(tabs);
      }),
    );
  });

  it('keeps the active tab and the order when another tab closes', () => {
    fc.assert(
      fc.property(history, id, (tabs, tab) => {
        fc.pre(tabs.active !== tab);
        const after = closeTab(tabs, tab);
        expect(after.active).toBe(tabs.active);
        expect(after.order).toEqual(tabs.order.filter((other) => other !== tab));
      }),
    );
  });
});

describe('stored tabs', () => {
  const a: Tabs = { order: ['codex:a'], active: 'codex:a' };
  const b: Tabs = { order: ['codex:a', 'codex:b'], active: 'codex:b' };

  it('are repaired if they are inconsistent', () => {
    const browser = createKeyValues();
    const value = { openTabs: ['codex:a', 'codex:b'], activeTab: 'codex:z', tabOrder: ['codex:z', 'codex:b'] };
    browser.setItem('liminal:tabs', JSON.stringify(value));
    const memory = createTabMemory(createKeyValues(), browser);
    expect(memory.read()).toEqual({ order: ['codex:b', 'codex:a'], active: 'codex:b' });
  });

  it('belong to one window, whatever another window does', () => {
    const browser = createKeyValues();
    const one = createTabMemory(createKeyValues(), browser);
    const two = createTabMemory(createKeyValues(), browser);
    one.write(a);
    two.write(b);
    expect(one.read()).toEqual(a);
    expect(two.read()).toEqual(b);
    two.write(noTabs);
    expect(one.read()).toEqual(a);
    expect(two.read()).toEqual(noTabs);
  });

  it('of the window that wrote last are used by a new window', () => {
    const browser = createKeyValues();
    createTabMemory(createKeyValues(), browser).write(a);
    createTabMemory(createKeyValues(), browser).write(b);
    expect(createTabMemory(createKeyValues(), browser).read()).toEqual(b);
  });
});

function createKeyValues(): KeyValues {
  const values = new Map<string, string>();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => void values.set(key, value) };
}
