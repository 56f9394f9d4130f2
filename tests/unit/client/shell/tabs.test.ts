import { describe, expect, it } from 'vitest';
import { active, frames, openTabs, row, tabs } from './rig/open-tabs.ts';
import { one, press } from './rig/page.ts';

describe('opening', () => {
  it('mvp/TC-4.1a opens a session in a tab with its own page', async () => {
    const { ids } = await openTabs('A');
    expect(tabs()).toEqual(['A']);
    expect(frames().map((frame) => frame.getAttribute('src'))).toEqual([
      `/portlet/index.html?sessionId=${encodeURIComponent(ids[0] ?? '')}`,
    ]);
  });

  it('mvp/TC-4.1b opens a second session beside the first and activates it', async () => {
    await openTabs('A', 'B');
    expect(tabs()).toEqual(['A', 'B']);
    expect(active()).toEqual(['B']);
  });

  it('mvp/TC-2.3b switches to the tab of a session that is already open', async () => {
    await openTabs('A', 'B');
    row('A').click();
    expect(tabs()).toEqual(['A', 'B']);
    expect(active()).toEqual(['A']);
  });

  it('mvp/TC-4.3a does not create a second page for an open session', async () => {
    await openTabs('A', 'B');
    const before = frames();
    row('A').click();
    expect(frames()).toEqual(before);
  });

  it('mvp/TC-4.3b keeps the number of tabs when an open session is selected in the sidebar', async () => {
    await openTabs('A', 'B', 'C');
    row('B').click();
    expect(tabs()).toHaveLength(3);
    expect(frames()).toHaveLength(3);
  });

  it('mvp/TC-4.2a neither moves nor reloads pages when switching', async () => {
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

  it('notifies a page that it is shown and focuses it once it is ready', async () => {
    const { rig, ids } = await openTabs('A');
    const id = ids[0] ?? '';
    rig.posted(id);
    expect(document.activeElement).not.toBe(rig.frame(id));
    rig.fromPortlet(id, { type: 'portlet:ready' });
    expect(rig.posted(id).map(({ type }) => type)).toEqual(expect.arrayContaining(['portlet:shown', 'portlet:focus']));
    expect(document.activeElement).toBe(rig.frame(id));
  });

  it('does not focus a page that becomes ready after the focus has moved on', async () => {
    const { rig, ids } = await openTabs('A');
    press('k', { ctrlKey: true });
    const filter = document.activeElement;
    rig.fromPortlet(ids[0] ?? '', { type: 'portlet:ready' });
    expect(document.activeElement).toBe(filter);
  });
});

describe('closing', () => {
  it('mvp/TC-4.4a removes the tab and its page, but keeps the session in the sidebar', async () => {
    const { rig, ids } = await openTabs('A', 'B');
    one('button', 'Close A').click();
    expect(tabs()).toEqual(['B']);
    expect(frames()).toEqual([rig.frame(ids[1] ?? '')]);
    row('A');
  });

  it('mvp/TC-4.4b activates and focuses the neighbour of a closed active tab', async () => {
    await openTabs('A', 'B', 'C');
    one('tab', 'B').click();
    one('button', 'Close B').click();
    expect(active()).toEqual(['C']);
    expect(document.activeElement).toBe(one('tab', 'C'));
    one('button', 'Close C').click();
    expect(active()).toEqual(['A']);
  });

  it('mvp/TC-4.4c shows the empty state after the last tab', async () => {
    await openTabs('A');
    one('button', 'Close A').click();
    expect(tabs()).toEqual([]);
    one('heading', 'No session is open');
    expect(document.activeElement).toBe(one('button', 'New session'));
  });

  it('keeps the active tab when another one closes', async () => {
    await openTabs('A', 'B');
    one('button', 'Close A').click();
    expect(active()).toEqual(['B']);
  });

  it('reacts to a middle click but not to a right click', async () => {
    await openTabs('A', 'B');
    one('tab', 'A').dispatchEvent(new MouseEvent('auxclick', { button: 2, bubbles: true }));
    expect(tabs()).toEqual(['A', 'B']);
    one('tab', 'A').dispatchEvent(new MouseEvent('auxclick', { button: 1, bubbles: true }));
    expect(tabs()).toEqual(['B']);
  });

  it('unsubscribes from the session', async () => {
    const { rig, ids } = await openTabs('A');
    one('button', 'Close A').click();
    expect(rig.sent('session:unsubscribe')).toMatchObject([{ sessionId: ids[0] }]);
  });
});

describe('a tab', () => {
  it('mvp/TC-4.5a shows the title and the agent', async () => {
    const { rig } = await openTabs('Fix login');
    const tab = one('tab', 'Fix login');
    expect(tab.querySelector('.agent-claude-code')).not.toBeNull();
    expect(document.getElementById(tab.getAttribute('aria-describedby') ?? '')?.textContent).toBe('Claude Code');
    expect(rig.root.querySelector('iframe')?.title).toBe('Fix login');
  });

  it('mvp/TC-4.5b is called New Session until its session has a title', async () => {
    const { rig, ids } = await openTabs('New Session');
    expect(tabs()).toEqual(['New Session']);
    rig.say({ type: 'session:title-updated', sessionId: ids[0], title: 'Fix the footer' });
    expect(tabs()).toEqual(['Fix the footer']);
    row('Fix the footer');
  });

  it('shows one status: running before error before attention', async () => {
    const { rig, ids, sessions } = await openTabs('A', 'B');
    const icon = (name: string) => one('tab', name).querySelector('.status-icon')?.getAttribute('class');
    const [a] = sessions;
    expect(icon('A')).toContain('status-idle');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: true } });
    expect(icon('A')).toContain('status-running');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, running: false } });
    expect(icon('A')).toContain('status-attention');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: true } });
    expect(icon('A')).toContain('status-error');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: true, running: true } });
    expect(icon('A')).toContain('status-running');
    rig.say({ type: 'session:changed', sessionId: ids[0], session: { ...a, failed: false } });
    expect(icon('A')).toContain('status-attention');
    one('tab', 'A').click();
    expect(icon('A')).toContain('status-idle');
  });
});
