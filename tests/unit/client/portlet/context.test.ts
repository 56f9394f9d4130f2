import { describe, expect, it } from 'vitest';
import { agentMessage, toolCall, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

const outside = { inContext: false } as const;
const LINE = 'The model does not have this part.';

describe('what the model does not have', () => {
  it('keep/not-in-context is marked by one line above each run, whatever ends of turns are between', () => {
    const page = startPage();
    page.open(
      [
        userMessage('t1:user', 'One'),
        agentMessage('t1:0:0', 'Answer'),
        userMessage('t2:user', 'Two', outside),
        agentMessage('t2:0:0', 'Lost', outside),
        toolCall('t3:0:0', 'Bash', { command: 'ls' }, outside),
        userMessage('t4:user', 'Four'),
        agentMessage('t4:0:0', 'Half', outside),
      ],
      ['t1', 't2', 't3', 't4'].map((id) => turn(id)),
    );
    const kinds = page
      .rows()
      .map(({ classList }) =>
        classList.contains('not-in-context') ? 'line' : classList.contains('is-outside') ? 'outside' : classList[1],
      );
    expect(kinds).toEqual([
      ...['user', 'agent', 'turn-end'],
      ...['line', 'outside', 'outside', 'turn-end', 'outside', 'turn-end'],
      ...['user', 'line', 'outside', 'turn-end'],
    ]);
    expect(page.text('.not-in-context > summary')).toBe(LINE);
    expect(page.text('.not-in-context > p')).toContain('the next answer is written without it');
  });

  it('keep/not-in-context appears and disappears live', () => {
    const page = startPage();
    const answer = agentMessage('t1:0:0', 'Half');
    page.open([userMessage('t1:user', 'One'), answer], [turn('t1')]);
    const lines = () => document.querySelectorAll('.not-in-context').length;
    expect(lines()).toBe(0);
    page.upsert({ ...answer, ...outside });
    expect(lines()).toBe(1);
    page.upsert(answer);
    expect(lines()).toBe(0);
    expect(document.querySelectorAll('.is-outside')).toHaveLength(0);
  });
});

describe('a conversation that the agent no longer has', () => {
  const missing = {
    type: 'session:history',
    entries: [userMessage('t1:user', 'Hello')],
    turns: [],
    missing: true,
  } as const;

  it('keep/put-back is explained, put back on request, and then gone on with', () => {
    const page = startPage();
    page.open();
    page.tell({ ...missing, entries: [...missing.entries], turns: [] });
    expect(page.text('.banner-text')).toBe(
      'Claude Code has deleted its transcript of this conversation. It is kept here; put it back to go on with it.',
    );
    expect(page.text('.status-line')).toContain('Claude Code · does not have this conversation');
    page.button('Put back and continue').click();
    expect(page.said).toEqual([{ type: 'session:put-back' }]);
    expect(page.text('.banner-text')).toBe('Putting the conversation back…');
    page.tell({ type: 'session:history', entries: [...missing.entries], turns: [] });
    expect(page.find('.banner').hidden).toBe(true);
  });

  it('keep/put-back is not offered again when there is no copy', () => {
    const page = startPage();
    page.open();
    page.tell({ ...missing, entries: [...missing.entries], turns: [] });
    page.button('Put back and continue').click();
    page.tell({ type: 'session:put-back-failed', error: { code: 'NOT_KEPT', message: 'There is no copy.' } });
    expect(page.text('.banner-text')).toContain('there is no copy to put back');
    expect(page.find('.banner > button').hidden).toBe(true);
  });

  it('keep/put-back shows why it could not be put back', () => {
    const page = startPage();
    page.open();
    page.tell({ ...missing, entries: [...missing.entries], turns: [] });
    page.button('Put back and continue').click();
    page.tell({ type: 'session:put-back-failed', error: { code: 'STORAGE_FAILED', message: 'The disk is full.' } });
    expect(page.text('.banner-text')).toBe('It could not be put back. The disk is full.');
    page.button('Put back and continue').click();
    expect(page.said).toHaveLength(2);
  });

  it('keep/put-back is offered when a message is refused for it, and the message returns to the field', () => {
    const page = startPage();
    page.open();
    page.type('Hello');
    page.press('Enter');
    const sent = page.said[0];
    const turnId = sent?.type === 'session:send' ? sent.turnId : '';
    page.tell({ type: 'session:send-failed', turnId, error: { code: 'TRANSCRIPT_MISSING', message: 'It is gone.' } });
    expect(page.field().value).toBe('Hello');
    expect(page.button('Put back and continue').closest('[hidden]')).toBeNull();
  });
});
