import { describe, expect, it } from 'vitest';
import { active, frames, openTabs, row, tabs } from './rig/open-tabs.ts';
import { one, press } from './rig/page.ts';

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

  it('tells a page that it is shown, and gives it the focus once it is ready', async () => {
    const { rig, ids } = await openTabs('A');
    const id = ids[0] ?? '';
    rig.posted(id);
    expect(document.activeElement).not.toBe(rig.frame(id));
    rig.fromPortlet(id, { type: 'portlet:ready' });
    expect(rig.posted(id).map(({ type }) => type)).toEqual(expect.arrayContaining(['portlet:shown', 'portlet:focus']));
    expect(document.activeElement).toBe(rig.frame(id));
  });

  it('a page that becomes ready late does not take the focus from where it went meanwhile', async () => {
    const { rig, ids } = await openTabs('A');
    press('k', { ctrlKey: true });
    const filter = document.activeElement;
    rig.fromPortlet(ids[0] ?? '', { type: 'portlet:ready' });
    expect(document.activeElement).toBe(filter);
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
    expect(tab.querySelector('.agent-claude-code')).not.toBeNull();
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
    const sign = (name: string) => one('tab', name).querySelector('.status-icon')?.getAttribute('class');
    const [a] = sessions;
    expect(sign('A')).toContain('status-idle');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: true } });
    expect(sign('A')).toContain('status-running');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: false } });
    expect(sign('A')).toContain('status-attention');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: true } });
    expect(sign('A')).toContain('status-error');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: true, running: true } });
    expect(sign('A')).toContain('status-running');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: false } });
    expect(sign('A')).toContain('status-attention');
    one('tab', 'A').click();
    expect(sign('A')).toContain('status-idle');
  });
});
