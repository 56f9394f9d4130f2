import { describe, expect, it } from 'vitest';
import { SESSION_ID, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SENT = idOf(1);

const failure = { code: 'AGENT_UNAVAILABLE', message: 'Claude Code is not installed.' } as const;

describe('the message field', () => {
  it('safe/no-process asks to start the agent at the first keystroke, not before and not at every one', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Earlier')]);
    page.tell({ type: 'portlet:shown' }, { type: 'portlet:focus' });
    expect(page.warmUps()).toBe(0);
    for (const text of ['H', 'He', 'Hel']) page.type(text);
    expect(page.warmUps()).toBe(1);
    page.env.pass(60_000);
    page.type('Hell');
    expect(page.warmUps()).toBe(2);
  });

  it('mvp/TC-3.5a exists with its button and sends on Enter', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    expect(page.button('Send').disabled).toBe(false);
    page.press('Enter');
    expect(page.said).toEqual([{ type: 'session:send', turnId: SENT, content: 'Hello' }]);
    expect(page.field().value).toBe('');
  });

  it('mvp/TC-3.1b does not send an empty message', () => {
    const page = startPage();
    page.open();
    for (const text of ['', '   ', '\n\n']) {
      page.type(text);
      expect(page.button('Send').disabled).toBe(true);
      page.press('Enter');
    }
    expect(page.said).toEqual([]);
  });

  it('mvp/TC-3.5b sends nothing while a turn is running, shows that the agent works, and accepts text', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.type('The next one');
    expect(page.button('Send').disabled).toBe(true);
    expect(page.field().disabled).toBe(false);
    page.press('Enter');
    expect(page.said).toEqual([]);
    expect(page.field().value).toBe('The next one');
    page.env.pass(12_000);
    expect(page.text('.working')).toBe('Claude Code · working 12 s');
  });

  it('mvp/TC-3.7a offers to cancel while a turn is running', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    expect(page.button('Cancel').hidden).toBe(false);
  });

  it('mvp/TC-3.7c does not offer to cancel if no turn is running', () => {
    const page = startPage();
    page.open();
    expect(page.button('Cancel').hidden).toBe(true);
  });

  it('starts a new line on Shift+Enter', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    expect(page.press('Enter', { shiftKey: true })).toBe(true);
    expect(page.said).toEqual([]);
  });

  it('leaves Enter to an input method that is composing', () => {
    const page = startPage();
    page.open();
    page.type('にほ');
    expect(page.press('Enter', { isComposing: true })).toBe(true);
    expect(page.press('Enter', { keyCode: 229 })).toBe(true);
    expect(page.said).toEqual([]);
  });

  it('keeps a message that is too long, with the reason', () => {
    const page = startPage();
    page.open();
    const text = 'x'.repeat(512 * 1024 + 1);
    page.type(text);
    page.press('Enter');
    expect(page.said).toEqual([]);
    expect(page.field().value).toBe(text);
    expect(page.text('[role="alert"]')).toContain('longer than 524288 characters');
  });

  it('names the keys that currently have an effect', () => {
    const page = startPage();
    const keys = () =>
      [...page.find('.keys').querySelectorAll<HTMLElement>(':scope > :not([hidden])')].map((it) => it.textContent);
    page.open();
    expect(keys()).toEqual(['Enter sends, Shift+Enter new line']);
    page.start('t1');
    expect(keys()).toEqual(['Esc cancels']);
    page.button('Cancel').click();
    expect(keys()).toEqual([]);
  });

  it('shows how long the agent has been quiet', () => {
    const page = startPage();
    page.open();
    page.start('t1');
    page.env.pass(40_000);
    expect(page.text('.working')).toBe('Claude Code · working 40 s, quiet for 40 s');
    page.upsert(userMessage('t1:user', 'x'));
    page.env.pass(5_000);
    expect(page.text('.working')).toBe('Claude Code · working 45 s');
  });
});

describe('a draft', () => {
  it('survives a refresh', () => {
    const first = startPage();
    first.open();
    first.type('Half a thought');
    document.body.replaceChildren();
    const second = startPage();
    expect(second.field().value).toBe('Half a thought');
    expect(second.button('Send').disabled).toBe(false);
  });

  it('belongs to its session', () => {
    const page = startPage();
    page.type('Mine');
    expect(localStorage.getItem(`liminal:draft:${SESSION_ID}`)).toBe('Mine');
  });

  it('is kept until the server has accepted the message', () => {
    const page = startPage();
    page.open();
    page.type('Important');
    page.press('Enter');
    const stored = () => Object.values({ ...localStorage }).filter((value) => value.includes('Important'));
    expect(stored()).toHaveLength(1);
    page.tell({ type: 'session:sent', turnId: SENT });
    expect(stored()).toHaveLength(0);
  });
});

describe('a message that could not be sent', () => {
  it('returns to the field with the reason', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell({ type: 'session:send-failed', turnId: SENT, error: failure });
    expect(page.field().value).toBe('Hello');
    expect(page.text('[role="alert"]')).toBe('Claude Code is not installed.');
    expect(page.rows()).toHaveLength(0);
    expect(page.button('Send').disabled).toBe(false);
  });

  it('is put before what was typed in the meantime', () => {
    const page = startPage();
    page.open();
    page.type('First');
    page.press('Enter');
    page.type('Second');
    page.tell({ type: 'session:send-failed', turnId: SENT, error: failure });
    expect(page.field().value).toBe('First\n\nSecond');
  });

  it('shows its reason until the user types', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    page.tell({ type: 'session:send-failed', turnId: SENT, error: failure });
    page.type('Hello!');
    expect(page.isVisible('[role="alert"]')).toBe(false);
  });
});
