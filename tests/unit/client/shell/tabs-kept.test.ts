import { describe, expect, it } from 'vitest';
import { active, frames, openTabs, tabs } from './rig/open-tabs.ts';
import { all, one, press } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const stored = () => JSON.parse(localStorage.getItem('liminal:tabs') ?? 'null');

/** Drags a tab to a position in pixels. jsdom has no layout, so each tab is given a width of 100 pixels. */
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

describe('the order of tabs', () => {
  it('mvp/TC-4.6a is A, C, B after C was dragged between A and B', async () => {
    await openTabs('A', 'B', 'C');
    drag('C', 120);
    expect(tabs()).toEqual(['A', 'C', 'B']);
    drag('A', 290);
    expect(tabs()).toEqual(['C', 'B', 'A']);
  });

  it('mvp/TC-4.6b is stored', async () => {
    const { ids } = await openTabs('A', 'B', 'C');
    drag('C', 120);
    expect(stored()).toEqual({
      openTabs: [ids[0], ids[2], ids[1]],
      activeTab: ids[2],
      tabOrder: [ids[0], ids[2], ids[1]],
    });
  });

  it('can be changed with the keyboard, and the tab keeps the focus', async () => {
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

describe('keys in tabs', () => {
  it('move through the tabs with arrows, Home and End, and close one with Delete', async () => {
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

  it('select a tab with Alt and a digit, from the session page too', async () => {
    const { rig, ids } = await openTabs('A', 'B', 'C');
    press('1', { altKey: true, code: 'Digit1' });
    expect(active()).toEqual(['A']);
    rig.fromPortlet(ids[0] ?? '', { type: 'shell:key', key: 'tab-3' });
    expect(active()).toEqual(['C']);
    press('9', { altKey: true, code: 'Digit9' });
    expect(active()).toEqual(['C']);
  });

  it('close the tab with Alt+W in the session page and focus the next page', async () => {
    const { rig, ids } = await openTabs('A', 'B');
    for (const id of ids) rig.fromPortlet(id, { type: 'portlet:ready' });
    rig.fromPortlet(ids[1] ?? '', { type: 'shell:key', key: 'close-tab' });
    expect(tabs()).toEqual(['A']);
    expect(document.activeElement).toBe(rig.frame(ids[0] ?? ''));
  });
});

describe('stored tabs', () => {
  function remember(ids: readonly string[], activeTab: string | null): void {
    localStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: ids, activeTab, tabOrder: [...ids].reverse() }));
  }

  it('mvp/TC-4.7a are restored in order with the same one active', async () => {
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

  it('belong to a new window once it has taken them from another', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'A');
    remember([session.id], session.id);
    startShellRig({ projects: [project], sessions: [session] });
    expect(sessionStorage.getItem('liminal:tabs')).toBe(
      JSON.stringify({ openTabs: [session.id], activeTab: session.id, tabOrder: [session.id] }),
    );
  });

  it('of the window that was visible last are used by a new window', async () => {
    const { ids } = await openTabs('A');
    remember([], null);
    document.dispatchEvent(new Event('visibilitychange'));
    expect(stored()).toMatchObject({ openTabs: ids });
  });

  it('mvp/TC-5.6a load only the active page after a refresh, and others when selected', async () => {
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

  it('are not restored if their session is gone', async () => {
    const project = projectOf('api');
    const session = sessionOf(project, 'A');
    remember([session.id, 'codex:gone'], 'codex:gone');
    const rig = startShellRig({ projects: [project], sessions: [session] });
    await rig.connect();
    expect(tabs()).toEqual(['A']);
    expect(active()).toEqual(['A']);
  });

  it('are ignored if they are not valid', async () => {
    localStorage.setItem('liminal:tabs', '{"openTabs": 3');
    const rig = startShellRig();
    await rig.connect();
    expect(tabs()).toEqual([]);
  });
});
