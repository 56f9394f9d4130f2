import { describe, expect, it } from 'vitest';
import type { SessionListItem } from '../../../../shared/entities.ts';
import { all, isShown, nameOf, one, press, type } from './rig/page.ts';
import { type HttpCall, projectOf, type ShellRig, sessionOf, startShellRig } from './rig/shell-rig.ts';

const project = projectOf('api');
const titles = () =>
  [...document.querySelectorAll('.session:not(.is-archived) .row-title')].filter(isShown).map((it) => it.textContent);
const archivedTitles = () =>
  [...document.querySelectorAll('.is-archived .row-title')].filter(isShown).map((it) => it.textContent);
const row = (title: string) => one('button', new RegExp(`^${title} `));
const notice = () => all('status').map(({ textContent }) => textContent);
const summary = () => document.querySelector<HTMLElement>('.row-archived') as HTMLElement;

async function start(titled: readonly string[], archived: readonly SessionListItem[] = []) {
  const sessions = titled.map((title, index) => sessionOf(project, title, { minutesAgo: index + 1 }));
  const rig = startShellRig({ projects: [project], sessions, archived: [...archived] });
  await rig.connect();
  return { rig, sessions };
}

function addressOf(session: SessionListItem | undefined, action = ''): string {
  return `/api/session/${encodeURIComponent(session?.id ?? '')}${action}`;
}

/** Lets a call succeed with this body. */
function answer(rig: ShellRig, path: string, body: (call: HttpCall) => object): void {
  rig.answers.set(path, (call) => ({ status: 200, body: body(call) }));
}

function refuse(rig: ShellRig, path: string, message: string): void {
  rig.answers.set(path, () => ({ status: 409, body: { code: 'SESSION_IN_USE', message } }));
}

function choose(title: string, item: string): void {
  const line = row(title).parentElement as HTMLElement;
  one('button', 'More actions', line).click();
  one('menuitem', item).click();
}

describe('a title', () => {
  it('keep/rename is edited in its row with F2, saved by Enter, and the focus returns to the row', async () => {
    const { rig, sessions } = await start(['One', 'Two']);
    const path = addressOf(sessions[0], '/rename');
    answer(rig, path, ({ body }) => ({ sessionId: sessions[0]?.id, ...(body as object) }));
    row('One').focus();
    press('F2');
    const field = one('textbox', 'Session title') as HTMLInputElement;
    expect([field.value, field.selectionStart, field.selectionEnd]).toEqual(['One', 0, 3]);
    expect(document.activeElement).toBe(field);
    // These are keys of the list, but not in the field.
    for (const key of ['ArrowDown', 'Home', 'Delete']) press(key);
    expect(document.activeElement).toBe(field);
    type(field, '  Renamed ');
    press('Enter');
    await rig.settle();
    expect(rig.calls.find((call) => call.path === path)?.body).toEqual({ title: 'Renamed' });
    expect(titles()).toEqual(['Renamed', 'Two']);
    expect(document.activeElement).toBe(row('Renamed'));
  });

  it('keep/rename stays as it is after Escape, and when nothing or the same was typed', async () => {
    const { rig } = await start(['One']);
    for (const [typed, key] of [
      ['Other', 'Escape'],
      ['   ', 'Enter'],
      ['One', 'Enter'],
    ] as const) {
      choose('One', 'Rename');
      type(one('textbox', 'Session title'), typed);
      press(key);
      await rig.settle();
      expect(titles()).toEqual(['One']);
      expect(document.activeElement).toBe(row('One'));
    }
    expect(rig.calls.filter(({ path }) => path.endsWith('/rename'))).toEqual([]);
  });

  it('keep/rename stays in the field while another session changes, and is saved when the field is left', async () => {
    const { rig, sessions } = await start(['One', 'Two']);
    const path = addressOf(sessions[0], '/rename');
    answer(rig, path, ({ body }) => ({ sessionId: sessions[0]?.id, ...(body as object) }));
    choose('One', 'Rename');
    const field = one('textbox', 'Session title');
    type(field, 'Half typed');
    const two = { ...sessions[1], lastActiveAt: '2026-03-01T12:00:00.000Z' };
    rig.say({ type: 'session:changed', sessionId: two.id, session: two });
    await rig.settle();
    expect((one('textbox', 'Session title') as HTMLInputElement).value).toBe('Half typed');
    expect(document.activeElement).toBe(field);
    row('Two').focus();
    await rig.settle();
    expect(titles()).toEqual(['Two', 'Half typed']);
  });

  it('keep/rename is not changed when the server refuses, and the reason is shown', async () => {
    const { rig, sessions } = await start(['One']);
    refuse(rig, addressOf(sessions[0], '/rename'), 'The terminal has it.');
    choose('One', 'Rename');
    type(one('textbox', 'Session title'), 'Other');
    press('Enter');
    await rig.settle();
    expect(titles()).toEqual(['One']);
    expect(one('alert').textContent).toBe('Not renamed. The terminal has it.');
  });
});

