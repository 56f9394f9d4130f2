import { describe, expect, it } from 'vitest';
import type { SessionListItem } from '../../../../shared/entities.ts';
import { all, nameOf, one, press } from './rig/page.ts';
import { projectOf, type ShellRig, sessionOf, startShellRig } from './rig/shell-rig.ts';

const row = (title: string) => one('button', new RegExp(`^${title} `));
const tabs = () => all('tab').map(nameOf);
const active = () =>
  all('tab')
    .filter((tab) => tab.getAttribute('aria-selected') === 'true')
    .map(nameOf);
const frames = () => [...document.querySelectorAll('iframe')];
const stored = () => JSON.parse(localStorage.getItem('liminal:tabs') ?? 'null');

interface Opened {
  readonly rig: ShellRig;
  readonly sessions: SessionListItem[];
  readonly ids: string[];
}

/** A project with sessions of these titles, each opened in a tab, in this order. */
async function openTabs(...titles: string[]): Promise<Opened> {
  const project = projectOf('api');
  const sessions = titles.map((title, index) => sessionOf(project, title, { minutesAgo: index }));
  const rig = startShellRig({ projects: [project], sessions });
  await rig.connect();
  for (const title of titles) row(title).click();
  return { rig, sessions, ids: sessions.map(({ id }) => id) };
}

describe('opening', () => {
  it('mvp/TC-4.1a a session opens in a tab with its own page', async () => {
    const { ids } = await openTabs('A');
    expect(tabs()).toEqual(['A']);
    expect(frames().map((frame) => frame.getAttribute('src'))).toEqual([
      `/portlet/index.html?sessionId=${encodeURIComponent(ids[0] ?? '')}`,
    ]);
  });

  it('mvp/TC-4.1b a second session opens beside the first and becomes active', async () => {
    await openTabs('A', 'B');
    expect(tabs()).toEqual(['A', 'B']);
    expect(active()).toEqual(['B']);
  });

  it('mvp/TC-2.3b opening a session that has a tab goes to that tab', async () => {
    await openTabs('A', 'B');
    row('A').click();
    expect(tabs()).toEqual(['A', 'B']);
    expect(active()).toEqual(['A']);
  });

  it('mvp/TC-4.3a opening a session again makes no second page', async () => {
    await openTabs('A', 'B');
    const before = frames();
    row('A').click();
    expect(frames()).toEqual(before);
  });

  it('mvp/TC-4.3b the number of tabs stays when one of three is chosen in the sidebar', async () => {
    await openTabs('A', 'B', 'C');
    row('B').click();
    expect(tabs()).toHaveLength(3);
    expect(frames()).toHaveLength(3);
  });

  it('mvp/TC-4.2a switching keeps every page as it is: neither moved, nor loaded anew', async () => {
    const { rig, ids } = await openTabs('A', 'B');
    const [a, b] = ids.map((id) => rig.frame(id));
    const moved: MutationRecord[] = [];
    const observer = new MutationObserver((records) => moved.push(...records));
    observer.observe(document.querySelector('.panels') as Element, { childList: true, subtree: true });
    one('tab', 'A').click();
    expect([a, b].map((frame) => frame?.parentElement?.hidden)).toEqual([false, true]);
    one('tab', 'B').click();
    expect([a, b].map((frame) => frame?.parentElement?.hidden)).toEqual([true, false]);
    expect([...moved, ...observer.takeRecords()]).toEqual([]);
  });

  it('tells a page that it is shown, and gives it the focus', async () => {
    const { rig, ids } = await openTabs('A');
    rig.posted(ids[0] ?? '');
    rig.fromPortlet(ids[0] ?? '', { type: 'portlet:ready' });
    expect(rig.posted(ids[0] ?? '').map(({ type }) => type)).toEqual(
      expect.arrayContaining(['portlet:shown', 'portlet:focus']),
    );
    expect(document.activeElement).toBe(rig.frame(ids[0] ?? ''));
  });
});

