import { describe, expect, it } from 'vitest';
import { createReplay, timeOfId } from '../../../../server/providers/acp/translate/replay.ts';
import type { SessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import { CODEX_DIALECT, COMMON_DIALECT, chunk, thought, tool, toolUpdate } from './session-rig.ts';

const user = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'user_message_chunk',
  content: text,
  messageId,
});

function history(updates: readonly SessionUpdate[], dialect = CODEX_DIALECT) {
  const replay = createReplay({
    sessionId: 'codex:s1',
    providerId: 'codex',
    nativeId: 's1',
    dialect,
    now: '2026-01-01T00:00:00.000Z',
  });
  for (const update of updates) replay.add(update);
  return replay.history();
}

const screen = async (updates: readonly SessionUpdate[], dialect = CODEX_DIALECT) =>
  (await history(updates, dialect)).map((item) => [
    item.itemId,
    item.status,
    item.type === 'tool_call' ? item.toolOutput : item.content,
  ]);

describe('a replay', () => {
  it('begins a turn with each message of the user', async () => {
    expect(await screen([user('one', 'u1'), chunk('first', 'm1'), user('two', 'u2'), chunk('second', 'm2')])).toEqual([
      ['s1:t1:user', 'complete', 'one'],
      ['s1:t1:0:0', 'complete', 'first'],
      ['s1:t2:user', 'complete', 'two'],
      ['s1:t2:0:0', 'complete', 'second'],
    ]);
  });

  it('joins the parts of one message and keeps consecutive messages apart', async () => {
    expect(await screen([user('look at', 'u1'), user('[a](file:///a)', 'u1'), user('and', 'u2')])).toEqual([
      ['s1:t1:user', 'complete', 'look at\n[a](file:///a)'],
      ['s1:t2:user', 'complete', 'and'],
    ]);
  });

  it('shows repeated messages once', async () => {
    const once = [user('one', 'u1'), thought('hm', 'r1'), chunk('first', 'm1'), tool('c1', { status: 'completed' })];
    expect(await screen([...once, ...once])).toEqual(await screen(once));
  });

  it('keeps repeated chunks of messages that are not replayed whole', async () => {
    expect(await screen([user('go'), chunk('ha '), chunk('ha ')], COMMON_DIALECT)).toEqual([
      ['s1:t1:user', 'complete', 'go'],
      ['s1:t1:0:0', 'complete', 'ha ha '],
    ]);
  });

  it('completes calls that are reported as completed, with output that follows later', async () => {
    const updates = [
      user('go', 'u1'),
      tool('c1', { status: 'completed' }),
      toolUpdate('c1', { rawOutput: { exit_code: 0 }, _meta: { terminal_output_delta: { data: 'listing\n' } } }),
      tool('c2', { status: 'failed' }),
    ];
    expect((await history(updates)).slice(1)).toMatchObject([
      { callId: 'c1', status: 'complete', toolOutput: 'listing\n', exitCode: 0, toolOutputIsError: false },
      { callId: 'c2', status: 'complete', toolOutput: '', toolOutputIsError: true },
    ]);
  });

  it('ends a call without a result as an error', async () => {
    expect((await history([user('go', 'u1'), tool('c1')]))[1]).toMatchObject({
      status: 'error',
      errorCode: 'CANCELLED',
    });
  });

  it('puts a blank line between the parts of a thought', async () => {
    expect((await screen([user('go', 'u1'), thought('one', 'r1'), thought('two', 'r1')]))[1]).toEqual([
      's1:t1:0:0',
      'complete',
      'one\n\ntwo',
    ]);
  });

  it('leaves out notices and changes of state', async () => {
    const notice: SessionUpdate = { sessionUpdate: 'notice', severity: 'warning', title: 'No sandbox' };
    const state: SessionUpdate = { sessionUpdate: 'session_info_update' };
    expect(await screen([state, user('go', 'u1'), notice, chunk('done', 'm1'), state])).toHaveLength(2);
    expect(await screen([state, notice])).toEqual([]);
  });

  it('shows what comes before the first message of the user', async () => {
    expect(await screen([chunk('Welcome', 'm1'), user('hi', 'u1')])).toEqual([
      ['s1:t1:0:0', 'complete', 'Welcome'],
      ['s1:t2:user', 'complete', 'hi'],
    ]);
  });

  it('takes its times from the ids of the messages', async () => {
    const id = '01a1e063-a804-7bd0-a5bc-8aa6289f88d1';
    const items = await history([user('go', id), chunk('done', 'm1'), user('again', 'u2')]);
    expect(items.map(({ sourceTimestamp }) => sourceTimestamp)).toEqual(Array(3).fill(timeOfId(id)));
    expect(timeOfId(id)).toBe(new Date(0x01a1e063a804).toISOString());
    expect((await history([user('go', 'u1')]))[0]?.sourceTimestamp).toBe('2026-01-01T00:00:00.000Z');
  });

  it('handles a hundred thousand chunks in one turn', async () => {
    const pieces = Array.from({ length: 100_000 }, () => chunk('x'));
    expect((await screen([user('go'), ...pieces], COMMON_DIALECT))[1]?.[2]).toHaveLength(100_000);
  });
});
