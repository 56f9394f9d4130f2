import { describe, expect, it } from 'vitest';
import { all, isShown, one, press } from './rig/page.ts';
import {
  addressOf,
  answer,
  archivedTitles,
  choose,
  notice,
  project,
  refuse,
  row,
  start,
  summary,
  titles,
} from './rig/session-rows.ts';
import { sessionOf } from './rig/shell-rig.ts';

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
