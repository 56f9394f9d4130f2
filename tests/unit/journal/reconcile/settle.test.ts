import { expect, it } from 'vitest';
import { settle } from '../../../../server/journal/reconcile/settle.ts';
import { at, call, conversation, say, summary, turn } from './conversation.ts';

const NOW = at(60_000);
const open = { status: 'update' } as const;

it('keep/kill-server ends open items and turns as stopped, with their text', () => {
  const running = { turnId: 'two', status: 'running', startedAt: at(0), receipt: 'taken' } as const;
  const half = say('Half', { ...open, emittedAt: at(900) });
  const entries = [...turn('one', 'a', [say('A')]), ...turn('two', 'b', [half, call('c', undefined, open)])];
  const settled = settle(conversation(entries, [running]), NOW);
  expect(settled.turns).toEqual([
    summary('one'),
    {
      ...running,
      status: 'error',
      errorCode: 'SERVER_STOPPED',
      errorMessage: expect.stringContaining('server stopped'),
      endedAt: at(900),
      receipt: 'uncertain',
    },
  ]);
  expect(settled.entries.slice(0, 3)).toEqual(entries.slice(0, 3));
  expect(settled.entries.slice(3)).toMatchObject([
    { content: 'Half', status: 'error', errorCode: 'SERVER_STOPPED', emittedAt: NOW },
    { callId: 'c', status: 'error', errorCode: 'SERVER_STOPPED' },
  ]);
  expect(settle(settled, at(90_000))).toEqual(settled);
});

it.each([
  ['kept', [], 'kept'],
  ['kept', [say('x')], 'uncertain'],
  ['taken', [], 'uncertain'],
  ['requested', [], 'requested'],
] as const)('keep/exactly-once a message that was %s with the output %j is %s', (receipt, parts, expected) => {
  const running = summary('one', { status: 'running', receipt });
  expect(settle(conversation(turn('one', 'a', parts), [running]), NOW).turns[0]?.receipt).toBe(expected);
});

it('keep/kill-server leaves a text of a cancelled turn as it is, but ends background work', () => {
  const entries = turn('one', 'a', [
    say('Half', open),
    call('c', 'tail', { ...open, background: true }),
    say('step', { ...open, parentItemId: 'one:1:0' }),
  ]);
  const { entries: settled } = settle(conversation(entries, [summary('one', { status: 'cancelled' })]), NOW);
  expect(settled).toMatchObject([
    { content: 'a' },
    { content: 'Half', status: 'complete' },
    { toolOutput: 'tail', status: 'error', errorCode: 'SERVER_STOPPED' },
    { content: 'step', status: 'error', errorCode: 'SERVER_STOPPED' },
  ]);
});
