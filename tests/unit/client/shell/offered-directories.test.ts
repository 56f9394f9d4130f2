import { describe, expect, it, vi } from 'vitest';
import { all, nameOf, one, press, type } from './rig/page.ts';
import { answer } from './rig/session-rows.ts';
import { NOW, startShellRig } from './rig/shell-rig.ts';

const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();
const used = [
  { path: '/home/me/api', sessions: 12, lastActiveAt: hoursAgo(1) },
  { path: '/home/me/web', sessions: 1, lastActiveAt: hoursAgo(2) },
];

/** The dialog, with these directories and one completion. */
async function openDialog(directories: readonly object[] = used) {
  const rig = startShellRig();
  answer(rig, '/api/directories/with-sessions', () => ({ directories }));
  answer(rig, '/api/directories?prefix=', () => ({ directories: ['/home'], truncated: false }));
  await rig.connect();
  one('button', 'Add project').click();
  await vi.dynamicImportSettled();
  await rig.settle();
  const field = one('textbox', 'Project path') as HTMLInputElement;
  const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
  return { rig, field, active };
}

const offered = () => all('option', undefined, document.querySelector('#path-offered') as HTMLElement);

describe('directories in which agents were used in a terminal', () => {
  it('follow/offered are offered when a project is added, with how many sessions they have and when they were used', async () => {
    await openDialog();
    expect(offered().map(nameOf)).toEqual(['/home/me/api 12 sessions, 1 h', '/home/me/web 1 session, 2 h']);
  });

  it('follow/offered have no place where there are none', async () => {
    await openDialog([]);
    expect(document.querySelector<HTMLElement>('.offered')?.hidden).toBe(true);
  });

  it('follow/offered have no place where the server cannot tell', async () => {
    const rig = startShellRig();
    await rig.connect();
    one('button', 'Add project').click();
    await vi.dynamicImportSettled();
    await rig.settle();
    expect(document.querySelector<HTMLElement>('.offered')?.hidden).toBe(true);
  });

  it.each([
    ['web', ['/home/me/web']],
    ['~/API', ['/home/me/api']],
    ['/home/me/', ['/home/me/api', '/home/me/web']],
    ['/elsewhere', []],
  ])('follow/offered are filtered by what is typed: %s', async (text, left) => {
    const { field } = await openDialog();
    type(field, text);
    expect(offered().map((option) => option.querySelector('.option-path')?.textContent)).toEqual(left);
  });

  it('follow/offered are picked with the arrow keys and Enter, and Enter adds the project', async () => {
    const { rig, field, active } = await openDialog();
    press('ArrowDown');
    press('ArrowDown');
    expect(nameOf(active() as Element)).toContain('/home/me/web');
    expect(active()?.getAttribute('aria-selected')).toBe('true');
    press('Enter');
    expect(field.value).toBe('/home/me/web/');
    field.form?.requestSubmit();
    await rig.settle();
    expect(rig.sent('project:add')).toMatchObject([{ path: '/home/me/web' }]);
  });

  it('follow/offered are picked with the mouse, and the field keeps the focus', async () => {
    const { field } = await openDialog();
    const down = new MouseEvent('mousedown', { bubbles: true, cancelable: true });
    offered()[0]?.dispatchEvent(down);
    expect(field.value).toBe('/home/me/api/');
    expect(down.defaultPrevented).toBe(true);
  });

  it('follow/offered come before the completions for the arrow keys', async () => {
    const { active } = await openDialog();
    press('ArrowUp');
    expect(active()?.id).toBe('path-option-0');
    press('ArrowDown');
    expect(active()?.id).toBe('path-offered-0');
  });

  it('follow/hostile shows hidden characters in a path, and no markup', async () => {
    await openDialog([{ path: '/home/a\u202eb<b>', sessions: 1, lastActiveAt: hoursAgo(1) }]);
    expect(nameOf(offered()[0] as Element)).not.toContain('\u202e');
    expect(document.querySelector('.option-path b')).toBeNull();
  });
});
