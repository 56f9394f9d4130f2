import { describe, expect, it } from 'vitest';
import {
  COMMON_DIALECT,
  chunk,
  createSessionRig,
  type SessionRig,
  settled,
  threadStatus,
  tool,
  toolUpdate,
} from './session-rig.ts';

const endTurn = { stopReason: 'end_turn' };

describe('the messages of a session', () => {
  it('are shown at once and sent one at a time', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    rig.send('t2', 'second');
    expect(rig.screen()).toEqual([
      ['t1:user', 'user', 'complete', 'first'],
      ['t2:user', 'user', 'complete', 'second'],
    ]);
    expect(rig.prompts.map(({ content }) => content)).toEqual(['first']);
    expect(rig.turns.map(({ type, turnId }) => [type, turnId])).toEqual([['turn_started', 't1']]);
    await rig.prompt(0).answer(endTurn);
    expect(rig.prompts.map(({ content }) => content)).toEqual(['first', 'second']);
    expect(rig.turns.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn_started', 't1'],
      ['turn_complete', 't1'],
      ['turn_started', 't2'],
    ]);
  });

  it('belong to the turn in which they were reported', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    rig.send('t2', 'second');
    rig.receive(chunk('for the first', 'm1'));
    await rig.prompt(0).answer(endTurn);
    rig.receive(chunk('for the second', 'm2'));
    await rig.prompt(1).answer(endTurn);
    expect(rig.screen()).toEqual([
      ['t1:user', 'user', 'complete', 'first'],
      ['t2:user', 'user', 'complete', 'second'],
      ['t1:0:0', 'agent', 'complete', 'for the first'],
      ['t2:0:0', 'agent', 'complete', 'for the second'],
    ]);
  });

  it.for(['max_tokens', 'max_turn_requests', 'refusal'])(
    'complete their turn also with the stop reason %s',
    async (stopReason) => {
      const rig = await createSessionRig();
      rig.send('t1', 'go');
      await rig.prompt(0).answer({ stopReason });
      expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'completed', stopReason });
    },
  );

  it('name the model that the agent reported last', async () => {
    const rig = await createSessionRig();
    rig.receive({
      sessionUpdate: 'config_option_update',
      configOptions: [
        { category: 'mode', currentValue: 'x' },
        { category: 'model', currentValue: 'model-2' },
      ],
    });
    rig.send('t1', 'go');
    expect(rig.turns[0]).toMatchObject({ type: 'turn_started', modelId: 'model-2' });
  });
});

describe('cancelling a session', () => {
  it('does nothing when nothing runs', async () => {
    const rig = await createSessionRig();
    await rig.cancel();
    expect([rig.cancels(), rig.turns]).toEqual([0, []]);
  });

  it('ends the running turn when the agent answers, and queued turns without sending them', async () => {
    const rig = await createSessionRig();
    const before = rig.clock.pending;
    rig.send('t1', 'first');
    rig.send('t2', 'second');
    const cancelled = rig.cancel();
    expect(rig.turns.at(-1)).toMatchObject({ turnId: 't2', type: 'turn_complete', status: 'cancelled' });
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    await cancelled;
    expect(rig.turns.at(-1)).toMatchObject({ turnId: 't1', type: 'turn_complete', status: 'cancelled' });
    expect([rig.cancels(), rig.prompts.length, rig.clock.pending]).toEqual([1, 1, before]);
  });

  it.for([
    ['end_turn', (rig: SessionRig) => rig.prompt(0).answer(endTurn)],
    ['an error', (rig: SessionRig) => rig.prompt(0).refuse(new Error('aborted'))],
  ] as const)('ends the turn as cancelled even if the agent answers with %s', async ([, answer]) => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    void rig.cancel();
    await answer(rig);
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });

  it('sends messages that came meanwhile when the cancelled turn has ended', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    void rig.cancel();
    rig.send('t2', 'second');
    expect(rig.prompts).toHaveLength(1);
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    expect(rig.prompts[1]?.content).toBe('second');
  });

  it('ends a turn that the agent does not end after five seconds, and ignores what it still reports', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    rig.receive(tool('c1'));
    const cancelled = rig.cancel();
    rig.clock.advance(4_999);
    expect(rig.turns).toHaveLength(1);
    rig.clock.advance(1);
    await cancelled;
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    const shown = rig.upserts.length;
    rig.receive(chunk('still writing', 'm1'));
    rig.receive(toolUpdate('c1', { status: 'completed' }));
    expect(await rig.ask()).toBeUndefined();
    await rig.prompt(0).answer(endTurn);
    expect([rig.upserts.length, rig.turns.length]).toEqual([shown, 2]);
  });

  it('sends messages that came meanwhile also when the agent does not end the cancelled turn', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    const cancelled = rig.cancel();
    rig.send('t2', 'second');
    rig.clock.advance(5_000);
    await cancelled;
    expect(rig.turns).toMatchObject([
      { type: 'turn_started', turnId: 't1' },
      { type: 'turn_complete', turnId: 't1', status: 'cancelled' },
      { type: 'turn_started', turnId: 't2' },
    ]);
    expect(rig.prompts.map(({ content }) => content)).toEqual(['first', 'second']);
    await rig.prompt(1).answer(endTurn);
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', turnId: 't2', status: 'completed' });
  });

  it('can be requested twice', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    const both = Promise.all([rig.cancel(), rig.cancel()]);
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    await both;
    expect(rig.cancels()).toBe(1);
  });
});

