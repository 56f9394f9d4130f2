import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../../shared/stream-contracts.ts';
import { SESSION_ID, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SENT = idOf(1);
const receipt = (value: Receipt, turnId = SENT) => ({
  type: 'turn_receipt' as const,
  turnId,
  sessionId: SESSION_ID,
  receipt: value,
});

function sendHello() {
  const page = startPage();
  page.open();
  page.type('Hello');
  page.press('Enter');
  page.env.frame();
  const mark = () => {
    const element = page.find('.sent');
    return element.getAttribute('aria-label') ?? element.textContent ?? '';
  };
  return { page, mark };
}

describe('the mark at a message', () => {
  it('keep/receipts says in words how far the message has come, from sending to the request', () => {
    const { page, mark } = sendHello();
    const heard = [mark()];
    page.turn(receipt('kept'));
    heard.push(mark());
    page.tell({ type: 'session:sent', turnId: SENT });
    page.upsert(userMessage(`${SENT}:user`, 'Hello'));
    heard.push(mark());
    page.turn(receipt('taken'));
    heard.push(mark());
    page.turn(receipt('requested'));
    heard.push(mark());
    expect(heard).toEqual([
      'Being sent',
      'Kept on disk, not yet with the agent',
      'Kept on disk, not yet with the agent',
      'Kept on disk and taken by the agent',
      'Kept on disk, taken by the agent, in the request to the model',
    ]);
    expect(document.querySelectorAll('.user')).toHaveLength(1);
    expect(page.find('.sent').title).toBe(heard.at(-1));
    // A sign only, so the message reads as it was typed.
    expect(page.text('.user')).toBe('Hello');
  });

  it('keep/receipts shows a receipt that came before its message, in every window', () => {
    const page = startPage();
    page.open();
    page.turn(receipt('taken', 't1'));
    page.upsert(userMessage('t1:user', 'From another window'));
    expect(page.find('.sent').getAttribute('aria-label')).toBe('Kept on disk and taken by the agent');
  });

  it.each([
    ['uncertain', 'error', 'Not certain whether the agent got this'],
    ['uncertain', 'completed', 'Not certain whether the agent got this'],
    ['kept', 'error', 'The agent did not get this'],
  ] as const)('keep/receipts shows a message that is %s after a turn that is %s in words', (value, status, words) => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hello')], [turn('t1', { status, receipt: value })]);
    expect(page.text('.sent')).toBe(words);
    expect(page.find('.sent').hasAttribute('aria-label')).toBe(false);
  });

  it.each(['kept', 'taken', 'requested'] as const)('keep/receipts is the same after a refresh: %s', (value) => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hello')], [turn('t1', { status: 'running', receipt: value })]);
    expect(page.find('.sent').dataset.state).toBe(value);
    expect(page.text('.user')).toBe('Hello');
  });

  it('keep/receipts is absent where nothing is known', () => {
    const page = startPage();
    page.open([userMessage('t1:user', 'Hello')], [turn('t1')]);
    expect(page.find('.sent').hidden).toBe(true);
  });
});
