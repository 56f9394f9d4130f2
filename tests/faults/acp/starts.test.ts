import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createAcpRig, fixtureAgent, isRunning, watchSession } from '../../support/agents/acp-rig.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

/** Resolves when a timer is set. */
async function untilWaiting(clock: ManualClock): Promise<void> {
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
}

async function openTalker(clock: ManualClock) {
  const permit = join(scratchDirectory(), 'permit');
  writeFileSync(permit, '');
  const rig = createAcpRig({ agent: fixtureAgent('exits-on-start', permit), clock });
  const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
  const watch = watchSession(rig.provider, sessionId);
  const kill = async () => {
    const other = await rig.provider.createSession({ projectDir: rig.projectDir });
    const { text } = await watchSession(rig.provider, other.sessionId).turn('pid');
    process.kill(Number(text), 'SIGKILL');
    await rig.untilStatus(({ status }) => status === 'disconnected');
  };
  return { ...rig, permit, watch, kill };
}

describe('the start of an agent', () => {
  it('engine/start-deadline codex: fails when the agent is not ready in time, and leaves no process', async () => {
    const clock = createManualClock();
    const rig = createAcpRig({ agent: fixtureAgent('never-answers'), clock, startTimeoutMs: 15_000 });
    const creating = rig.provider.createSession({ projectDir: rig.projectDir }).catch((error: unknown) => error);
    await untilWaiting(clock);
    clock.advance(14_999);
    expect(rig.provider.statuses()).toMatchObject([{ status: 'starting' }]);
    clock.advance(1);
    expect(await creating).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'Fixture did not get ready within 15 s and was ended. Check that it runs in a terminal, then try again.',
    });
    expect(rig.provider.statuses()).toMatchObject([{ status: 'disconnected' }]);
    expect([rig.pids.length, rig.pids.filter(isRunning)]).toEqual([1, []]);
  });

  it('engine/start-cancel codex: is called off by a cancel, which rejects the message that waits for it', async () => {
    const scratch = scratchDirectory();
    const permit = join(scratch, 'permit');
    writeFileSync(permit, '');
    const agent = fixtureAgent('never-answers', `--permit=${permit}`, `--memory=${scratch}`);
    const rig = createAcpRig({ agent, startTimeoutMs: 60_000 });
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    await watchSession(rig.provider, sessionId).turn('hello');
    rmSync(permit);
    process.kill(rig.pids[0] ?? 0, 'SIGKILL');
    await rig.untilStatus(({ status }) => status === 'disconnected');

    const sent = rig.provider.sendMessage(sessionId, 'are you there?').catch((error: unknown) => error);
    await rig.untilStatus(({ status }) => status === 'reconnecting');
    await vi.waitFor(() => expect(rig.pids).toHaveLength(2));
    const start = performance.now();
    await rig.provider.cancelTurn(sessionId);
    expect(performance.now() - start).toBeLessThan(6_000);
    expect(await sent).toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(rig.running()).toBe(0));
    expect(rig.pids.filter(isRunning)).toEqual([]);
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'idle' }]);
  });

  it('is retried five times after a crash with growing delays, then left to the user', async () => {
    const clock = createManualClock();
    const rig = await openTalker(clock);
    rmSync(rig.permit);
    await rig.kill();
    for (const [index, delay] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      await rig.untilStatus(({ attempt, retryInMs }) => attempt === index + 1 && retryInMs === delay);
      clock.advance(delay - 1);
      expect(rig.provider.statuses()).toMatchObject([{ attempt: index + 1, retryInMs: delay }]);
      clock.advance(1);
      expect(rig.provider.statuses()).toMatchObject([{ status: 'reconnecting', attempt: index + 1 }]);
    }
    const last = await rig.untilStatus(({ status }) => status === 'disconnected');
    expect(last).toEqual({
      cliType: 'fixture',
      status: 'disconnected',
      message: expect.stringContaining('It ended (exit code 3) before it answered.'),
    });
    clock.advance(3_600_000);
    expect(rig.provider.statuses()).toEqual([last]);

    await expect(rig.provider.reconnect()).rejects.toThrow('Could not connect to Fixture.');
    writeFileSync(rig.permit, '');
    await rig.provider.reconnect();
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'connected' }]);
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    expect((await watchSession(rig.provider, sessionId).turn('hello')).text).toBe('You said: hello');
  });

  it('is retried from the first delay again after a stable minute', async () => {
    const clock = createManualClock();
    const rig = await openTalker(clock);
    for (const stableMs of [59_000, 60_000]) {
      await rig.kill();
      expect(rig.provider.statuses()).toMatchObject([{ attempt: 1, retryInMs: 1_000 }]);
      clock.advance(1_000);
      await rig.untilStatus(({ status }) => status === 'connected');
      clock.advance(stableMs);
      if (stableMs === 59_000) {
        await rig.kill();
        expect(rig.provider.statuses()).toMatchObject([{ attempt: 2, retryInMs: 2_000 }]);
        clock.advance(2_000);
        await rig.untilStatus(({ status }) => status === 'connected');
        clock.advance(60_000);
      }
    }
    await rig.kill();
    expect(rig.provider.statuses()).toMatchObject([{ attempt: 1, retryInMs: 1_000 }]);
  });

  it('is called off when the provider is closed, and leaves no process', async () => {
    const clock = createManualClock();
    const rig = createAcpRig({ agent: fixtureAgent('never-answers'), clock });
    const creating = rig.provider.createSession({ projectDir: rig.projectDir }).catch((error: unknown) => error);
    await untilWaiting(clock);
    await rig.provider.close();
    expect([rig.pids.length, rig.pids.filter(isRunning)]).toEqual([1, []]);
    expect(await creating).toMatchObject({ name: 'ProviderError' });
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'idle' }]);
  });
});