describe('a silent agent', () => {
  it('is cancelled after the timeout, and its turn fails', async () => {
    const rig = await createSessionRig(undefined, 60_000);
    rig.send('t1', 'first');
    rig.clock.advance(59_000);
    rig.receive(chunk('a word', 'm1'));
    rig.clock.advance(59_999);
    expect(rig.turns).toHaveLength(1);
    rig.clock.advance(1);
    expect(rig.turns.at(-1)).toMatchObject({
      type: 'turn_error',
      errorCode: 'TURN_TIMEOUT',
      errorMessage: 'Codex was silent for 60 s and the turn was given up. Try again.',
    });
    expect(rig.cancels()).toBe(1);
    await rig.prompt(0).answer(endTurn);
    expect(rig.turns).toHaveLength(2);
  });

  it('is not cancelled while a tool runs', async () => {
    const rig = await createSessionRig(undefined, 60_000);
    rig.send('t1', 'first');
    rig.receive(tool('c1'));
    rig.clock.advance(3_600_000);
    expect(rig.turns).toHaveLength(1);
    rig.receive(toolUpdate('c1', { status: 'completed' }));
    rig.clock.advance(120_000);
    expect(rig.turns.at(-1)).toMatchObject({ errorCode: 'TURN_TIMEOUT' });
  });

  it('is not cancelled while it waits for a permission', async () => {
    const rig = await createSessionRig(undefined, 60_000);
    rig.send('t1', 'first');
    const asked = rig.ask();
    rig.clock.advance(3_600_000);
    expect(rig.turns).toHaveLength(1);
    rig.decide({ allow: true });
    expect(await asked).toEqual({ allow: true });
  });

  it('leaves no timer behind when the turn has ended', async () => {
    const rig = await createSessionRig();
    const before = rig.clock.pending;
    rig.send('t1', 'first');
    expect(rig.clock.pending).toBeGreaterThan(before);
    await rig.prompt(0).answer(endTurn);
    expect(rig.clock.pending).toBe(before);
  });
});

describe('an agent whose process has exited', () => {
  it('fails the running and the queued turns, and the unfinished message', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    rig.send('t2', 'second');
    rig.receive(chunk('half a ', 'm1'));
    await rig.end({ code: 'PROCESS_CRASH', message: 'gone' });
    expect(rig.turns.slice(1)).toMatchObject([
      { type: 'turn_error', turnId: 't1', errorCode: 'PROCESS_CRASH', errorMessage: 'gone' },
      { type: 'turn_started', turnId: 't2' },
      { type: 'turn_error', turnId: 't2', errorCode: 'PROCESS_CRASH', errorMessage: 'gone' },
    ]);
    expect(rig.screen().at(-1)).toEqual(['t1:0:0', 'agent', 'error', 'half a ']);
    expect([rig.isAlive(), rig.prompts.length]).toEqual([false, 1]);
  });

  it('ends a turn once, although its prompt is rejected as well', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'first');
    await rig.end({ code: 'PROCESS_CRASH', message: 'gone' });
    await rig.prompt(0).refuse(new Error('ACP connection closed'));
    expect(rig.turns.filter(({ type }) => type !== 'turn_started')).toHaveLength(1);
  });
});

describe('a model that fails', () => {
  it.for([
    ['before', [threadStatus('systemError'), chunk('{"error":{"message":"no such model"}}\n\n')]],
    ['after', [chunk('{"error":{"message":"no such model"}}\n\n'), threadStatus('systemError')]],
  ] as const)('is the error of the turn and not shown as a notice (the status %s the notice)', async ([, updates]) => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    for (const update of updates) rig.receive(update);
    await rig.prompt(0).answer(endTurn);
    expect(rig.turns.at(-1)).toMatchObject({
      type: 'turn_error',
      errorCode: 'MODEL_ERROR',
      errorMessage: 'no such model',
    });
    expect(rig.screen()).toHaveLength(1);
  });

  it('is reported by its notice when the agent rejects the prompt without a reason', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    rig.receive(chunk('You have reached your usage limit.'));
    await rig.prompt(0).refuse(Object.assign(new Error('Internal error'), { code: -32603 }));
    expect(rig.turns.at(-1)).toMatchObject({
      errorCode: 'MODEL_ERROR',
      errorMessage: 'You have reached your usage limit.',
    });
    expect(rig.screen()).toHaveLength(1);
  });

  it('and recovers does not fail the turn', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    rig.receive(threadStatus('systemError'));
    rig.receive(threadStatus('active'));
    rig.receive(chunk('fine', 'm1'));
    await rig.prompt(0).answer(endTurn);
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('during a cancellation leaves the turn cancelled', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    void rig.cancel();
    rig.receive(threadStatus('systemError'));
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  });
});

