import { describe, expect, it } from 'vitest';
import type { StreamAction } from '../../../server/streaming/stream-actions.ts';
import { cancelTurn, completeTurn, createCoreRig, failTurn, finishCall, startCall, startTurn } from './core-rig.ts';

const refine = (args: Record<string, unknown>, callId = 'c'): StreamAction => ({
  do: 'tool_arguments',
  callId,
  arguments: args,
});

describe('a tool call of a live agent', () => {
  it('is created at once, updated once with its final arguments, complete with its result', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startCall(), refine({ command: 'ls' }), refine({ command: 'ls' }), finishCall());

    expect(log.upserts()).toMatchObject([
      { status: 'create', toolName: 'Bash', toolArguments: {} },
      { status: 'update', toolArguments: { command: 'ls' } },
      { status: 'complete', toolArguments: { command: 'ls' }, toolOutput: 'out', toolOutputIsError: false },
    ]);
    expect(log.upserts()).toHaveLength(3);
  });

  it('needs no update when its arguments were known from the start', () => {
    const { apply, log } = createCoreRig();
    apply({ do: 'tool_start', turnId: 't', itemId: 'i', callId: 'c', name: 'Read', arguments: { path: 'a' } });
    apply(refine({ path: 'a' }), finishCall());

    expect(log.statuses('i')).toEqual(['create', 'complete']);
  });

  it('contains kind, diffs, exit code and parent', () => {
    const { apply, log } = createCoreRig();
    const diffs = [{ path: 'a.txt', oldText: null, newText: 'a' }];
    apply({ ...startCall(), toolKind: 'edit', parentItemId: 'p' } as StreamAction);
    apply({ ...refine({}), diffs } as StreamAction);
    apply({ ...finishCall(), exitCode: 0, isError: true } as StreamAction);

    expect(log.upserts()).toMatchObject([
      { status: 'create', toolKind: 'edit', parentItemId: 'p' },
      { status: 'update', diffs },
      { status: 'complete', toolKind: 'edit', diffs, exitCode: 0, toolOutputIsError: true, parentItemId: 'p' },
    ]);
  });

  it('ends once: a second result changes nothing', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startCall(), finishCall(), finishCall('c', 'again'), startCall(), refine({ late: true }));

    expect(log.statuses('t:1:1')).toEqual(['create', 'complete']);
  });

  it('gets its result even if it arrives in another turn', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn('a'), startCall('c', 'a:1:0', 'a'), startTurn('b'), finishCall('c', 'out', 'b'));

    expect(log.upserts().at(-1)).toMatchObject({ itemId: 'a:1:0', turnId: 'a', status: 'complete' });
  });
});

describe('a result without a call', () => {
  it('stream/TC-3.3g is shown once', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), finishCall('lost', 'found'), finishCall('lost', 'found again'));

    expect(log.upserts()).toMatchObject([
      { itemId: 't:lost', callId: 'lost', toolName: 'unknown', toolOutput: 'found', status: 'complete' },
    ]);
  });

  it('uses the given item id unless it is taken', () => {
    const { apply, log } = createCoreRig();
    apply(startCall('c', 'i'), { ...finishCall('x'), itemId: 'i' } as StreamAction);
    apply({ ...finishCall('y'), itemId: 'j' } as StreamAction);

    expect(log.upserts().map((upsert) => upsert.itemId)).toEqual(['i', 'i:result', 'j']);
  });

  it('is shown even after its turn has ended, without reopening it', () => {
    const { apply, log, core } = createCoreRig();
    apply(startTurn(), completeTurn(), finishCall('late'));

    expect(log.outline()).toEqual(['turn_started', 'turn_complete', 'tool_call:complete']);
    expect(core.openTurns()).toEqual([]);
  });
});

describe('a call left open when its turn ends', () => {
  it('is complete with what it has when the turn completed', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startCall(), refine({ command: 'ls' }), completeTurn(), finishCall());

    const last = log.upserts().at(-1);
    expect(last).toMatchObject({ status: 'complete', toolArguments: { command: 'ls' } });
    expect(last).not.toHaveProperty('toolOutput');
    expect(log.outline().at(-1)).toBe('turn_complete');
  });

  it('is failed as cancelled when the turn was cancelled', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startCall(), cancelTurn());
    expect(log.upserts().at(-1)).toMatchObject({ status: 'error', errorCode: 'CANCELLED' });
  });

  it('is failed like the turn when the turn failed', () => {
    const { apply, log } = createCoreRig();
    apply(startTurn(), startCall(), failTurn());
    expect(log.upserts().at(-1)).toMatchObject({ status: 'error', errorCode: 'MODEL_ERROR' });
  });
});

describe('arguments', () => {
  it('are copied: changing the source or an emission changes no other emission', () => {
    const { apply, log } = createCoreRig();
    const source = { nested: { list: [1] } };
    apply({ do: 'tool_start', turnId: 't', itemId: 'i', callId: 'c', name: 'X', arguments: source });
    source.nested.list.push(2);
    const [created] = log.upserts();
    if (created?.type !== 'tool_call') throw new Error('expected a tool call');
    expect(() => Object.assign(created.toolArguments, { nested: 'spoilt' })).toThrow(TypeError);
    apply(finishCall());

    expect(log.upserts().at(-1)).toMatchObject({ toolArguments: { nested: { list: [1] } } });
  });

  it('that are nested too deeply are cut, so that they can be serialised', () => {
    const { apply, log } = createCoreRig();
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as Record<string, unknown>;
    apply({ do: 'tool_start', turnId: 't', itemId: 'i', callId: 'c', name: 'X', arguments: deep });

    expect(JSON.stringify(log.upserts()[0])).toContain('…');
  });

  it('may contain any key', () => {
    const { apply, log } = createCoreRig();
    const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Record<string, unknown>;
    apply({ do: 'tool_start', turnId: 't', itemId: 'i', callId: 'c', name: 'X', arguments: args });

    expect(JSON.stringify(log.upserts()[0])).toContain('"__proto__":{"polluted":true}');
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});