describe('a pinned session', () => {
  it('keep/pin is listed first, says so, and can be unpinned', async () => {
    const { rig, sessions } = await start(['New', 'Old']);
    const old = sessions[1] as SessionListItem;
    answer(rig, addressOf(old, '/pin'), ({ body }) => {
      const { pinned } = body as { pinned: boolean };
      rig.say({ type: 'session:changed', sessionId: old.id, session: { ...old, pinned } });
      return { sessionId: old.id, pinned };
    });
    choose('Old', 'Pin');
    await rig.settle();
    expect(titles()).toEqual(['Old', 'New']);
    expect(nameOf(row('Old'))).toBe('Old Claude Code, pinned 2 m');
    expect(all('button', 'Archive')).toHaveLength(2);
    choose('Old', 'Unpin');
    await rig.settle();
    expect(titles()).toEqual(['New', 'Old']);
  });
});

describe('undoing an archive', () => {
  it('keep/archive-undo brings a session back with its tab, once, within ten seconds', async () => {
    const { rig, sessions } = await start(['One', 'Two']);
    const [first] = sessions;
    row('One').click();
    answer(rig, addressOf(first, '/unarchive'), () => ({ sessionId: first?.id, session: first }));
    choose('One', 'Archive');
    await rig.settle();
    expect(titles()).toEqual(['Two']);
    expect(all('tab')).toEqual([]);
    rig.timers.advance(9_000);
    one('button', 'Undo').click();
    await rig.settle();
    expect(titles()).toEqual(['One', 'Two']);
    expect(all('tab').map(nameOf)).toEqual(['One']);
    expect(all('button', 'Undo')).toEqual([]);
    expect(summary().closest('details')?.hidden).toBe(true);
  });

  it('keep/archive-undo takes back the latest first with Ctrl+Z in the sidebar', async () => {
    const { rig, sessions } = await start(['One', 'Two', 'Three']);
    for (const session of sessions) {
      answer(rig, addressOf(session, '/unarchive'), () => ({ sessionId: session.id, session }));
    }
    row('One').focus();
    press('Delete');
    await rig.settle();
    press('Delete', {}, row('Two'));
    await rig.settle();
    expect(titles()).toEqual(['Three']);
    row('Three').focus();
    press('z', { ctrlKey: true });
    await rig.settle();
    expect(titles()).toEqual(['Two', 'Three']);
    press('z', { ctrlKey: true });
    await rig.settle();
    expect(titles()).toEqual(['One', 'Two', 'Three']);
    expect(press('z', { ctrlKey: true })).toBe(true);
  });

  it('keep/archive-undo is no longer offered once the session was restored or deleted otherwise', async () => {
    const { rig, sessions } = await start(['One', 'Two']);
    const [first, second] = sessions;
    answer(rig, addressOf(first, '/unarchive'), () => ({ sessionId: first?.id, session: first }));
    answer(rig, addressOf(second), () => ({ sessionId: second?.id }));
    for (const title of ['One', 'Two']) {
      choose(title, 'Archive');
      await rig.settle();
    }
    expect(all('button', 'Undo')).toHaveLength(2);
    rig.data.archived = [...sessions].reverse();
    summary().click();
    await rig.settle();
    all('button', 'Delete')[0]?.click();
    one('button', 'Delete', one('dialog', 'Delete “Two”?')).click();
    await rig.settle();
    expect(all('button', 'Undo')).toHaveLength(1);
    one('button', 'Restore').click();
    await rig.settle();
    expect(all('button', 'Undo')).toEqual([]);
  });

  it('keep/archive-undo is offered for ten seconds', async () => {
    const { rig } = await start(['One']);
    one('button', 'Archive').click();
    await rig.settle();
    expect(notice()).toContain('Archived “One”.Undo');
    rig.timers.advance(9_999);
    one('button', 'Undo');
    rig.timers.advance(1);
    expect(all('button', 'Undo')).toEqual([]);
  });
});

