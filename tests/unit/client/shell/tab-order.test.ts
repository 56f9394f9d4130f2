import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeTab, createTabMemory, moveTab, noTabs, openTab, type Tabs } from '../../../../client/shell/tabs.ts';

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

describe('whatever is done to tabs', () => {
  it('no tab is there twice, and one is active exactly when there is one', () => {
    fc.assert(
      fc.property(history, ({ order, active }) => {
        expect(new Set(order).size).toBe(order.length);
        expect(active === null ? order.length === 0 : order.includes(active)).toBe(true);
      }),
    );
  });

  it('what is stored comes back the same', () => {
    fc.assert(
      fc.property(history, (tabs) => {
        localStorage.clear();
        const memory = createTabMemory(localStorage);
        memory.write(tabs);
        expect(memory.read()).toEqual(tabs);
      }),
    );
  });

  it('closing another tab than the active one changes neither it nor the order of the rest', () => {
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
  it('that contradict themselves are put right', () => {
    const write = (value: unknown) => localStorage.setItem('liminal:tabs', JSON.stringify(value));
    write({ openTabs: ['codex:a', 'codex:b'], activeTab: 'codex:z', tabOrder: ['codex:z', 'codex:b'] });
    expect(createTabMemory(localStorage).read()).toEqual({ order: ['codex:b', 'codex:a'], active: 'codex:b' });
  });
});
