import { describe, expect, it } from 'vitest';
import { clockTime } from '../../../../client/shared/clock-time.ts';
import type { Branch } from '../../../../shared/entities.ts';
import { startPage } from './rig/page-rig.ts';

const AT = '2030-01-01T09:10:00.000Z';
const branch = (id: string, facts: Partial<Branch> = {}): Branch => ({ id, turns: 3, text: 'Try it', ...facts });

async function show(...branches: Branch[]) {
  const page = startPage();
  page.open();
  page.tell({ type: 'session:history', entries: [], turns: [], branches });
  await page.loaded();
  return page;
}

describe('another branch of the conversation', () => {
  it('follow/branches is offered in a line below the conversation', async () => {
    const page = await show(branch('b1', { at: AT }));
    const time = clockTime(AT, page.env.now());
    expect(page.text('.branches span')).toBe(`Another branch: “Try it” (3 messages, ${time})`);
    page.button('Fork this branch').click();
    expect(page.said).toContainEqual({ type: 'session:fork', branch: 'b1' });
  });

  it('follow/branches are a folded list if there are several, each with its button', async () => {
    const page = await show(branch('b1'), branch('b2', { turns: 1, text: 'Other' }));
    expect(page.text('.branches summary')).toBe('2 other branches');
    expect([...document.querySelectorAll('.branches li span')].map(({ textContent }) => textContent)).toEqual([
      '“Try it” (3 messages)',
      '“Other” (1 message)',
    ]);
    document.querySelectorAll<HTMLElement>('.branches li button')[1]?.click();
    expect(page.said).toContainEqual({ type: 'session:fork', branch: 'b2' });
  });

  it('follow/branches that become known after the snapshot are offered as well', async () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'session:history', entries: [], turns: [] });
    page.tell(page.info({ branches: [branch('b1')] }));
    await page.loaded();
    expect(page.isVisible('.branches')).toBe(true);
  });

  it('follow/branches disappear with the next snapshot that has none', async () => {
    const page = await show(branch('b1'));
    page.tell({ type: 'session:history', entries: [], turns: [] });
    expect(page.isVisible('.branches')).toBe(false);
  });

  it('follow/hostile is shortened and shown as text, with its hidden characters', async () => {
    const page = await show(branch('b1', { text: `<img src=x>\u202e\n\n${'long '.repeat(100)}` }));
    const shown = page.text('.branches span');
    expect(shown.length).toBeLessThan(140);
    expect(shown).not.toContain('\u202e');
    expect(page.find('.branches span').children).toHaveLength(0);
  });
});