describe('notices', () => {
  const notice = {
    sessionUpdate: 'notice',
    severity: 'warning',
    title: 'No sandbox',
    description: 'Install one.',
  } as const;

  it('are shown as messages of the system', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    rig.receive(chunk('before ', 'm1'));
    rig.receive(notice);
    rig.receive(chunk('Context compacted.'));
    rig.receive(chunk('after', 'm1'));
    expect(rig.screen().slice(1)).toEqual([
      ['t1:0:0', 'agent', 'complete', 'before '],
      ['t1:1:0', 'system', 'complete', 'Warning: No sandbox\n\nInstall one.'],
      ['t1:2:0', 'system', 'complete', 'Context compacted.'],
      ['t1:3:0', 'agent', 'create', 'after'],
    ]);
  });

  it('between turns are shown in the next one, and only once', async () => {
    const rig = await createSessionRig();
    rig.receive(notice);
    rig.receive(notice);
    expect(rig.upserts).toEqual([]);
    rig.send('t1', 'go');
    await rig.prompt(0).answer(endTurn);
    rig.receive(notice);
    rig.send('t2', 'go');
    expect(rig.screen().map(([itemId]) => itemId)).toEqual(['t1:user', 't1:0:0', 't2:user']);
  });
});

describe('an agent that works without a prompt', () => {
  it('gets a turn of its own, which ends when the agent reports that it is idle', async () => {
    const rig = await createSessionRig();
    rig.receive(threadStatus('active'));
    rig.receive(chunk('By the way', 'm1'));
    rig.receive(threadStatus('idle'));
    expect(rig.turns).toMatchObject([
      { type: 'turn_started', turnId: 'own-1' },
      { type: 'turn_complete', turnId: 'own-1', status: 'completed' },
    ]);
    expect(rig.screen()).toEqual([['own-1:0:0', 'agent', 'complete', 'By the way']]);
  });

  it('has its turn ended after two quiet seconds when it does not report that', async () => {
    const rig = await createSessionRig(COMMON_DIALECT);
    rig.receive(chunk('late text'));
    rig.clock.advance(2_000);
    expect(rig.turns.at(-1)).toMatchObject({ type: 'turn_complete', turnId: 'own-1' });
  });

  it('has its turn ended by the next message', async () => {
    const rig = await createSessionRig(COMMON_DIALECT);
    rig.receive(chunk('late text'));
    rig.send('t1', 'go');
    expect(rig.turns.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn_started', 'own-1'],
      ['turn_complete', 'own-1'],
      ['turn_started', 't1'],
    ]);
    expect(rig.prompts).toHaveLength(1);
  });

  it('can be cancelled', async () => {
    const rig = await createSessionRig();
    rig.receive(chunk('By the way', 'm1'));
    await rig.cancel();
    expect(rig.turns.at(-1)).toMatchObject({ turnId: 'own-1', status: 'cancelled' });
    rig.receive(chunk(' and so on', 'm1'));
    expect(rig.turns).toHaveLength(2);
  });

  it('may report the end of a completed turn late, which is still shown', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    rig.receive(chunk('almost ', 'm1'));
    await rig.prompt(0).answer(endTurn);
    rig.receive(chunk('everything', 'm1'));
    rig.receive(threadStatus('idle'));
    expect(rig.screen().slice(1)).toEqual([
      ['t1:0:0', 'agent', 'complete', 'almost '],
      ['own-1:0:0', 'agent', 'complete', 'everything'],
    ]);
  });

  it('cannot change a cancelled turn with late reports', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    rig.receive(tool('c1'));
    rig.receive(chunk('half ', 'm1'));
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    const before = rig.upserts.length;
    rig.receive(toolUpdate('c1', { status: 'failed' }));
    rig.receive(chunk('a word', 'm1'));
    rig.receive(toolUpdate('c9', { _meta: { terminal_output_delta: { data: 'x' } } }));
    rig.receive(threadStatus('idle'));
    await settled();
    expect([rig.upserts.length, rig.turns.length]).toEqual([before, 2]);
  });
});

describe('a turn with many calls at the same time', () => {
  async function run(count: number): Promise<number> {
    const rig = await createSessionRig();
    rig.send('t1', 'go');
    const ids = Array.from({ length: count }, (_, index) => `c${index}`);
    const start = performance.now();
    for (const id of ids) rig.receive(tool(id));
    for (const id of ids) rig.receive(toolUpdate(id, { status: 'completed' }));
    await rig.prompt(0).answer(endTurn);
    expect(rig.upserts).toHaveLength(1 + 2 * count);
    return performance.now() - start;
  }

  it('takes time in proportion to their number', { timeout: 60_000 }, async () => {
    // Another program may take the processor away from one measurement, not from all of them.
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const few = [await run(2_000), await run(2_000), await run(2_000), await run(2_000)];
      const average = few.reduce((sum, ms) => sum + ms, 0) / few.length;
      if ((await run(8_000)) < 6 * average) return;
    }
    expect.unreachable('four times as many calls took more than six times as long');
  });
});
