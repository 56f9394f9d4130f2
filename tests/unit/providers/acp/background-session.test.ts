import { describe, expect, it } from 'vitest';
import {
  COMMON_DIALECT,
  chunk,
  createSessionRig,
  type SessionRig,
  settled,
  subagent,
  threadStatus,
  tool,
  toolUpdate,
} from './session-rig.ts';

const execute = (callId: string) => tool(callId, { kind: 'execute', name: 'exec_command' });
const output = (callId: string, data: string) => toolUpdate(callId, { _meta: { terminal_output_delta: { data } } });
const ended = (callId: string, exitCode: number, status = exitCode === 0 ? 'completed' : 'failed') =>
  toolUpdate(callId, { status, _meta: { terminal_exit: { exit_code: exitCode } } });
const answered = { stopReason: 'end_turn' };
const AGENT = 's1:subagent:a1';

async function withCommand(rig: SessionRig, callId = 'c1'): Promise<string> {
  rig.send('t1', 'start it');
  rig.receive(execute(callId));
  rig.receive(chunk('It runs on.', 'm1'));
  await rig.prompt(0).answer(answered);
  return 't1:0:0';
}

async function withAgent(rig: SessionRig): Promise<string> {
  rig.send('t1', 'delegate it');
  rig.receive(subagent(AGENT, { title: 'Inspect' }));
  rig.receive(subagent(AGENT, { state: { state: 'running' } }));
  await rig.prompt(0).answer(answered);
  return 't1:0:0';
}

const item = ({ upserts }: SessionRig, itemId: string) => upserts.findLast((upsert) => upsert.itemId === itemId);

describe('a command of Codex that outlives its turn', () => {
  it('engine/background-live codex: goes on in later turns without a turn of its own', async () => {
    const rig = await createSessionRig();
    const command = await withCommand(rig);
    expect(item(rig, command)).toMatchObject({ status: 'update', background: true });
    rig.receive(output('c1', 'one\n'));
    rig.send('t2', 'next');
    rig.receive(output('c1', 'two\n'));
    rig.receive(ended('c1', 3));
    expect(item(rig, command)).toMatchObject({
      status: 'complete',
      turnId: 't1',
      toolOutput: 'one\ntwo\n',
      exitCode: 3,
    });
    await rig.prompt(1).answer(answered);
    rig.receive(output('c1', 'late\n'));
    expect(rig.turns.map(({ turnId }) => turnId)).toEqual(['t1', 't1', 't2', 't2']);
  });

  it('engine/background-live codex: a turn that ends without another word leaves its command in the background', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'start it');
    rig.receive(execute('c1'));
    await rig.prompt(0).answer(answered);
    expect(item(rig, 't1:0:0')).toMatchObject({ status: 'update', background: true });
  });

  it('engine/background-live codex: shows the last 64 KiB, ten times a second at most', async () => {
    const rig = await createSessionRig();
    const command = await withCommand(rig);
    const shown = () => rig.upserts.filter(({ itemId }) => itemId === command).length;
    const before = shown();
    for (let line = 0; line < 100; line += 1) rig.receive(output('c1', `${'x'.repeat(1_000)}${line}\n`));
    expect(shown()).toBe(before + 1);
    rig.clock.advance(100);
    expect(shown()).toBe(before + 2);
    rig.clock.advance(1_000);
    expect(shown()).toBe(before + 2);
    const { toolOutput = '' } = item(rig, command) as { toolOutput?: string };
    expect(toolOutput).toHaveLength(64 * 1024);
    expect(toolOutput.endsWith('x99\n')).toBe(true);
  });

  it('engine/background-live codex: outlives a cancelled turn, unless the model waited for it', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'start it');
    rig.receive(execute('left'));
    rig.receive(chunk('It runs on.', 'm1'));
    rig.receive(execute('waited-for'));
    const cancelled = rig.cancel();
    await settled();
    await rig.prompt(0).answer({ stopReason: 'cancelled' });
    await cancelled;
    expect(item(rig, 't1:0:0')).toMatchObject({ status: 'update', background: true });
    expect(item(rig, 't1:2:0')).toMatchObject({ status: 'error', errorCode: 'CANCELLED' });
    expect(rig.endedCommands).toEqual(['waited-for']);
  });

  it('engine/background-stop codex: is stopped by its processes', async () => {
    const rig = await createSessionRig();
    const command = await withCommand(rig);
    await rig.stop(command);
    expect(rig.endedCommands).toEqual(['c1']);
    rig.receive(ended('c1', -1));
    expect(item(rig, command)).toMatchObject({ status: 'error', errorCode: 'STOPPED', errorMessage: 'Stopped.' });
  });

  it('engine/background-stop codex: one that the agent announced as a task is stopped by the agent', async () => {
    const rig = await createSessionRig();
    rig.send('t1', 'start it');
    rig.receive(execute('c1'));
    rig.receive({ sessionUpdate: 'async_task_spawned', asyncTaskId: 'task', toolCallId: 'c1' });
    await rig.prompt(0).answer(answered);
    await rig.stop();
    expect(rig.stoppedTasks).toEqual(['task']);
    expect(rig.endedCommands).toEqual([]);
  });

  it('ends with its turn where the agent does not let commands outlive it', async () => {
    const rig = await createSessionRig(COMMON_DIALECT);
    await withCommand(rig);
    expect(item(rig, 't1:0:0')).toMatchObject({ status: 'complete' });
  });
});

