import { describe, expect, it } from 'vitest';
import { createProvider, type EngineOptions } from '../../../server/engine/create-provider.ts';
import type { ToolCallUpsert, UpsertObject } from '../../../shared/stream-contracts.ts';
import { watchProvider } from '../../support/contract/contract-rig.ts';
import { createScriptedDriver, type ScriptedDriverOptions } from '../../support/contract/scripted-driver.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const rounds = async (count = 20) => {
  for (let round = 0; round < count; round += 1) await new Promise(setImmediate);
};

async function start(options: ScriptedDriverOptions & Partial<EngineOptions> = {}) {
  const clock = createManualClock();
  const driver = createScriptedDriver(options);
  const provider = createProvider(driver, { clock, onProblem: () => {}, ...options });
  const projectDir = scratchDirectory();
  const watch = watchProvider(provider);
  const { sessionId } = await provider.createSession({ projectDir });
  watch.session(sessionId);
  await rounds();
  const last = () => {
    const process = driver.processes.at(-1);
    if (process === undefined) throw new Error('No process was started.');
    return process;
  };
  const send = async (content: string) => (await provider.sendMessage(sessionId, content)).turnId;
  const item = (itemId: string): UpsertObject | undefined =>
    watch.events
      .flatMap((seen) => (seen.kind === 'upsert' && seen.upsert.itemId === itemId ? [seen.upsert] : []))
      .at(-1);
  return { clock, driver, provider, projectDir, watch, sessionId, last, send, item };
}

describe('cancelling', () => {
  it.each(['ignored', 'refused', 'fails'] as const)(
    'engine/overtake an interruption that is %s ends the turn by force, and the next message starts another process',
    async (interruption) => {
      const { clock, driver, provider, sessionId, send, watch } = await start();
      driver.interruption = interruption;
      const turnId = await send('hold');
      const cancelled = provider.cancelTurn(sessionId);
      await rounds();
      if (interruption === 'ignored') {
        expect(watch.ends(turnId)).toEqual([]);
        clock.advance(5_000);
      }
      await cancelled;
      expect(watch.ends(turnId)).toMatchObject([{ status: 'cancelled' }]);
      expect(driver.running()).toBe(0);
      driver.interruption = 'ends';
      await send('hello');
      expect(driver.processes).toHaveLength(2);
    },
  );

  it('engine/overtake a shared process survives a turn that does not end', async () => {
    const traits = { sharedProcess: true, historyWithoutProcess: false, takesMessagesWhileBusy: false };
    const { clock, driver, provider, sessionId, send, watch } = await start({ traits });
    driver.interruption = 'ignored';
    const [running, waiting] = [await send('hold'), await send('hello')];
    const cancelled = provider.cancelTurn(sessionId);
    await rounds();
    expect(watch.ends(waiting)).toMatchObject([{ status: 'cancelled' }]);
    clock.advance(5_000);
    await cancelled;
    expect(watch.ends(running)).toMatchObject([{ status: 'cancelled' }]);
    expect(driver.running()).toBe(1);
    expect(driver.processes[0]?.prompts.map(({ content }) => content)).toEqual(['hold']);
  });

  it('engine/one-end whatever the agent makes of a cancelled turn, it is cancelled', async () => {
    const { driver, provider, sessionId, send, last, watch } = await start();
    driver.interruption = 'ignored';
    const turnId = await send('hold');
    const cancelled = provider.cancelTurn(sessionId);
    await rounds();
    last().say({ do: 'turn_error', turnId, code: 'MODEL_ERROR', message: 'The model failed.' });
    await cancelled;
    expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_complete', status: 'cancelled' }]);
  });
});

