import { describe, expect, it } from 'vitest';
import { clockTime } from '../../../../client/shared/clock-time.ts';
import type { Holder } from '../../../../shared/entities.ts';
import { SESSION_ID, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SINCE = '2030-01-01T09:03:00.000Z';
const heldBy: Holder = { label: 'Claude Code', pid: 1234, tty: 'pts/3', since: SINCE, certain: true };
const lost = { type: 'connection', state: 'reconnecting' } as const;
const back = { type: 'connection', state: 'connected' } as const;

/** A page whose session is open in a terminal. */
async function startHeld(holder: Holder = heldBy, ms = 0) {
  const page = startPage(ms);
  page.open();
  page.tell(page.info({ heldBy: holder }));
  await page.loaded();
  const sends = () => page.said.filter(({ type }) => type === 'session:send');
  const write = (text: string) => {
    page.type(text);
    page.press('Enter');
    page.env.frame();
  };
  const end = () => page.tell(page.info());
  return { page, sends, write, end, problem: () => page.text('[role="alert"]') };
}

/** The same browser after the page was loaded again. */
async function refresh(holder: Holder | undefined, ms: number) {
  document.body.replaceChildren();
  const page = startPage(ms);
  page.tell(back, page.info(holder && { heldBy: holder }), { type: 'session:history', entries: [], turns: [] });
  await page.loaded();
  const sends = () => page.said.filter(({ type }) => type === 'session:send');
  return { page, sends };
}

describe('a session that is open in a terminal', () => {
  it('follow/held says in which, and offers to follow, fork and take over', async () => {
    const { page, end } = await startHeld();
    const since = clockTime(SINCE, page.env.now());
    expect(page.text('.holder-text')).toBe(`Open in a terminal (Claude Code, pts/3, process 1234, since ${since})`);
    expect([...page.find('.holder-buttons').children].map(({ textContent }) => textContent)).toEqual([
      'Follow',
      'Fork here',
      'Take over when it ends',
    ]);
    end();
    expect(page.isVisible('.holder')).toBe(false);
  });

  it('follow/held is known from the snapshot as well', async () => {
    const page = startPage();
    page.open();
    page.tell({ type: 'session:history', entries: [], turns: [], heldBy });
    await page.loaded();
    expect(page.isVisible('.holder-buttons')).toBe(true);
  });

  it('follow/held does not guess a terminal where none is known', async () => {
    const { page } = await startHeld({ label: 'Claude Code', pid: 7, certain: true });
    expect(page.text('.holder-text')).toBe('Open in another program (Claude Code, process 7)');
  });

  it('follow/held keeps the message in the field and says why it is not sent', async () => {
    const { page, sends, write, problem } = await startHeld();
    write('Hello');
    expect(sends()).toEqual([]);
    expect(page.field().value).toBe('Hello');
    expect(problem()).toBe('Not sent: the terminal has this session open. Fork it, or take over when it ends.');
  });

  it('follow/held does not start the agent while the user types', async () => {
    const { page, end } = await startHeld();
    page.type('Hel');
    expect(page.warmUps()).toBe(0);
    end();
    page.type('Hello');
    expect(page.warmUps()).toBe(1);
  });

  it('follow/held where it is not certain is a quiet line, and messages are sent', async () => {
    const { page, sends, write } = await startHeld({ label: 'Claude Code', certain: false });
    expect(page.text('.holder-text')).toBe('May be open in another program');
    expect(page.isVisible('.holder-buttons')).toBe(false);
    write('Hello');
    expect(sends()).toHaveLength(1);
  });

  it('follow/held announces the holder once, and when it is gone', async () => {
    const { page, end } = await startHeld();
    const said = () => page.text('[role="status"]');
    expect(said()).toMatch(/^Open in a terminal/);
    page.tell(page.info({ heldBy: { ...heldBy, status: 'busy' } }), {
      type: 'session:turn',
      payload: { type: 'turn_complete', turnId: 't', sessionId: SESSION_ID, status: 'completed' },
    });
    expect(said()).toBe('Claude Code has finished.');
    end();
    expect(said()).toBe('This session is no longer open in another program.');
  });

  it('follow/held gives the focus to the message field if its button disappears', async () => {
    const { page, end } = await startHeld();
    page.button('Follow').focus();
    end();
    expect(document.activeElement).toBe(page.field());
  });

  it('follow/hostile shows hidden characters in what the holder is called', async () => {
    const { page } = await startHeld({ ...heldBy, label: 'a\u202eb', tty: '<img>' });
    expect(page.text('.holder-text')).not.toContain('\u202e');
    expect(page.find('.holder-text').children).toHaveLength(0);
  });
});

describe('Take over when it ends', () => {
  it('follow/take-over keeps a message visibly and sends it once when the terminal has ended', async () => {
    const { page, sends, write, end } = await startHeld();
    page.button('Take over when it ends').click();
    expect(page.button('Take over when it ends').getAttribute('aria-pressed')).toBe('true');
    expect(page.text('.holder-note')).toBe('Your next message is sent when the terminal ends.');
    expect(page.field().placeholder).toBe('Message (sent when the terminal ends)');
    write('Hello');
    expect(page.field().value).toBe('');
    expect(page.text('.waiting-text')).toBe('Waits until the terminal ends: Hello');
    expect(sends()).toEqual([]);
    end();
    end();
    expect(sends()).toEqual([{ type: 'session:send', turnId: idOf(1), content: 'Hello' }]);
    expect(page.isVisible('.holder')).toBe(false);
    expect(page.field().placeholder).toBe('Message');
  });

  it('follow/take-over gives the message back when it is withdrawn', async () => {
    const { page, sends, write, end } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    page.button('Withdraw').click();
    expect(page.field().value).toBe('Hello');
    expect(page.isVisible('.waiting')).toBe(false);
    end();
    expect(sends()).toEqual([]);
    expect(page.field().value).toBe('Hello');
  });

  it('follow/take-over gives the message back when it is switched off', async () => {
    const { page, sends, write, end } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    page.button('Take over when it ends').click();
    end();
    expect(page.field().value).toBe('Hello');
    expect(sends()).toEqual([]);
  });

  it('follow/take-over keeps one message, and the second one in the field', async () => {
    const { page, write, problem } = await startHeld();
    page.button('Take over when it ends').click();
    write('One');
    write('Two');
    expect(page.field().value).toBe('Two');
    expect(problem()).toBe('Not sent: another message already waits. Withdraw it first.');
  });

  it('follow/take-over waits for the connection and for the turn that runs', async () => {
    const { page, sends, write, end } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    page.start('foreign');
    page.tell(lost);
    end();
    expect(sends()).toEqual([]);
    expect(page.text('.waiting-text')).toBe('Waits until it can be sent: Hello');
    page.tell(back, { type: 'session:resumed' });
    expect(sends()).toEqual([]);
    page.turn({ type: 'turn_complete', turnId: 'foreign', sessionId: SESSION_ID, status: 'completed' });
    expect(sends()).toHaveLength(1);
  });

  it('follow/take-over survives a refresh while the terminal is open, however long that takes', async () => {
    const { page, write } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    const again = await refresh(heldBy, 3_600_000);
    expect(again.page.text('.waiting-text')).toBe('Waits until the terminal ends: Hello');
    expect(again.sends()).toEqual([]);
  });

  it('follow/take-over sends after a refresh if the terminal ended a moment ago', async () => {
    const { page, write } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    const again = await refresh(undefined, 60_000);
    expect(again.sends()).toEqual([{ type: 'session:send', turnId: idOf(1), content: 'Hello' }]);
  });

  it('follow/take-over gives an old message back instead of sending it when its session is looked at again', async () => {
    const { page, write } = await startHeld();
    page.button('Take over when it ends').click();
    write('Hello');
    const again = await refresh(undefined, 11 * 60_000);
    expect(again.sends()).toEqual([]);
    expect(again.page.field().value).toBe('Hello');
    expect(again.page.text('[role="alert"]')).toMatch(/^The other program has ended\. This message was not sent/);
  });
});

describe('a message that the server refuses', () => {
  async function refuse(code: 'SESSION_IN_USE' | 'SESSION_CHANGED', details?: Record<string, unknown>) {
    const page = startPage();
    page.open([userMessage('t1:user', 'Go')], [turn('t1')]);
    page.type('Hello');
    page.press('Enter');
    const error = { code, message: 'Refused.', ...(details && { details }) };
    page.tell({ type: 'session:send-failed', turnId: idOf(1), error });
    await page.loaded();
    return page;
  }

  it('follow/held because a terminal has just opened the session shows the same bar and keeps the text', async () => {
    const page = await refuse('SESSION_IN_USE', { heldBy });
    expect(page.isVisible('.holder-buttons')).toBe(true);
    expect(page.field().value).toBe('Hello');
    expect(page.text('[role="alert"]')).toBe('Refused.');
    expect(page.rows()).toHaveLength(1);
  });

  it('follow/held with details that are not understood keeps the text and says why', async () => {
    const page = await refuse('SESSION_IN_USE', { heldBy: 7 });
    expect(page.isVisible('.holder')).toBe(false);
    expect(page.field().value).toBe('Hello');
  });

  it('follow/two-writers because the conversation has changed keeps the text and says what happened', async () => {
    const page = await refuse('SESSION_CHANGED');
    expect(page.field().value).toBe('Hello');
    expect(page.text('[role="alert"]')).toBe('Refused.');
  });
});

describe('Fork here', () => {
  it('follow/fork asks for a copy once, and says if that failed', async () => {
    const { page, problem } = await startHeld();
    const fork = page.button('Fork here');
    fork.click();
    fork.click();
    expect(page.said.filter(({ type }) => type === 'session:fork')).toEqual([{ type: 'session:fork' }]);
    expect(fork.textContent).toBe('Forking…');
    page.tell({ type: 'session:fork-failed', error: { code: 'FORK_UNSUPPORTED', message: 'It cannot.' } });
    expect(problem()).toBe('It cannot.');
    expect(fork.textContent).toBe('Fork here');
  });

  it('follow/fork can be used again when the user is back from the new session', async () => {
    const { page } = await startHeld();
    page.button('Fork here').click();
    page.tell({ type: 'portlet:shown' });
    page.button('Fork here').click();
    expect(page.said.filter(({ type }) => type === 'session:fork')).toHaveLength(2);
  });
});
