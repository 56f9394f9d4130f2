import { describe, expect, it } from 'vitest';
import { frames } from './rig/open-tabs.ts';
import { one } from './rig/page.ts';
import { NOW, projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const KEY = 'liminal:loading';
const project = projectOf('api');
const session = sessionOf(project, 'A');
const other = sessionOf(project, 'B');

const noteOf = (age: number) => JSON.stringify([{ sessionId: session.id, at: NOW - age }]);
const notes = (storage: Storage) =>
  JSON.parse(storage.getItem(KEY) ?? '[]').map((note: { sessionId: string }) => note.sessionId);

/** Starts a shell with these tabs, the first of them active. */
function start() {
  const ids = [session.id, other.id];
  localStorage.setItem('liminal:tabs', JSON.stringify({ openTabs: ids, activeTab: session.id, tabOrder: ids }));
  return startShellRig({ projects: [project], sessions: [session, other] });
}

describe('a tab whose last load never finished', () => {
  it.each([
    ['in this window', () => sessionStorage.setItem(KEY, noteOf(10))],
    ['in another window, some time ago', () => localStorage.setItem(KEY, noteOf(60_000))],
  ])('safe/frozen-tab is not opened again by itself: %s', async (_, leave) => {
    leave();
    const rig = start();
    await rig.connect();
    expect(frames()).toEqual([]);
    expect(rig.sent('session:subscribe')).toEqual([]);
    expect(one('tabpanel', 'A').textContent).toContain('did not finish loading last time');
  });

  it('safe/frozen-tab is opened when the user asks for it', async () => {
    sessionStorage.setItem(KEY, noteOf(10));
    const rig = start();
    await rig.connect();
    one('button', 'Open it').click();
    expect(frames()).toEqual([rig.frame(session.id)]);
    expect(rig.sent('session:subscribe')).toMatchObject([{ sessionId: session.id }]);
    rig.fromPortlet(session.id, { type: 'portlet:ready' });
    expect(rig.posted(session.id).map(({ type }) => type)).toContain('session:info');
  });

  it('safe/frozen-tab stays held back after another reload', async () => {
    sessionStorage.setItem(KEY, noteOf(10));
    const rig = start();
    await rig.connect();
    window.dispatchEvent(new Event('pagehide'));
    expect(notes(sessionStorage)).toEqual([session.id]);
  });

  it('safe/frozen-tab does not keep other tabs from opening', async () => {
    sessionStorage.setItem(KEY, noteOf(10));
    const rig = start();
    await rig.connect();
    one('tab', 'B').click();
    expect(frames()).toEqual([rig.frame(other.id)]);
    one('tab', 'A').click();
    expect(frames()).toHaveLength(1);
  });
});

describe('a tab that loads', () => {
  it('safe/frozen-tab is noted until its page has drawn the conversation', async () => {
    const rig = start();
    await rig.connect();
    expect([notes(sessionStorage), notes(localStorage)]).toEqual([[session.id], [session.id]]);
    rig.fromPortlet(session.id, { type: 'portlet:ready' });
    expect(notes(localStorage)).toEqual([session.id]);
    rig.fromPortlet(session.id, { type: 'portlet:drawn' });
    expect([notes(sessionStorage), notes(localStorage)]).toEqual([[], []]);
  });

  it('safe/frozen-tab opens again after a quick reload, because the page could say that it was closed', async () => {
    const rig = start();
    await rig.connect();
    window.dispatchEvent(new Event('pagehide'));
    expect([notes(sessionStorage), notes(localStorage)]).toEqual([[], []]);
  });

  it('safe/frozen-tab opens in a second window while it loads in the first', async () => {
    localStorage.setItem(KEY, noteOf(1_000));
    const rig = start();
    await rig.connect();
    expect(frames()).toEqual([rig.frame(session.id)]);
  });

  it('safe/frozen-tab opens if the stored notes are not valid', async () => {
    localStorage.setItem(KEY, '[{"sessionId": 3');
    const rig = start();
    await rig.connect();
    expect(frames()).toEqual([rig.frame(session.id)]);
  });
});
