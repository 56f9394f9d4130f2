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
    await rig.provider.reconnect();
    expect(rig.provider.statuses()).toEqual([{ cliType: 'fixture', status: 'connected' }]);
  });

  it('mvp/TC-5.2b is reported as disconnected when it exits', async () => {
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

  it('mvp/TC-5.2c is started again after a second', async () => {
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

  it('mvp/TC-5.2d is started again when the user asks, with a new series of retries', async () => {
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

  it('mvp/TC-5.3a is stopped when the provider is closed', async () => {
    const rig = createAcpRig({ agent: fixtureAgent('talker') });
    const session = await openTalker(rig);
    const pid = await session.pid();
    const { turnId } = await rig.provider.sendMessage(session.sessionId, 'wait');
    await rig.provider.close();
    expect(isRunning(pid)).toBe(false);
    expect(await session.watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
    await expect(rig.provider.createSession({ projectDir: rig.projectDir })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The server is shutting down.',
    });
  });

  it('mvp/TC-5.5a fails with an instruction when the agent is not installed', async () => {
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

  it('mvp/TC-5.5a fails with an instruction when the command was removed after it was found', async () => {
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
    'mvp/TC-5.5b fails with the reason and the end of stderr when the handshake fails (%s)',
    async ([name, why, stderr]) => {
      const rig = createAcpRig({ agent: fixtureAgent(name) });
      const failure = await rig.provider.createSession({ projectDir: rig.projectDir }).catch((error: Error) => error);
      expect(failure).toMatchObject({ code: 'AGENT_UNAVAILABLE', message: expect.stringContaining(why) });
      expect(failure).toMatchObject({ message: expect.stringMatching(/^Could not connect to Fixture\. /) });
      expect(failure).toMatchObject({ message: expect.stringContaining(stderr) });
      expect(rig.pids.filter(isRunning)).toEqual([]);
    },
  );

  it('mvp/TC-5.6b keeps running without listeners and serves those that subscribe later', async () => {
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