describe('the archived list', () => {
  it('keep/archived-list of a project opens by click or arrow key, with what was archived meanwhile', async () => {
    const past = sessionOf(project, 'Past', { minutesAgo: 600 });
    const { rig } = await start(['One'], [past]);
    expect(summary().textContent).toBe('Archived1');
    expect(archivedTitles()).toEqual([]);
    summary().focus();
    press('ArrowRight');
    await rig.settle();
    expect(archivedTitles()).toEqual(['Past']);
    one('button', 'Archive').click();
    await rig.settle();
    expect(archivedTitles()).toEqual(['One', 'Past']);
    expect(summary().textContent).toBe('Archived2');
    summary().click();
    expect(archivedTitles()).toEqual([]);
  });

  it('keep/archived-list restores a session, and is gone when it is empty', async () => {
    const past = sessionOf(project, 'Past', { minutesAgo: 600 });
    const { rig } = await start([], [past]);
    answer(rig, addressOf(past, '/unarchive'), () => ({ sessionId: past.id, session: past }));
    summary().click();
    await rig.settle();
    one('button', 'Restore').click();
    await rig.settle();
    expect(titles()).toEqual(['Past']);
    expect(isShown(summary())).toBe(false);
  });

  it('keep/archived-list shows why it could not be read', async () => {
    const { rig } = await start([], [sessionOf(project, 'Past')]);
    rig.data.listsFail = true;
    summary().click();
    await rig.settle();
    expect(document.querySelector('.archived .project-none')?.textContent).toBe('It broke.');
  });
});

describe('deleting', () => {
  it('keep/delete asks first; Cancel deletes nothing', async () => {
    const { rig } = await start(['One']);
    choose('One', 'Delete…');
    const dialog = one('dialog', 'Delete “One”?');
    expect(dialog.textContent).toContain('This cannot be undone.');
    one('button', 'Cancel', dialog).click();
    await rig.settle();
    expect(titles()).toEqual(['One']);
    expect(rig.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('keep/delete removes the session and its tab, and says what the agent keeps until that is dismissed', async () => {
    const { rig, sessions } = await start(['One', 'Two']);
    const left = 'Codex has archived its transcript.';
    answer(rig, addressOf(sessions[0]), () => ({ sessionId: sessions[0]?.id, left }));
    row('One').click();
    choose('One', 'Delete…');
    one('button', 'Delete', one('dialog', 'Delete “One”?')).click();
    await rig.settle();
    expect(rig.calls.at(-1)).toMatchObject({ method: 'DELETE', path: addressOf(sessions[0]) });
    expect(titles()).toEqual(['Two']);
    expect(all('tab')).toEqual([]);
    rig.timers.advance(60_000);
    expect(notice()).toContain(`Deleted “One”. ${left}`);
  });

  it('keep/delete of a session in use is refused with the reason', async () => {
    const { rig, sessions } = await start(['One']);
    refuse(rig, addressOf(sessions[0]), 'A turn is running.');
    choose('One', 'Delete…');
    one('button', 'Delete', one('dialog', 'Delete “One”?')).click();
    await rig.settle();
    expect(titles()).toEqual(['One']);
    expect(one('alert').textContent).toBe('Not deleted. A turn is running.');
  });

  it('keep/delete works in the archived list, with the Delete key as well', async () => {
    const past = sessionOf(project, 'Past');
    const { rig } = await start([], [past]);
    answer(rig, addressOf(past), () => ({ sessionId: past.id }));
    summary().click();
    await rig.settle();
    row('Past').focus();
    press('Delete');
    one('button', 'Delete', one('dialog', 'Delete “Past”?')).click();
    await rig.settle();
    expect(archivedTitles()).toEqual([]);
    expect(isShown(summary())).toBe(false);
  });
});

describe('exporting', () => {
  it.each([
    ['Markdown', 'md'],
    ['HTML', 'html'],
    ['JSON', 'json'],
  ])('keep/export as %s gives the user the file of the server under its name', async (label, format) => {
    const { rig, sessions } = await start(['One']);
    const name = encodeURIComponent(`Größe.${format}`);
    const headers = { 'content-disposition': `attachment; filename="Grosse.${format}"; filename*=UTF-8''${name}` };
    choose('One', `Export as ${label}`);
    expect(rig.calls.at(-1)?.path).toBe(`${addressOf(sessions[0], '/export')}?format=${format}`);
    await rig.settle();
    rig.network.answer = () => new Response('# One', { headers });
    choose('One', `Export as ${label}`);
    await rig.settle();
    expect(rig.saved.map(({ fileName }) => fileName)).toEqual([`Größe.${format}`]);
    expect(await rig.saved[0]?.content.text()).toBe('# One');
    expect(notice()).toContain(`Exported “One” as ${label}.`);
  });

  it('keep/export shows why there is no file', async () => {
    const { rig, sessions } = await start(['One']);
    refuse(rig, `${addressOf(sessions[0], '/export')}?format=md`, 'It is being written.');
    choose('One', 'Export as Markdown');
    await rig.settle();
    expect(rig.saved).toEqual([]);
    expect(one('alert').textContent).toBe('Not exported. It is being written.');
  });
});