describe('silence', () => {
  it('engine/silence a turn in which nothing is heard for too long is given up, and its process ended', async () => {
    const { clock, driver, send, watch } = await start({ promptTimeoutMs: 60_000 });
    const turnId = await send('hold');
    clock.advance(59_999);
    expect(watch.ends(turnId)).toEqual([]);
    clock.advance(1);
    await rounds();
    expect(watch.ends(turnId)).toMatchObject([
      { errorCode: 'TURN_TIMEOUT', errorMessage: expect.stringContaining('silent for 60 s') },
    ]);
    expect(driver.running()).toBe(0);
  });

  it('engine/silence does not count while a tool runs, but does while work runs in the background', async () => {
    const { clock, send, last, watch } = await start({ promptTimeoutMs: 60_000 });
    const turnId = await send('hold');
    last().say({ do: 'tool_start', turnId, itemId: `${turnId}:1:1`, callId: 'c', name: 'Bash' });
    clock.advance(600_000);
    expect(watch.ends(turnId)).toEqual([]);
    last().say({ do: 'tool_background', callId: 'c', taskId: 't' });
    clock.advance(60_000);
    expect(watch.ends(turnId)).toMatchObject([{ errorCode: 'TURN_TIMEOUT' }]);
  });

  it('engine/silence does not count while the user is asked', async () => {
    let answer = (_decision: { allow: true }) => {};
    const decidePermission = () => new Promise<{ allow: true }>((resolve) => (answer = resolve));
    const { clock, send, last, watch } = await start({ promptTimeoutMs: 60_000, decidePermission });
    const turnId = await send('hold');
    const asked = last().sink.ask({ toolName: 'Bash', input: {} });
    clock.advance(600_000);
    expect(watch.ends(turnId)).toEqual([]);
    answer({ allow: true });
    expect(await asked).toEqual({ allow: true });
    clock.advance(60_000);
    expect(watch.ends(turnId)).toMatchObject([{ errorCode: 'TURN_TIMEOUT' }]);
  });

  it('a question whose turn is cancelled is answered with nothing', async () => {
    const { provider, sessionId, send, last } = await start({ decidePermission: () => new Promise(() => {}) });
    await send('hold');
    const asked = last().sink.ask({ toolName: 'Bash', input: {} });
    await provider.cancelTurn(sessionId);
    expect(await asked).toBeUndefined();
  });
});

describe('background work', () => {
  async function inBackground(options?: Parameters<typeof start>[0]) {
    const rig = await start({ sleepAfterMs: 1_000, ...options });
    const turnId = await rig.send('hold');
    const call = `${turnId}:1:1`;
    rig
      .last()
      .say(
        { do: 'tool_start', turnId, itemId: call, callId: 'agent', name: 'Agent' },
        { do: 'tool_background', callId: 'agent', taskId: 'task-1' },
        { do: 'turn_done', turnId, status: 'completed' },
      );
    return { ...rig, turnId, call };
  }

  it('engine/background-live goes on after its turn, with its steps, until it ends', async () => {
    const { last, item, turnId, call, watch } = await inBackground();
    expect(watch.ends(turnId)).toHaveLength(1);
    expect(item(call)).toMatchObject({ status: 'update', background: true });
    const step = `${call}:1:0`;
    last().say({ do: 'tool_start', turnId, itemId: step, parentItemId: call, callId: 'read', name: 'Read' });
    expect(item(step)).toMatchObject({ status: 'create', toolName: 'Read', parentItemId: call, turnId });
    last().say({ do: 'tool_done', turnId, callId: 'read', output: 'text', isError: false, parentItemId: call });
    expect(item(step)).toMatchObject({ status: 'complete', toolOutput: 'text' });
    last().say({ do: 'tool_done', turnId, callId: 'agent', output: 'The report.', isError: false });
    expect(item(call)).toMatchObject({ status: 'complete', toolOutput: 'The report.', background: true });
    expect(watch.ends(turnId)).toHaveLength(1);
  });

  it('engine/background-live shows the tail of its output while it runs', async () => {
    const { last, item, call } = await inBackground();
    last().say({ do: 'tool_output', callId: 'agent', output: 'line 1\nline 2' });
    expect(item(call)).toMatchObject({ status: 'update', toolOutput: 'line 1\nline 2' });
  });

  it('engine/background-live ends the steps under it with it', async () => {
    const { last, item, turnId, call } = await inBackground();
    const step = `${call}:1:0`;
    last().say(
      { do: 'tool_start', turnId, itemId: step, parentItemId: call, callId: 'bash', name: 'Bash' },
      {
        do: 'tool_done',
        turnId,
        callId: 'agent',
        output: '',
        isError: true,
        failure: { code: 'STOPPED', message: 'Stopped.' },
      },
    );
    expect(item(step)).toMatchObject({ status: 'error', errorCode: 'STOPPED' });
    expect(item(call)).toMatchObject({ status: 'error', errorCode: 'STOPPED' });
  });

  it('engine/background-live work that a step left in the background outlives the call above it', async () => {
    const { last, item, turnId, call } = await inBackground();
    const [inner, step] = [`${call}:1:0`, `${call}:1:0:1:0`];
    last().say(
      { do: 'tool_start', turnId, itemId: inner, parentItemId: call, callId: 'inner', name: 'Agent' },
      { do: 'tool_background', callId: 'inner', taskId: 'task-2' },
      { do: 'tool_done', turnId, callId: 'agent', output: 'The report.', isError: false },
    );
    expect(item(call)).toMatchObject({ status: 'complete' });
    last().say({ do: 'tool_start', turnId, itemId: step, parentItemId: inner, callId: 'read', name: 'Read' });
    expect(item(step)).toMatchObject({ status: 'create', parentItemId: inner });
    last().say({ do: 'tool_done', turnId, callId: 'inner', output: 'Inner report.', isError: false });
    expect(item(inner)).toMatchObject({ status: 'complete', toolOutput: 'Inner report.' });
    expect(item(step)).toMatchObject({ status: 'complete' });
  });

  it('engine/sleep a session with background work does not sleep', async () => {
    const { clock, driver, last, turnId } = await inBackground();
    clock.advance(10_000);
    await rounds();
    expect(driver.running()).toBe(1);
    last().say({ do: 'tool_done', turnId, callId: 'agent', output: 'done', isError: false });
    clock.advance(1_000);
    await rounds();
    expect(driver.running()).toBe(0);
  });

  it('engine/background-stop is stopped by its item, or all of it', async () => {
    const { provider, sessionId, last, call } = await inBackground();
    await provider.stopBackground(sessionId, 'no such item');
    expect(last().stoppedTasks).toEqual([]);
    await provider.stopBackground(sessionId, call);
    await provider.stopBackground(sessionId);
    expect(last().stoppedTasks).toEqual(['task-1', 'task-1']);
  });

  it.each(['crash', 'kill'] as const)('ends as failed with its process: %s', async (how) => {
    const { provider, sessionId, last, item, call } = await inBackground();
    if (how === 'crash') last().crash();
    else await provider.killSession(sessionId);
    await rounds();
    const ended = item(call) as ToolCallUpsert;
    expect(ended).toMatchObject({ status: 'error', background: true });
    expect(ended.errorCode).toBe(how === 'crash' ? 'PROCESS_CRASH' : 'STOPPED');
  });
});

