import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../../server/journal/reconcile/reconcile.ts';
import { at, call, conversation, note, retried, say, shown, stopped, summary, think, turn } from './conversation.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';
const THREE = '33333333-3333-4333-8333-333333333333';
const counted = (number: number) => `native:t${number}`;

describe('turns', () => {
  it('keep/reconcile leaves a conversation that both have as it was shown', () => {
    const kept = conversation([...turn(ONE, 'hello', [think('hm'), call('c1', 'out'), say('Hi.')])]);
    const replayed = turn(counted(1), 'hello', [think('hm'), call('c1', 'other'), say('Hi.')], at(999_999));
    expect(reconcile(kept, turn(ONE, 'hello', [think('hm'), call('c1', 'out'), say('Hi.')]))).toEqual(kept);
    expect(reconcile(kept, replayed)).toEqual(kept);
  });

  it('keep/foreign-turn puts turns of a terminal between their neighbours', () => {
    const kept = conversation([...turn(ONE, 'first', [say('1')]), ...turn(THREE, 'third', [say('3')])]);
    const native = (ids: readonly string[]) => [
      ...turn(ids[0] ?? '', 'first', [say('1')]),
      ...turn(ids[1] ?? '', 'second', [say('2')]),
      ...turn(ids[2] ?? '', 'third', [say('3')]),
      ...turn(ids[3] ?? '', 'last', [say('4')]),
    ];
    for (const ids of [[ONE, TWO, THREE, 'four'], [1, 2, 3, 4].map(counted)]) {
      const merged = reconcile(kept, native(ids));
      expect(shown(merged)).toEqual(['first', '1', 'second', '2', 'third', '3', 'last', '4']);
      expect(merged.entries.map(({ turnId }) => turnId)).toEqual([
        ONE,
        ONE,
        ids[1],
        ids[1],
        THREE,
        THREE,
        ids[3],
        ids[3],
      ]);
      expect(merged.turns).toEqual(kept.turns);
    }
  });

  it('keep/foreign-turn comes after what only the journal has of the turn before, and in the order of times', () => {
    const kept = conversation([
      ...turn(ONE, 'first', [say('half', stopped)], at(0)),
      ...turn(TWO, 'never sent', [], at(1_000)),
      ...turn(THREE, 'never sent either', [], at(3_000)),
    ]);
    const native = [...turn(ONE, 'first'), ...turn('foreign', 'from a terminal', [say('yes')], at(2_000))];
    expect(shown(reconcile(kept, native))).toEqual([
      'first',
      'half (not in context)',
      'never sent (not in context)',
      'from a terminal',
      'yes',
      'never sent either (not in context)',
    ]);
  });

  it('keep/reconcile gives a turn that was sent again its own answer', () => {
    const kept = conversation([...turn(ONE, 'go'), ...turn(TWO, 'go', [say('Gone.')])]);
    expect(shown(reconcile(kept, turn(counted(1), 'go', [say('Gone.')])))).toEqual([
      'go (not in context)',
      'go',
      'Gone.',
    ]);
    const unanswered = conversation([...turn(ONE, 'go', [], at(0)), ...turn(TWO, 'go', [], at(9_000))]);
    expect(shown(reconcile(unanswered, turn(counted(1), 'go', [], at(9_050))))).toEqual(['go (not in context)', 'go']);
  });

  it('keep/reconcile does not take a message that the agent had earlier for one that was sent later', () => {
    const kept = conversation(turn(ONE, 'go', [], at(9_000)));
    const native = [...turn(counted(1), 'go', [say('Before.')], at(0)), ...turn(counted(2), 'other', [], at(1_000))];
    expect(shown(reconcile(kept, native))).toEqual(['go', 'Before.', 'other', 'go (not in context)']);
    const answered = conversation(turn(ONE, 'go', [say('Before.')], at(9_000)));
    expect(shown(reconcile(answered, native)).slice(-2)).toEqual(['go (not in context)', 'Before. (not in context)']);
  });

  it('keep/reconcile does not take a counted id for the same turn', () => {
    const before = reconcile(conversation([]), [
      ...turn(counted(1), 'a', [say('1')]),
      ...turn(counted(2), 'b', [say('2')]),
    ]);
    const rewound = [...turn(counted(1), 'a', [say('1')]), ...turn(counted(2), 'c', [say('3')])];
    const merged = reconcile(before, rewound);
    expect(shown(merged)).toEqual(['a', '1', 'b (not in context)', '2 (not in context)', 'c', '3']);
    expect(merged.entries.at(-1)?.turnId).toBe('native:t2~2');
    expect(reconcile(merged, rewound)).toEqual(merged);
  });

  it('keep/reconcile never matches turns with other ids of their own', () => {
    const kept = conversation(turn(ONE, 'same words'));
    expect(shown(reconcile(kept, turn(TWO, 'same words', [say('yes')])))).toEqual([
      'same words (not in context)',
      'same words',
      'yes',
    ]);
  });
});

