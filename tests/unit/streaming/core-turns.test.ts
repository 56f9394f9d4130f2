import { describe, expect, it } from 'vitest';
import type { StreamAction } from '../../../server/streaming/stream-actions.ts';
import {
  cancelTurn,
  completeTurn,
  createCoreRig,
  failTurn,
  finishCall,
  say,
  startCall,
  startText,
  startTurn,
} from './core-rig.ts';

const userMessage = (turnId = 't'): StreamAction => ({
  do: 'message',
  turnId,
  itemId: `${turnId}:user`,
  origin: 'user',
  content: 'Hello',
});

const CRASH = { code: 'PROCESS_CRASH', message: 'The agent died.' };

describe('a turn', () => {
  it('begins with the message of the user, then starts', () => {
    const { apply, log } = createCoreRig();
    apply(userMessage(), startTurn(), completeTurn());

    expect(log.outline()).toEqual(['message:complete', 'turn_started', 'turn_complete']);
    expect(log.upserts()[0]).toMatchObject({ itemId: 't:user', origin: 'user', content: 'Hello' });
  });

  it.each<[string, StreamAction[]]>([
    ['a notice', [{ do: 'message', turnId: 't', itemId: 'n', origin: 'system', content: 'Retrying' }]],
    ['text', [startText(), say('Hi')]],
    ['a call', [startCall()]],
    ['a result', [finishCall('lost')]],
    ['its end', [completeTurn()]],
    ['its failure', [failTurn()]],
  ])('that was not started explicitly starts before %s', (_, actions) => {
    const { apply, log } = createCoreRig();
    apply(userMessage(), ...actions);
    expect(log.outline().slice(0, 2)).toEqual(['message:complete', 'turn_started']);
    expect(log.turns()[0]).toMatchObject({ modelId: 'unknown', providerId: 'claude-code' });
  });

  it('starts once', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startTurn(), startText(), say('x'), startTurn());
    expect(log.turns()).toHaveLength(1);
  });

  it('without a model uses the last known one', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn('a', 'opus'), completeTurn('a'), { do: 'turn_start', turnId: 'b' }, completeTurn('c'));
    expect(log.turns().map((event) => ('modelId' in event ? event.modelId : event.type))).toEqual([
      'opus',
      'turn_complete',
      'opus',
      'opus',
      'turn_complete',
    ]);
  });

  it.each([completeTurn(), cancelTurn(), failTurn()])('ends once, whatever follows: $do $status', (ending) => {
    const { apply, log, core, clock } = createCoreRig();
    apply(startTurn(), startText(), say('one '), say('two'), ending);
    const outputs = log.all.length;
    apply(completeTurn(), cancelTurn(), failTurn(), startTurn(), userMessage(), startText('t:2:0'), say('late'));
    apply(startCall('d', 't:2:1'), { do: 'item_done', itemId: 't:1:0' });
    clock.advance(1000);
    core.destroy(CRASH);

    expect(log.all).toHaveLength(outputs);
    expect(clock.pending).toBe(0);
  });

  it('reports usage and reason', () => {
    const { apply, log } = createCoreRig();
    const usage = { inputTokens: 1, outputTokens: 2 };
    apply({ do: 'turn_done', turnId: 't', status: 'completed', usage, stopReason: 'max_turns' });
    expect(log.turns().at(-1)).toEqual({
      type: 'turn_complete',
      turnId: 't',
      sessionId: 'claude-code:s',
      status: 'completed',
      usage,
      stopReason: 'max_turns',
    });
  });

  it('is open from its first event until its end', () => {
    const { apply, core } = createCoreRig();
    apply(userMessage('a'), startTurn('b'), startText('c:1:0', 'c'));
    expect(core.openTurns()).toEqual(['a', 'b', 'c']);
    apply(completeTurn('b'));
    expect(core.openTurns()).toEqual(['a', 'c']);
  });

  it('is not ended by the end of another', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn('a'), startText('a:1:0', 'a'), say('from a ', 'a:1:0'));
    apply(startTurn('b'), startText('b:1:0', 'b'), say('from b ', 'b:1:0'), failTurn('a'), completeTurn('b'));

    expect(log.statuses('a:1:0')).toEqual(['create', 'error']);
    expect(log.statuses('b:1:0')).toEqual(['create', 'complete']);
  });
});

