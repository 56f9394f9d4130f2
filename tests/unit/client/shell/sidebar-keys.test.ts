import { describe, expect, it } from 'vitest';
import { all, isShown, nameOf, one, press, type } from './rig/page.ts';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

const titles = () =>
  [...document.querySelectorAll('.session .row-title')].filter(isShown).map((title) => title.textContent);
const row = (title: string) => one('button', new RegExp(`^${title} `));

describe('the filter', () => {
  it('shows sessions and projects that contain every word, and expands collapsed projects', async () => {
    const [api, web] = [projectOf('api'), projectOf('web')];
    localStorage.setItem('liminal:collapsed', JSON.stringify({ [web.id]: true }));
    const sessions = [sessionOf(api, 'Fix login'), sessionOf(api, 'Docs'), sessionOf(web, 'Fix the footer')];
    const rig = startShellRig({ projects: [api, web], sessions });
    await rig.connect();
    const filter = document.querySelector('input[type=search]') as HTMLInputElement;
    type(filter, 'FIX');
    expect(titles()).toEqual(['Fix login', 'Fix the footer']);
    type(filter, 'web fix');
    expect(titles()).toEqual(['Fix the footer']);
    type(filter, 'nope');
    expect(rig.root.textContent).toContain('Nothing matches “nope”.');
  });

  it('is focused by Ctrl+K, opens the first match on Enter and is cleared by Escape', async () => {
    const api = projectOf('api');
    const rig = startShellRig({ projects: [api], sessions: [sessionOf(api, 'Fix login'), sessionOf(api, 'Docs')] });
    await rig.connect();
    press('k', { ctrlKey: true });
    const filter = document.activeElement as HTMLInputElement;
    expect(filter.type).toBe('search');
    type(filter, 'docs');
    press('Enter');
    expect(all('tab').map(nameOf)).toEqual(['Docs']);
    press('Escape', {}, filter);
    expect(filter.value).toBe('');
  });
});

describe('keys in the sidebar', () => {
  it('move through projects and sessions with the arrows, as a single tab stop', async () => {
    const [api, web] = [projectOf('api'), projectOf('web')];
    const rig = startShellRig({ projects: [api, web], sessions: [sessionOf(api, 'One'), sessionOf(web, 'Two')] });
    await rig.connect();
    const focused = () => nameOf(document.activeElement as Element);
    one('button', 'api').focus();
    press('ArrowDown');
    expect(focused()).toMatch(/^One/);
    press('ArrowLeft');
    expect(focused()).toBe('api');
    press('ArrowLeft');
    expect(one('button', 'api 1 session').getAttribute('aria-expanded')).toBe('false');
    press('ArrowDown');
    expect(focused()).toBe('web');
    press('End');
    expect(focused()).toMatch(/^Two/);
    const stops = [...document.querySelectorAll<HTMLElement>('.projects button')].filter(
      (button) => isShown(button) && button.tabIndex === 0,
    );
    expect(stops.map(nameOf)).toEqual(['Two Claude Code 5 m', 'Archive', 'More actions']);
  });

  it('archive the session of the row with Delete and keep the focus in the list', async () => {
    const api = projectOf('api');
    const sessions = [sessionOf(api, 'One', { minutesAgo: 1 }), sessionOf(api, 'Two', { minutesAgo: 2 })];
    const rig = startShellRig({ projects: [api], sessions });
    await rig.connect();
    row('One').focus();
    press('Delete');
    await rig.settle();
    expect(titles()).toEqual(['Two']);
    expect(nameOf(document.activeElement as Element)).toMatch(/^Two/);
  });

  it('stay on a focused row that moves up', async () => {
    const api = projectOf('api');
    const old = sessionOf(api, 'Old', { minutesAgo: 60 });
    const rig = startShellRig({ projects: [api], sessions: [old, sessionOf(api, 'New', { minutesAgo: 1 })] });
    await rig.connect();
    row('Old').focus();
    rig.say({
      type: 'session:changed',
      sessionId: old.id,
      session: { ...old, lastActiveAt: '2026-03-01T12:00:00.000Z' },
    });
    expect(nameOf(document.activeElement as Element)).toMatch(/^Old/);
  });
});
