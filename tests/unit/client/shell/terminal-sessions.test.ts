import { describe, expect, it } from 'vitest';
import type { SessionListItem } from '../../../../shared/entities.ts';
import { all, nameOf, one, press, type } from './rig/page.ts';
import { project, row, titles } from './rig/session-rows.ts';
import { NOW, sessionOf, startShellRig } from './rig/shell-rig.ts';

const at = new Date(NOW - 60_000);
const clock = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;

async function start(sessions: readonly SessionListItem[]) {
  const rig = startShellRig({ projects: [project], sessions: [...sessions] });
  await rig.connect();
  const change = (session: SessionListItem, changes: Partial<SessionListItem>) =>
    rig.say({ type: 'session:changed', sessionId: session.id, session: { ...session, ...changes } });
  return { rig, change };
}

const many = (count: number, more: Partial<SessionListItem> = {}, name = 'S') =>
  Array.from({ length: count }, (_, index) =>
    sessionOf(project, `${name}${index}`, { minutesAgo: index + 1, ...more }),
  );

const mark = (title: string) => row(title).querySelector<HTMLElement>('.terminal-mark');
const fold = () => document.querySelector<HTMLDetailsElement>('details.runs') as HTMLDetailsElement;
const runsRow = () => fold().querySelector('summary') as HTMLElement;
const filter = (text: string) => type(document.querySelector('.filter') as HTMLElement, text);

describe('a session from a terminal', () => {
  it('follow/list stands among the others with a mark that has a name and a tooltip', async () => {
    await start([sessionOf(project, 'Ours'), sessionOf(project, 'Theirs', { source: 'terminal' })]);
    expect(mark('Ours')?.hidden).toBe(true);
    expect(nameOf(row('Ours'))).toBe('Ours Claude Code 5 m');
    expect(mark('Theirs')?.hidden).toBe(false);
    expect(mark('Theirs')?.getAttribute('aria-label')).toBe('From a terminal');
    expect(mark('Theirs')?.title).toBe('From a terminal');
  });

  it('follow/held says who has it open, and stops saying so when that ends', async () => {
    const session = sessionOf(project, 'One');
    const { change } = await start([session]);
    const since = at.toISOString();
    const heldBy = { label: 'Claude Code', pid: 1234, tty: 'pts/3', since, certain: true };
    change(session, { heldBy });
    expect(mark('One')?.getAttribute('aria-label')).toBe(`Open in a terminal: pts/3, process 1234, since ${clock}`);
    expect(mark('One')?.dataset.held).toBe('yes');
    change(session, { heldBy: { ...heldBy, status: 'busy' } });
    expect(mark('One')?.title).toContain(', working');
    change(session, {});
    expect(mark('One')?.hidden).toBe(true);
  });

  it('follow/held says "may be" where it is not certain', async () => {
    await start([sessionOf(project, 'One', { source: 'terminal', heldBy: { label: 'Claude Code', certain: false } })]);
    expect(mark('One')?.title).toBe('May be open in another program');
    expect(mark('One')?.dataset.held).toBe('maybe');
  });

  it('follow/hostile shows hidden characters in the name of a terminal', async () => {
    await start([sessionOf(project, 'One', { heldBy: { label: 'x', tty: 'pts/3\u202e', certain: true } })]);
    expect(mark('One')?.title).not.toContain('\u202e');
    expect(mark('One')?.getAttribute('aria-label')).not.toContain('\u202e');
  });
});

describe('sessions that are found', () => {
  it('follow/list appear in the place of their age, and replace what was known of them', async () => {
    const known = many(3);
    const { rig } = await start(known);
    rig.say({
      type: 'session:found',
      sessions: [...many(499, { source: 'terminal' }, 'F'), { ...(known[0] as SessionListItem), title: 'Renamed' }],
    });
    expect(titles().slice(0, 4)).toEqual(['Renamed', 'F0', 'S1', 'F1']);
    expect(titles()).toHaveLength(30);
    expect(one('button', 'Show 100 of 472 more')).toBeTruthy();
  });
});

describe('a project with very many sessions', () => {
  it('follow/list shows the newest 30, then 100 more with each click, and moves the focus to the first of those', async () => {
    await start(many(1_000));
    expect(titles()).toHaveLength(30);
    one('button', 'Show 100 of 970 more').click();
    expect(titles()).toHaveLength(130);
    expect(document.activeElement?.querySelector('.row-title')?.textContent).toBe('S30');
    expect(one('button', 'Show 100 of 870 more')).toBeTruthy();
  });

  it('follow/list always shows pinned sessions and those of open tabs', async () => {
    const sessions = many(60);
    const { change } = await start([...sessions, ...many(40, { pinned: true }, 'P')]);
    expect(titles()).toHaveLength(40);
    filter('S59');
    row('S59').click();
    filter('');
    expect(titles()).toContain('S59');
    change(sessions[58] as SessionListItem, { pinned: true });
    expect(titles()).toContain('S58');
  });

  it('follow/list finds all of them by the filter, and draws no more than the first', async () => {
    await start(many(1_000));
    filter('S987');
    expect(titles()).toEqual(['S987']);
    filter('S');
    expect(titles()).toHaveLength(30);
  });
});

describe('runs', () => {
  const runs = () => many(12, { run: true, source: 'terminal' }, 'R');

  it('follow/runs are folded behind one row that tells how many there are', async () => {
    await start([sessionOf(project, 'Talk'), ...runs()]);
    expect(runsRow().textContent).toBe('12 runs');
    expect(fold().open).toBe(false);
    expect(titles()).toEqual(['Talk']);
    runsRow().click();
    expect(titles()).toHaveLength(13);
  });

  it('follow/runs stay open after a reload', async () => {
    await start([...runs()]);
    runsRow().click();
    expect(JSON.parse(localStorage.getItem('liminal:collapsed') ?? '{}')).toEqual({ [`runs-${project.id}`]: false });
    await start([...runs()]);
    expect(fold().open).toBe(true);
    runsRow().click();
    expect(fold().open).toBe(false);
  });

  it('follow/runs open and close with the arrow keys', async () => {
    await start([sessionOf(project, 'Talk'), ...runs()]);
    runsRow().focus();
    press('ArrowRight');
    expect(fold().open).toBe(true);
    press('ArrowLeft');
    expect(fold().open).toBe(false);
    expect(document.activeElement).toBe(runsRow());
  });

  it('follow/runs are found by the filter, and a pinned one stands among the sessions', async () => {
    await start([sessionOf(project, 'Talk'), ...runs(), sessionOf(project, 'Kept run', { run: true, pinned: true })]);
    expect(titles()).toEqual(['Kept run', 'Talk']);
    filter('R11');
    expect(titles()).toEqual(['R11']);
    filter('');
    expect(titles()).toEqual(['Kept run', 'Talk']);
  });

  it('follow/runs have no row where there are none, and no hint where there are only runs', async () => {
    const { rig } = await start([sessionOf(project, 'Talk')]);
    expect(fold().hidden).toBe(true);
    rig.say({ type: 'session:found', sessions: [sessionOf(project, 'R', { run: true })] });
    expect(runsRow().textContent).toBe('1 run');
    expect(all('listitem').map(({ textContent }) => textContent)).not.toContain('No sessions yet. Start one with New.');
  });
});
