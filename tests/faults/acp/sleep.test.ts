import { describe, expect, it } from 'vitest';
import { createAcpRig, fixtureAgent, isRunning, toAgent, watchSession } from '../../support/agents/acp-rig.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const SLEEP_AFTER_MS = 60_000;

function createRig(...flags: string[]) {
  const clock = createManualClock();
  const rig = createAcpRig({ agent: fixtureAgent('talker', ...flags), clock, sleepAfterMs: SLEEP_AFTER_MS });
  const open = async () => {
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    return { sessionId, watch: watchSession(rig.provider, sessionId) };
  };
  return { ...rig, clock, open };
}

describe('an idle session', { timeout: 30_000 }, () => {
  it('engine/sleep codex: is closed, its process stops, and the next message continues it', async () => {
    const rig = createRig(`--memory=${scratchDirectory()}`, '--resume', '--close');
    const { sessionId, watch } = await rig.open();
    await watch.turn('hello');
    rig.clock.advance(SLEEP_AFTER_MS);
    await rig.untilStatus(({ status }) => status === 'idle');
    expect(rig.provider.isAlive(sessionId)).toBe(false);

    expect((await watch.turn('context')).text).toBe('I know 3 messages.');
    expect(rig.pids.map(isRunning)).toEqual([false, true]);
    expect(rig.statuses.map(({ status }) => status)).not.toContain('disconnected');
    expect(rig.problems).toEqual([]);
  });

  it('engine/sleep codex: is closed while the process goes on for a busy one', async () => {
    const rig = createRig(`--memory=${scratchDirectory()}`, '--close');
    const [idle, busy] = [await rig.open(), await rig.open()];
    await idle.watch.turn('hello');
    const { turnId } = await rig.provider.sendMessage(busy.sessionId, 'wait');
    await busy.watch.shown((upsert) => upsert.type === 'message' && upsert.content === 'waiting ');
    rig.clock.advance(SLEEP_AFTER_MS);
    expect(rig.provider.isAlive(idle.sessionId)).toBe(false);
    expect(rig.provider.isAlive(busy.sessionId)).toBe(true);

    expect((await idle.watch.turn('context')).text).toBe('I know 3 messages.');
    await rig.provider.cancelTurn(busy.sessionId);
    expect(await busy.watch.ended(turnId)).toMatchObject({ status: 'cancelled' });
    expect(rig.pids).toHaveLength(1);
  });

  it('follow/idle-lock is closed soon if it keeps others out, while its process goes on, and stays open for typing', async () => {
    const located = fixtureAgent('talker', `--memory=${scratchDirectory()}`, '--resume', '--close');
    const clock = createManualClock();
    const agent = { ...toAgent(located), closeIdleAfterMs: 2_000 };
    const rig = createAcpRig({ agent, clock, sleepAfterMs: SLEEP_AFTER_MS });
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    const watch = watchSession(rig.provider, sessionId);
    await watch.turn('hello');
    clock.advance(1_500);
    rig.provider.warmUp(sessionId);
    clock.advance(1_500);
    expect(rig.provider.isAlive(sessionId)).toBe(true);
    clock.advance(500);
    expect(rig.provider.isAlive(sessionId)).toBe(false);

    expect((await watch.turn('context')).text).toBe('I know 3 messages.');
    expect(rig.pids).toHaveLength(1);
    clock.advance(2_000);
    expect(rig.provider.isAlive(sessionId)).toBe(false);
    expect(rig.pids.map(isRunning)).toEqual([true]);
    // The session may still be about to be closed.
    const laterStatus = () => {
      clock.advance(SLEEP_AFTER_MS);
      return rig.provider.statuses()[0]?.status;
    };
    await expect.poll(laterStatus).toBe('idle');
    expect(rig.pids.map(isRunning)).toEqual([false]);
  });

  it('engine/sleep codex: stays open where the agent could not open it again', async () => {
    const rig = createRig();
    const { sessionId, watch } = await rig.open();
    await watch.turn('hello');
    rig.clock.advance(10 * SLEEP_AFTER_MS);
    expect(rig.provider.isAlive(sessionId)).toBe(true);
    expect((await watch.turn('context')).text).toBe('I know 3 messages.');
    expect(rig.pids).toHaveLength(1);
  });
});