describe('items', () => {
  it('keep/reconcile takes what was cut short from the transcript, with the ids of the journal', () => {
    const kept = conversation(
      turn(ONE, 'go', [think('deep', { status: 'update' }), say('Once upon', stopped), call('c1', undefined, stopped)]),
    );
    const native = turn(counted(1), 'go', [
      think('deeper'),
      say('Once upon a time.'),
      call('c1', 'done'),
      say('The end.'),
    ]);
    const { entries } = reconcile(kept, native, { calls: true });
    expect(entries.map(({ itemId }) => itemId)).toEqual(
      ['user', '0:0', '1:0', '2:0', '3:0'].map((id) => `${ONE}:${id}`),
    );
    expect(entries).toMatchObject([
      { content: 'go' },
      { content: 'deeper', status: 'complete' },
      { content: 'Once upon a time.', status: 'complete', turnId: ONE },
      { toolOutput: 'done', status: 'complete' },
      { content: 'The end.', turnId: ONE },
    ]);
    expect(JSON.stringify(entries)).not.toContain('SERVER_STOPPED');
  });

  it('keep/reconcile keeps a finished text as it was shown unless the transcript goes on after it', () => {
    const kept = conversation(turn(ONE, 'go', [say('See [a](b).'), call('c', 'x'), say('Half')]));
    const native = turn(ONE, 'go', [say('See a.'), call('c', 'y'), say('Half and more')]);
    expect(reconcile(kept, native).entries).toMatchObject([
      { content: 'go' },
      { content: 'See [a](b).' },
      { toolOutput: 'x' },
      { content: 'Half and more' },
    ]);
  });

  it('keep/not-in-context marks what only the journal has, but no notices and no steps of sub-agents', () => {
    const kept = conversation(
      turn(ONE, 'go', [
        say('Half', retried),
        note('Trying again.'),
        say('Half and whole.'),
        call('agent', 'report'),
        say('a step', { parentItemId: `${ONE}:3:0` }),
        think('lost', stopped),
        call('lost', undefined, stopped),
      ]),
    );
    const native = turn(ONE, 'go', [say('Half and whole.'), call('agent', 'report')]);
    expect(shown(reconcile(kept, native))).toEqual([
      'go',
      'Half (not in context)',
      'Trying again.',
      'Half and whole.',
      'call agent',
      'a step',
      'lost (not in context)',
      'call lost (not in context)',
    ]);
  });

  it('keep/not-in-context marks nothing that an agent does not store although the model has it', () => {
    const kept = conversation([
      ...turn(ONE, 'go', [think('hm'), call('lost'), say('Half', stopped)]),
      ...turn(TWO, 'x', [call('c')]),
    ]);
    const native = turn(counted(1), 'go');
    expect(shown(reconcile(kept, native, { calls: true, thinking: true }))).toEqual([
      'go',
      'hm',
      'call lost',
      'Half (not in context)',
      'x (not in context)',
      'call c (not in context)',
    ]);
  });

  it('keep/not-in-context knows a call that the transcript has in another turn', () => {
    const kept = conversation([
      ...turn(ONE, 'and', [say('a')]),
      ...turn(TWO, '/compact', [call('compaction', '')]),
      ...turn(THREE, 'and', [call('late', '', { status: 'error', errorCode: 'CANCELLED' })]),
      ...turn('four', 'more', [call('late', 'out')]),
    ]);
    const native = [
      ...turn(counted(1), 'and', [say('a'), call('compaction', '')]),
      ...turn(counted(2), 'and'),
      ...turn(counted(3), 'more', [call('late', 'out')]),
    ];
    expect(reconcile(kept, native)).toEqual(kept);
  });

  it('keep/not-in-context takes the mark away when the transcript has the item after all', () => {
    const kept = conversation(turn(ONE, 'go', [say('Yes.')]));
    const marked = reconcile(kept, []);
    expect(shown(marked)).toEqual(['go (not in context)', 'Yes. (not in context)']);
    expect(reconcile(marked, kept.entries)).toEqual(kept);
  });

  it('keep/reconcile adds no notice about the end of a turn whose end the journal has', () => {
    const failed = summary(ONE, { status: 'error', errorCode: 'MODEL_ERROR', errorMessage: 'refused' });
    const native = turn(ONE, 'go', [note('API Error: refused')]);
    expect(shown(reconcile(conversation(turn(ONE, 'go'), [failed]), native))).toEqual(['go']);
    expect(shown(reconcile({ entries: turn(ONE, 'go'), turns: [] }, native))).toEqual(['go', 'API Error: refused']);
  });

  it('keep/reconcile keeps steps under their call', () => {
    const kept = conversation(
      turn(ONE, 'go', [call('agent', undefined, stopped), say('step 1', { parentItemId: `${ONE}:0:0` })]),
    );
    const native = turn(counted(1), 'go', [
      call('agent', 'done'),
      say('step 1', { parentItemId: `${counted(1)}:0:0` }),
      say('step 2', { parentItemId: `${counted(1)}:0:0` }),
      say('Over.'),
    ]);
    const { entries } = reconcile(kept, native);
    expect(entries.map(({ parentItemId }) => parentItemId)).toEqual([
      undefined,
      undefined,
      `${ONE}:0:0`,
      `${ONE}:0:0`,
      undefined,
    ]);
  });

  it('keep/reconcile keeps the order within a turn where a message of another turn was shown late', () => {
    const [user, tool, over, extra] = turn(ONE, 'go', [call('c', 'out'), say('Over.'), say('Extra.')]);
    const late = turn(TWO, 'joined');
    const items = [user, tool, over, extra].flatMap((item) => item ?? []);
    const kept = conversation([...items.slice(0, 3), ...late]);
    const native = [...items.slice(0, 2), ...late, ...items.slice(3), ...items.slice(2, 3)];
    expect(shown(reconcile(kept, native))).toEqual(['go', 'call c', 'Extra.', 'Over.', 'joined']);
  });

  it('keep/reconcile gives no id twice', () => {
    const kept = conversation(turn(ONE, 'go', [say('Half', retried), note('again')]));
    const { entries } = reconcile(kept, turn(counted(1), 'go', [say('Half and whole.'), say('More.')]));
    expect(entries.map(({ itemId }) => itemId)).toEqual([
      `${ONE}:user`,
      `${ONE}:0:0`,
      `${ONE}:1:0`,
      `${ONE}:0:0~2`,
      `${ONE}:1:0~2`,
    ]);
  });
});