describe('a sub-agent', () => {
  it('engine/background-live codex: shows as one call with its steps, and ends with its last message', async () => {
    const rig = await createSessionRig();
    const row = await withAgent(rig);
    expect(item(rig, row)).toMatchObject({
      status: 'update',
      background: true,
      toolName: 'Agent',
      toolKind: 'think',
      toolArguments: { name: 'Inspect' },
    });
    rig.receive(chunk('I look.', 'm1'), AGENT);
    rig.receive(execute('c1'), AGENT);
    rig.receive(ended('c1', 0), AGENT);
    rig.receive(chunk('It ', 'm2'), AGENT);
    rig.receive(chunk('greets.', 'm2'), AGENT);
    rig.receive(subagent(AGENT, { state: { state: 'idle', stopReason: 'end_turn' } }));
    expect(item(rig, row)).toMatchObject({ status: 'complete', toolOutput: 'It greets.', toolOutputIsError: false });
    const steps = new Set(rig.upserts.filter(({ parentItemId }) => parentItemId === row).map(({ itemId }) => itemId));
    expect([...steps].map((step) => item(rig, step))).toMatchObject([
      { content: 'I look.', turnId: 't1', status: 'complete' },
      { toolName: 'exec_command', status: 'complete' },
      { content: 'It greets.', status: 'complete' },
    ]);
    expect(rig.turns).toHaveLength(2);
  });

  it('engine/background-stop codex: is stopped by cancelling its session and the command it waits for', async () => {
    const rig = await createSessionRig();
    const row = await withAgent(rig);
    rig.receive(execute('c1'), AGENT);
    await rig.stop(row);
    expect(rig.cancelled).toEqual([AGENT]);
    expect(rig.endedCommands).toEqual(['c1']);
    rig.receive(subagent(AGENT, { state: { state: 'idle', stopReason: 'cancelled' } }));
    expect(item(rig, row)).toMatchObject({ status: 'error', errorCode: 'STOPPED' });
  });

  it('engine/background-stop codex: a cancelled turn ends the commands that sub-agents wait for', async () => {
    const rig = await createSessionRig();
    await withAgent(rig);
    rig.receive(execute('c1'), AGENT);
    rig.send('t2', 'next');
    const cancelled = rig.cancel();
    await settled();
    await rig.prompt(1).answer({ stopReason: 'cancelled' });
    await cancelled;
    expect(rig.cancelled).toEqual(['s1']);
    expect(rig.endedCommands).toEqual(['c1']);
  });

  it('that fails ends as a failed call', async () => {
    const rig = await createSessionRig();
    const row = await withAgent(rig);
    rig.receive(subagent(AGENT, { state: { state: 'idle', stopReason: 'error' } }));
    expect(item(rig, row)).toMatchObject({ status: 'complete', toolOutputIsError: true });
  });

  it('news of one that is not known, as after a load, begin no turn', async () => {
    const rig = await createSessionRig();
    rig.receive(subagent(AGENT, { state: { state: 'idle' } }));
    rig.receive(subagent(AGENT, {}));
    rig.receive(chunk('late', 'm1'), AGENT);
    expect(rig.turns).toEqual([]);
  });
});

describe('a turn that Codex begins by itself', () => {
  it('engine/own-turn codex: begins when it is active and ends when it is idle, however long it thinks', async () => {
    const rig = await createSessionRig();
    rig.receive(threadStatus('active'));
    expect(rig.turns).toMatchObject([{ type: 'turn_started', turnId: 'own-1' }]);
    rig.clock.advance(60_000);
    expect(rig.turns).toHaveLength(1);
    rig.receive(chunk('One step.', 'm1'));
    rig.receive(threadStatus('idle'));
    expect(rig.turns[1]).toMatchObject({ type: 'turn_complete', turnId: 'own-1', status: 'completed' });
    rig.receive(threadStatus('active'));
    expect(rig.turns[2]).toMatchObject({ type: 'turn_started', turnId: 'own-2' });
  });

  it('engine/own-turn codex: is cancelled when the agent has stopped', async () => {
    const rig = await createSessionRig();
    rig.receive(threadStatus('active'));
    const cancelled = rig.cancel();
    await settled();
    expect(rig.cancelled).toEqual(['s1']);
    expect(rig.turns).toHaveLength(1);
    rig.receive(threadStatus('idle'));
    await cancelled;
    expect(rig.turns[1]).toMatchObject({ turnId: 'own-1', status: 'cancelled' });
  });

  it('engine/own-turn codex: a message that is sent meanwhile is answered in a turn of its own', async () => {
    const rig = await createSessionRig();
    rig.receive(threadStatus('active'));
    rig.send('t1', 'hello');
    rig.receive(chunk('Hello.', 'm1'));
    rig.receive(threadStatus('idle'));
    await rig.prompt(0).answer(answered);
    expect(rig.turns.map(({ type, turnId }) => [type, turnId])).toEqual([
      ['turn_started', 'own-1'],
      ['turn_complete', 'own-1'],
      ['turn_started', 't1'],
      ['turn_complete', 't1'],
    ]);
  });
});