describe('turns of the agent’s own', () => {
  it('engine/own-turn a turn that the agent begins is shown, cancelled and ended like any other', async () => {
    const { provider, sessionId, driver, last, watch, send } = await start();
    await send('hello');
    await rounds();
    driver.interruption = 'ignored';
    last().say({ do: 'turn_start', turnId: 'own' });
    const cancelled = provider.cancelTurn(sessionId);
    await rounds();
    last().say({ do: 'turn_done', turnId: 'own', status: 'completed' });
    await cancelled;
    expect(watch.turn('own')).toMatchObject([{ type: 'turn_started' }, { status: 'cancelled' }]);
  });

  it('a process that cannot go on with the conversation is replaced after the turn', async () => {
    const { driver, last, send } = await start();
    const turnId = await send('hold');
    last().say({ do: 'restart', reason: 'conversation cleared' });
    expect(driver.running()).toBe(1);
    last().say({ do: 'turn_done', turnId, status: 'completed' });
    await rounds();
    expect(driver.running()).toBe(0);
    await send('hello');
    expect(driver.running()).toBe(1);
  });
});

describe('closing', () => {
  it.each([
    ['own processes', { spare: true }],
    ['one process', { sharedProcess: true, historyWithoutProcess: false, takesMessagesWhileBusy: false }],
  ])('engine/sleep sessions that were killed or closed leave no timer behind: %s', async (_, traits) => {
    const { clock, provider, sessionId, send, projectDir } = await start({ traits });
    await send('hold');
    await provider.killSession(sessionId);
    await rounds();
    const { sessionId: other } = await provider.createSession({ projectDir });
    await provider.sendMessage(other, 'hold');
    await provider.close();
    await rounds();
    expect(clock.pending).toBe(0);
  });
});

describe('retries', () => {
  it('engine/retry follows after 1, 2, 4, 8 and 16 s, then the user is asked', async () => {
    const { clock, driver, last, watch } = await start();
    for (const delay of [1, 2, 4, 8, 16]) {
      last().crash();
      await rounds();
      clock.advance(delay * 1_000 - 1);
      await rounds();
      expect(driver.running()).toBe(0);
      clock.advance(1);
      await rounds();
      expect(driver.running()).toBe(1);
    }
    last().crash();
    await rounds();
    clock.advance(120_000);
    await rounds();
    expect(driver.running()).toBe(0);
    const statuses = watch.events.flatMap((seen) => (seen.kind === 'status' ? [seen.status] : []));
    expect(statuses.at(-1)).toMatchObject({ status: 'disconnected', message: expect.any(String) });
  });
});