describe('receipts', () => {
  const uncertain = { status: 'error', errorCode: 'SERVER_STOPPED', receipt: 'uncertain' } as const;
  const receipts = (entries: ReturnType<typeof turn>, native: ReturnType<typeof turn>, more: object = uncertain) =>
    reconcile(conversation(entries, [summary(ONE, more), summary(TWO, more)]), native).turns.map(
      ({ receipt }) => receipt,
    );

  it.each([
    ['was answered', turn(ONE, 'go', [say('Yes.')]), 'requested'],
    ['is followed by an answer', [...turn(ONE, 'go'), ...turn('other', 'more', [say('Yes.')])], 'requested'],
    ['has no answer', turn(ONE, 'go'), 'taken'],
    ['is missing', [], 'kept'],
  ])('keep/exactly-once a message that %s in the transcript has the receipt for it', (_name, native, receipt) => {
    expect(receipts(turn(ONE, 'go'), native)).toEqual([receipt]);
    expect(receipts(turn(ONE, 'go'), native, { receipt: 'kept' })).toEqual([receipt]);
    expect(receipts(turn(ONE, 'go'), native, { receipt: 'requested' })).toEqual(['requested']);
  });

  it('keep/exactly-once knows messages that the agent stored as one', () => {
    const entries = [...turn(ONE, 'first'), ...turn(TWO, 'second', [say('Both.')])];
    const native = turn(TWO, 'first\nsecond', [say('Both.')]);
    expect(receipts(entries, native)).toEqual(['requested', 'requested']);
    expect(shown(reconcile(conversation(entries), native))).toEqual(['first', 'second', 'Both.']);
  });

  it('keep/exactly-once changes nothing about a command that the agent carried out itself', () => {
    const kept = conversation(turn(ONE, '/compact'), [summary(ONE, { receipt: 'taken' })]);
    expect(reconcile(kept, [])).toEqual(kept);
  });
});
