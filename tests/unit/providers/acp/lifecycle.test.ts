import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAcpRig, fixtureAgent, isRunning, watchSession } from '../../../support/agents/acp-rig.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';

async function openTalker(rig: ReturnType<typeof createAcpRig>) {
  const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
  const watch = watchSession(rig.provider, sessionId);
  return { sessionId, watch, pid: async () => Number((await watch.turn('pid')).text) };
}

describe('the process of an ACP agent', { timeout: 30_000 }, () => {
  it('mvp/TC-5.1a starts with the first session', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'idle' }]);
    const session = await openTalker(rig);
    expect(rig.statuses.map(({ status }) => status)).toEqual(['starting', 'connected']);
    expect(isRunning(await session.pid())).toBe(true);
  });

  it('mvp/TC-5.1b is the same for the next session', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    const first = await openTalker(rig);
    const second = await openTalker(rig);
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(await second.pid()).toBe(await first.pid());
    expect(rig.statuses).toHaveLength(2);
  });

  it('is one process for sessions that are created at the same time', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    const [first, second] = await Promise.all([openTalker(rig), openTalker(rig)]);
    expect(await second.pid()).toBe(await first.pid());
  });

  it('mvp/TC-5.2a is connected once the handshake is done', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    await rig.provider.warmUp();
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'connected' }]);
  });

  it('mvp/TC-5.2b is disconnected when it ends, and says so', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker'), clock: createManualClock() });
    const session = await openTalker(rig);
    process.kill(await session.pid(), 'SIGKILL');
    expect(await rig.untilStatus(({ status }) => status === 'disconnected')).toEqual({
      cliType: 'fixture',
      status: 'disconnected',
      attempt: 1,
      maxAttempts: 5,
      retryInMs: 1000,
      message: 'The Fixture process ended unexpectedly (SIGKILL). Send the message again.',
    });
    expect(rig.provider.isAlive(session.sessionId)).toBe(false);
  });

  it('mvp/TC-5.2c reconnects by itself after a second', async () => {
    const clock = createManualClock();
    const rig = createAcpRig({ agent: fixtureAgent('talker'), clock });
    const session = await openTalker(rig);
    process.kill(await session.pid(), 'SIGKILL');
    await rig.untilStatus(({ status }) => status === 'disconnected');
    clock.advance(999);
    expect(rig.provider.statuses()).toMatchObject([{ status: 'disconnected' }]);
    clock.advance(1);
    expect(rig.provider.statuses()).toMatchObject([{ status: 'reconnecting', attempt: 1, maxAttempts: 5 }]);
    await rig.untilStatus(({ status }) => status === 'connected');
  });

  it('mvp/TC-5.2d starts again when the user asks, with a fresh series of retries', async () => {
    const clock = createManualClock();
    const permit = join(scratchDirectory(), 'permit');
    const rig = createAcpRig({ agent: fixtureAgent('exits-on-start', permit), clock });
    await expect(rig.provider.createSession({ projectDir: rig.projectDir })).rejects.toThrow('Could not connect');
    expect(rig.provider.statuses()).toMatchObject([{ status: 'disconnected' }]);
    writeFileSync(permit, '');
    await rig.provider.reconnect();
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'connected' }]);
    const session = await openTalker(rig);
    expect(isRunning(await session.pid())).toBe(true);
  });

  it('mvp/TC-5.3a ends with the provider', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    const session = await openTalker(rig);
    const pid = await session.pid();
    const { turnId } = await rig.provider.sendMessage(session.sessionId, 'wait');
    await rig.provider.close();
    expect(isRunning(pid)).toBe(false);
    expect(await session.watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
    await expect(rig.provider.createSession({ projectDir: rig.projectDir })).rejects.toMatchObject({
      code: 'PROCESS_CRASH',
    });
  });

  it('mvp/TC-5.5a that is not installed is an error that says what to do', async () => {
    const hint = "Check that it's installed: npm install -g fixture";
    const rig = createAcpRig({ agent: hint });
    await expect(rig.provider.createSession({ projectDir: rig.projectDir })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: `Fixture could not be started. ${hint}`,
    });
    expect(await rig.provider.checkAvailability()).toEqual({
      cliType: 'fixture',
      label: 'Fixture',
      available: false,
      reason: hint,
    });
  });

  it('mvp/TC-5.5a whose command disappeared since it was found says the same', async () => {
    const rig = createAcpRig({ agent: { command: 'no-such-agent-anywhere', args: [] } });
    await expect(rig.provider.createSession({ projectDir: rig.projectDir })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringContaining("Check that it's installed"),
    });
  });

  it.for([
    ['refuses-handshake', 'Unsupported client', 'I was built for another protocol'],
    ['exits-on-start', 'It ended (exit code 3) before it answered.', 'cannot read my own settings'],
    ['speaks-version-9', 'It speaks version 9 of the protocol, not 1.', ''],
  ] as const)(
    'mvp/TC-5.5b that fails the handshake (%s) is an error with its last words',
    async ([name, why, words]) => {
      const rig = createAcpRig({ agent: fixtureAgent(name) });
      const failure = await rig.provider.createSession({ projectDir: rig.projectDir }).catch((error: Error) => error);
      expect(failure).toMatchObject({ code: 'AGENT_UNAVAILABLE', message: expect.stringContaining(why) });
      expect(failure).toMatchObject({ message: expect.stringMatching(/^Could not connect to Fixture\. /) });
      expect(failure).toMatchObject({ message: expect.stringContaining(words) });
      expect(rig.pids.filter(isRunning)).toEqual([]);
    },
  );

  it('mvp/TC-5.6b stays when those who listened go away, and serves those who come back', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    const stop = rig.provider.onUpsert(sessionId, () => {
      throw new Error('nobody listens any more');
    });
    stop();
    expect(rig.provider.isAlive(sessionId)).toBe(true);
    const watch = watchSession(rig.provider, sessionId);
    expect((await watch.turn('back again')).text).toBe('You said: back again');
    expect(rig.statuses).toHaveLength(2);
  });
});
