import { describe, expect, it } from 'vitest';
import { clockTime } from '../../../../client/shared/clock-time.ts';
import type { Context } from '../../../../shared/entities.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const AT = '2030-01-01T09:03:00.000Z';
const FROM = 'claude-code:0123456789abcdef';
const time = clockTime(AT, Date.parse('2030-01-01T10:00:00.000Z'));

async function show(context: Context, facts: object = {}) {
  const page = startPage();
  page.open();
  page.tell(page.info({ context, ...facts }));
  await page.loaded();
  return page;
}

describe('the context receipt', () => {
  it.each<[Context, string]>([
    [{ state: 'fresh' }, 'Fresh'],
    [{ state: 'resumed', messages: 14 }, 'Resumed, 14 messages'],
    [{ state: 'resumed', messages: 1 }, 'Resumed, 1 message'],
    [{ state: 'resumed' }, 'Resumed'],
    [{ state: 'compacted', at: AT }, `Compacted ${time}`],
    [{ state: 'forked', from: FROM }, 'Forked from 01234567'],
    [{ state: 'forked' }, 'Forked from another session'],
    [{ state: 'cleared', from: FROM }, 'Cleared'],
    [{ state: 'reset' }, 'Reset'],
    [{ state: 'unknown' }, 'Context unknown'],
  ])('follow/context of %j is short: %s', async (context, label) => {
    expect((await show(context)).text('.context-label')).toBe(label);
  });

  it('follow/context is not shown while it is not known, and stays when the shell does not say it again', async () => {
    const page = startPage();
    page.open();
    expect(page.isVisible('.context')).toBe(false);
    page.tell({ type: 'session:history', entries: [], turns: [], context: { state: 'fresh' } }, page.info());
    await page.loaded();
    expect(page.text('.context-label')).toBe('Fresh');
  });

  it('follow/context is explained by a tooltip and by its button', async () => {
    const page = await show({ state: 'compacted', at: AT, messages: 5 });
    const text = `The conversation was compacted at ${time}: the model is given a summary and what came after it, 5 messages in all.`;
    expect(page.find('.context').title).toBe(text);
    expect(page.isVisible('.context-note')).toBe(false);
    page.find('.context').click();
    expect(page.isVisible('.context-note')).toBe(true);
    expect(page.find('.context').getAttribute('aria-expanded')).toBe('true');
    expect(page.text('.context-note')).toContain(text);
    page.find('.context').click();
    expect(page.isVisible('.context-note')).toBe(false);
  });

  it.each(['fresh', 'resumed', 'compacted', 'forked', 'cleared'] as const)(
    'follow/context looks calm if it is %s',
    async (state) => {
      expect((await show({ state })).find('.context').classList.contains('is-warning')).toBe(false);
    },
  );

  it.each(['reset', 'unknown'] as const)('follow/context warns if it is %s, and says why', async (state) => {
    const page = await show({ state, reason: 'The transcript was deleted.' });
    expect(page.find('.context').classList.contains('is-warning')).toBe(true);
    expect(page.find('.context').title).toContain('The transcript was deleted.');
  });

  it.each(['forked', 'cleared'] as const)(
    'follow/context that was %s leads to the session it came from',
    async (state) => {
      const page = await show({ state, from: FROM }, { origin: { sessionId: FROM, title: 'The login' } });
      page.find('.context').click();
      page.button('Open “The login”').click();
      expect(page.said).toContainEqual({ type: 'session:open', sessionId: FROM });
    },
  );

  it('follow/hostile shows hidden characters in a title', async () => {
    const page = await show({ state: 'forked', from: FROM }, { origin: { sessionId: FROM, title: 'a\u202eb<i>' } });
    expect(page.text('.context-label')).not.toContain('\u202e');
    expect(page.find('.context').title).not.toContain('\u202e');
    expect(page.find('.context-label').children).toHaveLength(0);
  });
});

describe('the question before a message that the model may not understand', () => {
  const context: Context = { state: 'reset', reason: 'The transcript was deleted.' };

  async function refuse(details: Record<string, unknown> | undefined = { context }) {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell({
      type: 'session:send-failed',
      turnId: idOf(1),
      error: { code: 'CONTEXT_UNCERTAIN', message: 'The model may not know this conversation.', details },
    });
    await page.loaded();
    const sends = () => page.said.filter(({ type }) => type === 'session:send');
    return { page, sends };
  }

  it('follow/ask says what the model has and lacks, and keeps the message in the field', async () => {
    const { page } = await refuse();
    const question = page.find('[role="alertdialog"]');
    expect(question.hidden).toBe(false);
    expect(question.textContent).toContain('The model does not have this conversation');
    expect(question.textContent).toContain('The transcript was deleted.');
    expect(page.field().value).toBe('Hello');
    expect(page.isVisible('.problem')).toBe(false);
    expect(page.rows()).toEqual([]);
  });

  it('follow/ask has the focus on the answer that sends nothing', async () => {
    const { page, sends } = await refuse();
    expect(document.activeElement).toBe(page.button('Keep writing'));
    page.button('Keep writing').click();
    expect(document.activeElement).toBe(page.field());
    expect(page.isVisible('[role="alertdialog"]')).toBe(false);
    expect(page.field().value).toBe('Hello');
    expect(sends()).toHaveLength(1);
  });

  it('follow/ask ends with Escape, which cancels nothing', async () => {
    const { page } = await refuse();
    page.button('Keep writing').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(page.isVisible('[role="alertdialog"]')).toBe(false);
    expect(page.said.filter(({ type }) => type === 'session:cancel')).toEqual([]);
  });

  it('follow/ask sends the message with what was accepted, also again after no answer', async () => {
    const { page, sends } = await refuse();
    page.button('Send anyway').click();
    const sent = { type: 'session:send', turnId: idOf(2), content: 'Hello', accept: 'reset' };
    expect(sends().at(-1)).toEqual(sent);
    expect(page.field().value).toBe('');
    expect(document.activeElement).toBe(page.field());
    page.tell({ type: 'session:send-unanswered', turnId: idOf(2) });
    page.env.pass(1_000);
    expect(sends().slice(1)).toEqual([sent, sent]);
  });

  it('follow/ask is asked again once the context is another one', async () => {
    const { page, sends } = await refuse();
    page.button('Send anyway').click();
    page.tell({ type: 'session:sent', turnId: idOf(2) }, page.info({ context: { state: 'resumed', messages: 2 } }));
    page.turn({ type: 'turn_complete', turnId: idOf(2), sessionId: 'claude-code:s1', status: 'completed' });
    page.type('More');
    page.press('Enter');
    expect(sends().at(-1)).toEqual({ type: 'session:send', turnId: idOf(3), content: 'More' });
  });

  it('follow/ask treats details that are not understood as unknown', async () => {
    const { page } = await refuse({});
    expect(page.text('[role="alertdialog"]')).toContain('The model may not have this conversation');
    page.button('Send anyway').click();
    expect(page.said.at(-1)).toMatchObject({ accept: 'unknown' });
  });

  it('follow/ask shows the state in the receipt', async () => {
    const { page } = await refuse();
    expect(page.text('.context-label')).toBe('Reset');
  });
});