describe('closing', () => {
  it('mvp/TC-4.4a the close button removes the tab and its page; the session stays in the sidebar', async () => {
    const { rig, ids } = await openTabs('A', 'B');
    one('button', 'Close A').click();
    expect(tabs()).toEqual(['B']);
    expect(frames()).toEqual([rig.frame(ids[1] ?? '')]);
    row('A');
  });

  it('mvp/TC-4.4b closing the active tab goes to its neighbour, with the focus', async () => {
    await openTabs('A', 'B', 'C');
    one('tab', 'B').click();
    one('button', 'Close B').click();
    expect(active()).toEqual(['C']);
    expect(document.activeElement).toBe(one('tab', 'C'));
    one('button', 'Close C').click();
    expect(active()).toEqual(['A']);
  });

  it('mvp/TC-4.4c closing the last tab shows the empty page', async () => {
    await openTabs('A');
    one('button', 'Close A').click();
    expect(tabs()).toEqual([]);
    one('heading', 'No session is open');
    expect(document.activeElement).toBe(one('button', 'New session'));
  });

  it('another tab than the active one closes without a switch', async () => {
    await openTabs('A', 'B');
    one('button', 'Close A').click();
    expect(active()).toEqual(['B']);
  });

  it('a middle click closes, a right click does not', async () => {
    await openTabs('A', 'B');
    one('tab', 'A').dispatchEvent(new MouseEvent('auxclick', { button: 2, bubbles: true }));
    expect(tabs()).toEqual(['A', 'B']);
    one('tab', 'A').dispatchEvent(new MouseEvent('auxclick', { button: 1, bubbles: true }));
    expect(tabs()).toEqual(['B']);
  });

  it('ends the subscription of its session', async () => {
    const { rig, ids } = await openTabs('A');
    one('button', 'Close A').click();
    expect(rig.sent('session:unsubscribe')).toMatchObject([{ sessionId: ids[0] }]);
  });
});

describe('titles', () => {
  it('mvp/TC-4.5a a tab shows the title and the agent', async () => {
    const { rig } = await openTabs('Fix login');
    const tab = one('tab', 'Fix login');
    expect(tab.querySelector('.mark-claude-code')).not.toBeNull();
    expect(document.getElementById(tab.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Claude Code');
    expect(rig.root.querySelector('iframe')?.title).toBe('Fix login');
  });

  it('mvp/TC-4.5b a session without a title is called New Session until it has one', async () => {
    const { rig, ids } = await openTabs('New Session');
    expect(tabs()).toEqual(['New Session']);
    rig.say({ type: 'session:title-updated', sessionId: ids[0], title: 'Fix the footer' });
    expect(tabs()).toEqual(['Fix the footer']);
    row('Fix the footer');
  });

  it('show one sign: running before error before attention', async () => {
    const { rig, ids, sessions } = await openTabs('A', 'B');
    const sign = (name: string) => one('tab', name).querySelector('.sign')?.getAttribute('class') ?? 'none';
    const [a] = sessions;
    expect(sign('A')).toBe('none');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: true } });
    expect(sign('A')).toContain('sign-running');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: false } });
    expect(sign('A')).toContain('sign-attention');
    rig.say({ type: 'session:turn', sessionId: ids[0], payload: { type: 'turn_error' } });
    expect(sign('A')).toContain('sign-error');
    rig.say({ type: 'session:turn', sessionId: ids[0], payload: { type: 'turn_started' } });
    expect(sign('A')).toContain('sign-attention');
    one('tab', 'A').click();
    expect(sign('A')).toBe('none');
  });
});

/** Drags a tab to a pixel; jsdom has no layout, so each tab gets 100 pixels, in order. */
function drag(name: string, toX: number): void {
  const boxes = [...document.querySelectorAll<HTMLElement>('.tab-box')];
  for (const [index, box] of boxes.entries()) {
    box.getBoundingClientRect = () => ({ left: index * 100, width: 100 }) as DOMRect;
  }
  const tab = one('tab', name);
  const fire = (type: string) =>
    tab.dispatchEvent(new MouseEvent(type, { clientX: toX, bubbles: true, cancelable: true }));
  fire('dragstart');
  fire('dragover');
  fire('drop');
  fire('dragend');
}