describe('destruction', () => {
  it('ends every open turn and item as failed, in order, with their content so far', () => {
    const { apply, log, core } = createCoreRig();
    apply(userMessage('a'), startTurn('b'), startText('b:1:0', 'b'), say('one ', 'b:1:0'), say('two', 'b:1:0'));
    apply(startCall('c', 'b:1:1', 'b'));
    core.destroy(CRASH);

    expect(log.all.slice(4)).toMatchObject([
      { type: 'turn_started', turnId: 'a', modelId: 'm' },
      { type: 'turn_error', turnId: 'a', errorCode: 'PROCESS_CRASH', errorMessage: 'The agent died.' },
      { itemId: 'b:1:0', status: 'error', content: 'one two', errorCode: 'PROCESS_CRASH' },
      { itemId: 'b:1:1', status: 'error', errorCode: 'PROCESS_CRASH' },
      { type: 'turn_error', turnId: 'b' },
    ]);
    expect(core.openTurns()).toEqual([]);
  });

  it('happens once and is final', () => {
    const { apply, log, core } = createCoreRig();
    apply(startTurn());
    core.destroy(CRASH);
    core.destroy(CRASH);
    apply(startTurn('b'), startText('b:1:0', 'b'), say('x', 'b:1:0'), finishCall('lost', 'x', 'b'));
    expect(log.outline()).toEqual(['turn_started', 'turn_error']);
  });

  it('may be called from within a listener', () => {
    const rig = createCoreRig({
      onUpsert: (upsert) => {
        rig.log.onUpsert(upsert);
        rig.core.destroy(CRASH);
      },
    });
    rig.apply(startTurn(), startText(), say('x'), say(' y'));
    expect(rig.log.outline()).toEqual(['turn_started', 'message:create', 'message:error', 'turn_error']);
    expect(rig.clock.pending).toBe(0);
  });
});

describe('an item', () => {
  it('that was never started is ignored', () => {
    const { apply, log } = createCoreRig();
    apply(say('x', 'i'), { do: 'item_done', itemId: 'i', content: 'x' }, { do: 'item_cancel', itemId: 'i' });
    apply(
      { do: 'item_error', itemId: 'i', code: 'X', message: 'x' },
      { do: 'tool_arguments', callId: 'c', arguments: {} },
    );
    expect(log.all).toEqual([]);
  });

  it('that the agent discarded ends as failed with its text so far', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText(), say('half an ans'), say('wer'));
    apply({ do: 'item_error', itemId: 't:1:0', code: 'STREAM_RETRIED', message: 'Started again.' });
    apply(completeTurn());

    expect(log.statuses('t:1:0')).toEqual(['create', 'error']);
    expect(log.upserts().at(-1)).toMatchObject({ content: 'half an answer', errorCode: 'STREAM_RETRIED' });
  });

  it('cannot be reused by another turn while it is open', () => {
    const { apply, log } = createCoreRig();
    apply(startText('i', 'a'), startText('i', 'b'), say('for a', 'i'), completeTurn('b'), completeTurn('a'));
    expect(log.upserts()).toMatchObject([
      { turnId: 'a', status: 'create' },
      { turnId: 'a', status: 'complete', content: 'for a' },
    ]);
  });

  it('is not started twice, as text, message or call', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startText('i'), say('one', 'i'), startText('i'), startCall('c', 'i'));
    apply({ do: 'message', turnId: 't', itemId: 'i', origin: 'agent', content: 'two' });
    apply({ do: 'item_done', itemId: 'i' }, startText('i'), startCall('c', 'i'), completeTurn());
    expect(log.statuses('i')).toEqual(['create', 'complete']);
  });
});