describe('the spare', () => {
  const traits = { spare: true };

  it('engine/spare is started for the directory used last and taken by the next new session there', async () => {
    const { clock, driver, provider, projectDir } = await start({ traits });
    expect(driver.running()).toBe(1);
    clock.advance(500);
    await rounds();
    expect(driver.running()).toBe(2);
    const spareId = driver.launches.at(-1)?.nativeId;
    const { sessionId } = await provider.createSession({ projectDir });
    expect(sessionId).toBe(`scripted:${spareId}`);
    expect(driver.launches).toHaveLength(2);
    clock.advance(500);
    await rounds();
    expect(driver.running()).toBe(3);
    await provider.close();
    expect(driver.running()).toBe(0);
  });

  it('engine/spare is never more than one: another directory ends it and gets its own', async () => {
    const { clock, driver, provider } = await start({ traits });
    clock.advance(500);
    await rounds();
    const other = scratchDirectory();
    await provider.createSession({ projectDir: other });
    clock.advance(500);
    await rounds();
    expect(driver.running()).toBe(3);
    expect(driver.launches.at(-1)).toMatchObject({ projectDir: other });
  });

  it('engine/spare that nobody takes is ended after a while', async () => {
    const { clock, driver } = await start({ traits, sleepAfterMs: 60_000 });
    clock.advance(500);
    await rounds();
    expect(driver.running()).toBe(2);
    clock.advance(60_000);
    await rounds();
    expect(driver.running()).toBe(0);
  });

  it('engine/spare that has ended is not taken, and LIMINAL_SPARE=0 starts none', async () => {
    const { clock, driver, provider, projectDir } = await start({ traits });
    clock.advance(500);
    await rounds();
    driver.processes.at(-1)?.crash();
    await rounds();
    const { sessionId } = await provider.createSession({ projectDir });
    await provider.sendMessage(sessionId, 'hello');
    const without = await start({ traits, spare: false });
    without.clock.advance(60_000);
    await rounds();
    expect(without.driver.running()).toBe(1);
  });

  it('engine/spare that hangs is ended, and a session does not wait for it', async () => {
    const { clock, driver } = await start({ traits, startTimeoutMs: 15_000 });
    driver.hangs = true;
    clock.advance(500);
    await rounds();
    expect(driver.running()).toBe(2);
    clock.advance(15_000);
    await rounds();
    expect(driver.running()).toBe(1);
  });

  it('engine/spare is not started while the process of the session itself is not ready', async () => {
    const { clock, driver, provider, sessionId } = await start({ traits, hangs: true, startTimeoutMs: 15_000 });
    const refused = expect(provider.sendMessage(sessionId, 'hello')).rejects.toMatchObject({ code: 'CANCELLED' });
    clock.advance(5_000);
    await rounds();
    expect(driver.running()).toBe(1);
    await provider.cancelTurn(sessionId);
    await refused;
    expect(driver.running()).toBe(0);
  });
});

describe('resting', () => {
  it.each([false, true])(
    'follow/two-writers a session that is being opened is opened again before it gets a message (shared process: %s)',
    async (sharedProcess) => {
      const traits = { sharedProcess, takesMessagesWhileBusy: !sharedProcess };
      const { driver, provider, sessionId, send, watch } = await start({ traits });
      const first = await send('hello');
      await watch.until(() => watch.ends(first).length > 0);
      await provider.rest(sessionId, 'test');
      const opened = driver.openings;
      provider.warmUp(sessionId);
      await provider.rest(sessionId, 'test');
      const turnId = await send('again');
      await watch.until(() => watch.ends(turnId).length > 0);
      expect(driver.openings).toBe(opened + 2);
      expect(watch.ends(turnId)).toMatchObject([{ status: 'completed' }]);
    },
  );

  it('follow/two-writers waits for background work', async () => {
    const { provider, sessionId, send, last, watch } = await start();
    const turnId = await send('hello');
    last().say({ do: 'tool_start', turnId, itemId: `${turnId}:9:0`, callId: 'c', name: 'Bash' });
    last().say({ do: 'tool_background', callId: 'c', taskId: 'task' });
    await watch.until(() => watch.ends(turnId).length > 0);
    await provider.rest(sessionId, 'test');
    expect(provider.isAlive(sessionId)).toBe(true);
    last().say({ do: 'tool_done', turnId, callId: 'c', output: 'done', isError: false });
    await rounds();
    expect(provider.isAlive(sessionId)).toBe(false);
  });
});