describe('order', () => {
  it('mvp/TC-4.6a dragging C between A and B gives A, C, B', async () => {
    await openTabs('A', 'B', 'C');
    drag('C', 120);
    expect(tabs()).toEqual(['A', 'C', 'B']);
    drag('A', 290);
    expect(tabs()).toEqual(['C', 'B', 'A']);
  });

  it('mvp/TC-4.6b the order is kept', async () => {
    const { ids } = await openTabs('A', 'B', 'C');
    drag('C', 120);
    expect(stored()).toEqual({
      openTabs: [ids[0], ids[2], ids[1]],
      activeTab: ids[2],
      tabOrder: [ids[0], ids[2], ids[1]],
    });
  });

  it('a tab can be moved with the keyboard and keeps the focus', async () => {
    await openTabs('A', 'B', 'C');
    one('tab', 'C').focus();
    press('ArrowLeft', { ctrlKey: true, shiftKey: true });
    expect(tabs()).toEqual(['A', 'C', 'B']);
    expect(document.activeElement).toBe(one('tab', 'C'));
    press('ArrowLeft', { ctrlKey: true, shiftKey: true });
    press('ArrowLeft', { ctrlKey: true, shiftKey: true });
    expect(tabs()).toEqual(['C', 'A', 'B']);
  });
});

describe('keyboard', () => {
  it('arrows, Home and End go through the tabs, Delete closes one', async () => {
    await openTabs('A', 'B', 'C');
    one('tab', 'C').focus();
    press('ArrowRight');
    expect(active()).toEqual(['A']);
    expect(document.activeElement).toBe(one('tab', 'A'));
    press('End');
    press('ArrowLeft');
    expect(active()).toEqual(['B']);
    press('Delete');
    expect(tabs()).toEqual(['A', 'C']);
    expect(document.activeElement).toBe(one('tab', 'C'));
  });

  it('Alt and a digit goes to that tab, from the session page too', async () => {
    const { rig, ids } = await openTabs('A', 'B', 'C');
    press('1', { altKey: true, code: 'Digit1' });
    expect(active()).toEqual(['A']);
    rig.fromPortlet(ids[0] ?? '', { type: 'shell:key', key: 'tab-3' });
    expect(active()).toEqual(['C']);
    press('9', { altKey: true, code: 'Digit9' });
    expect(active()).toEqual(['C']);
  });

  it('Alt+W in the session page closes its tab and goes on in the next page', async () => {
    const { rig, ids } = await openTabs('A', 'B');
    rig.fromPortlet(ids[1] ?? '', { type: 'shell:key', key: 'close-tab' });
    expect(tabs()).toEqual(['A']);
    expect(document.activeElement).toBe(rig.frame(ids[0] ?? ''));
  });
});

describe('after a restart', () => {
  function remember(ids: readonly string[], activeTab: string | null): void {
    localStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: ids, activeTab, tabOrder: [...ids].reverse() }));
  }

  it('mvp/TC-4.7a tabs come back in their order with the same one active', async () => {
    const project = projectOf('api');
    const sessions = ['A', 'B', 'C'].map((title) => sessionOf(project, title));
    const ids = sessions.map(({ id }) => id);
    remember(ids, ids[1] ?? null);
    const rig = startShellRig({ projects: [project], sessions });
    expect(all('tab')).toHaveLength(3);
    await rig.connect();
    expect(tabs()).toEqual(['C', 'B', 'A']);
    expect(active()).toEqual(['B']);
  });

  it('mvp/TC-5.6a after a refresh only the active page is loaded; others when they are chosen', async () => {
    const project = projectOf('api');
    const sessions = Array.from({ length: 30 }, (_, index) => sessionOf(project, `S${index}`));
    const ids = sessions.map(({ id }) => id);
    remember(ids, ids[7] ?? null);
    const rig = startShellRig({ projects: [project], sessions });
    await rig.connect();
    expect(all('tab')).toHaveLength(30);
    expect(frames()).toEqual([rig.frame(ids[7] ?? '')]);
    expect(rig.sent('session:subscribe')).toMatchObject([{ sessionId: ids[7] }]);
    one('tab', 'S3').click();
    expect(frames()).toHaveLength(2);
    expect(rig.sent('session:subscribe').at(-1)).toMatchObject({ sessionId: ids[3] });
  });

  it('a tab whose session is gone is not restored', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'A');
    remember([session.id, 'codex:gone'], 'codex:gone');
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    expect(tabs()).toEqual(['A']);
    expect(active()).toEqual(['A']);
  });

  it('what was stored by something else is ignored', async () => {
    localStorage.setItem('liminal:tabs', '{"openTabs": 3');
    const rig = startShellRig();
    await rig.connect();
    expect(tabs()).toEqual([]);
  });
});
