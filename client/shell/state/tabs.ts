import { z } from 'zod';
import { type SessionId, sessionIdSchema } from '../../../shared/ids.ts';
import { createStored, type KeyValues } from '../../shared/storage.ts';

/** The open tabs in display order. `active` is one of them, or null if there are none. */
export interface Tabs {
  readonly order: readonly SessionId[];
  readonly active: SessionId | null;
}

export const noTabs: Tabs = { order: [], active: null };

/** Opens a tab at the end, or switches to it if it is already open. */
export function openTab(tabs: Tabs, sessionId: SessionId): Tabs {
  const order = tabs.order.includes(sessionId) ? tabs.order : [...tabs.order, sessionId];
  return { order, active: sessionId };
}

/** Closes a tab. If it was active, the next one becomes active, or the previous one if it was the last. */
export function closeTab(tabs: Tabs, sessionId: SessionId): Tabs {
  const index = tabs.order.indexOf(sessionId);
  if (index === -1) return tabs;
  const order = tabs.order.filter((id) => id !== sessionId);
  if (tabs.active !== sessionId) return { order, active: tabs.active };
  return { order, active: order[Math.min(index, order.length - 1)] ?? null };
}

export function closeTabs(tabs: Tabs, gone: (sessionId: SessionId) => boolean): Tabs {
  return tabs.order.filter(gone).reduce(closeTab, tabs);
}

/** Moves a tab to an index among the other tabs. */
export function moveTab(tabs: Tabs, sessionId: SessionId, place: number): Tabs {
  if (!tabs.order.includes(sessionId)) return tabs;
  const others = tabs.order.filter((id) => id !== sessionId);
  return { ...tabs, order: others.toSpliced(Math.max(0, place), 0, sessionId) };
}

const storedTabsSchema = z.object({
  openTabs: z.array(sessionIdSchema),
  activeTab: sessionIdSchema.nullable(),
  tabOrder: z.array(sessionIdSchema),
});

const nothingStored: z.infer<typeof storedTabsSchema> = { openTabs: [], activeTab: null, tabOrder: [] };

/**
 * Stores the tabs. Every window has its own, which survive a refresh. A new window or a restarted browser starts with
 * the tabs of the window that was used last.
 */
export function createTabMemory(ofWindow: KeyValues, ofBrowser: KeyValues) {
  const storedIn = (storage: KeyValues) => createStored(storage, 'liminal:tabs', storedTabsSchema.nullable(), null);
  const own = storedIn(ofWindow);
  const last = storedIn(ofBrowser);
  return {
    read(): Tabs {
      const { openTabs, activeTab, tabOrder } = own.read() ?? last.read() ?? nothingStored;
      const open = new Set(openTabs);
      const order = [...new Set([...tabOrder.filter((id) => open.has(id)), ...openTabs])];
      const active = activeTab !== null && open.has(activeTab) ? activeTab : (order[0] ?? null);
      return { order, active };
    },
    write({ order, active }: Tabs): void {
      const value = { openTabs: [...order], activeTab: active, tabOrder: [...order] };
      own.write(value);
      last.write(value);
    },
  };
}
