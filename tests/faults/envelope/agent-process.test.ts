import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEnvelopeRig } from '../../support/agents/envelope-rig.ts';
import { createManualClock } from '../../support/manual-clock.ts';

describe('an agent that dies', () => {
  it('while it answers ends its turn and item as failed, says why, and is back with the next message', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const turnId = await rig.ask(sessionId, 'die 7');

    expect(rig.output.upserts(`${turnId}:agent:text`).at(-1)).toMatchObject({
      status: 'error',
      content: 'my last words will be',
      errorCode: 'PROCESS_CRASH',
    });
    expect(rig.output.turns(turnId).at(-1)).toMatchObject({
      type: 'turn_error',
      errorCode: 'PROCESS_CRASH',
      errorMessage: expect.stringMatching(/exit code 7.*out of cheese/s),
    });
    await rig.until(() => rig.statuses.at(-1)?.status === 'disconnected');
    expect(rig.statuses.at(-1)).toMatchObject({ sessionId, message: expect.stringContaining('out of cheese') });
    expect(rig.provider.isAlive(sessionId)).toBe(false);

    await rig.ask(sessionId, 'echo back');
    expect(rig.texts().at(-1)).toBe('echo back');
    expect(rig.running()).toBe(1);
  });

  it('by a signal says which', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'half');
    await rig.until(() => rig.texts().includes('half an answer'));
    process.kill(rig.pid(), 'SIGKILL');
    await rig.ended(turnId);

    expect(rig.output.turns().at(-1)).toMatchObject({ errorMessage: expect.stringContaining('signal SIGKILL') });
  });

  it('at its start is seen, and each message tries again', async () => {
    const rig = createEnvelopeRig({ args: ['-e', 'console.error("no licence"); process.exit(2)'] });
    const sessionId = await rig.create();
    await rig.until(() => rig.statuses.at(-1)?.status === 'disconnected');
    const turnId = await rig.ask(sessionId, 'echo');

    expect(rig.output.turns(turnId)).toMatchObject([
      { type: 'turn_started', modelId: 'unknown' },
      { type: 'turn_error', errorMessage: expect.stringContaining('no licence') },
    ]);
    expect(rig.texts()).toEqual(['echo']);
  });

  it('can be started again by hand', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.ask(sessionId, 'die 1');
    await rig.until(() => rig.statuses.at(-1)?.status === 'disconnected');
    await rig.provider.reconnect(sessionId);
    expect(rig.provider.isAlive(sessionId)).toBe(true);
  });
});

describe('an agent that cannot be started', () => {
  it('because its command is missing leaves no session behind', async () => {
    const rig = createEnvelopeRig({ command: 'no-such-agent' });
    await expect(rig.create()).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(/no-such-agent.*agents\.json/s),
    });
    expect(readdirSync(join(rig.dataDir, 'envelope', 'fixture'))).toEqual([]);
    expect(rig.provider.statuses()).toEqual([]);
    expect(rig.running()).toBe(0);
  });

  it('because the project is not there says so', async () => {
    const rig = createEnvelopeRig();
    await expect(rig.provider.createSession({ projectDir: join(rig.projectDir, 'gone') })).rejects.toMatchObject({
      code: 'PROJECT_PATH_INVALID',
    });
    expect(existsSync(join(rig.dataDir, 'envelope'))).toBe(false);
  });

  it('because the project went away meanwhile refuses the message', async () => {
    const rig = createEnvelopeRig();
    const sessionId = await rig.create();
    await rig.provider.killSession(sessionId);
    await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });
    rmSync(rig.projectDir, { recursive: true });

    await expect(rig.provider.sendMessage(sessionId, 'echo')).rejects.toMatchObject({ code: 'PROJECT_PATH_INVALID' });
    expect(rig.output.all).toEqual([]);
    expect(rig.running()).toBe(0);
  });
});

describe('an agent that does not listen', () => {
  it('to a cancel is killed after the grace, its turn is cancelled, and the next message starts another', async () => {
    const clock = createManualClock();
    const rig = createEnvelopeRig({ clock, flags: ['deaf'], graceMs: 50 });
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'half');
    await rig.until(() => rig.texts().includes('half an answer'));
    const cancelled = rig.provider.cancelTurn(sessionId);
    clock.advance(4_999);
    expect(rig.output.turns(turnId)).toHaveLength(1);
    clock.advance(1);
    await cancelled;

    expect(rig.output.turns(turnId).at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    await rig.ask(sessionId, 'echo next');
    expect(rig.statuses.map(({ status }) => status)).toEqual([
      'starting',
      'connected',
      'idle',
      'starting',
      'connected',
    ]);
    expect(rig.running()).toBe(1);
  });

  it('to the end of its stdin is killed with the session, and its turn has ended', async () => {
    const rig = createEnvelopeRig({ flags: ['deaf'], graceMs: 50 });
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'half');
    await rig.provider.killSession(sessionId);

    expect(rig.output.turns(turnId).at(-1)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(rig.running()).toBe(0);
  });
});

describe('an agent that falls silent', () => {
  it('is given up after the time limit', async () => {
    const clock = createManualClock();
    const rig = createEnvelopeRig({ clock });
    const sessionId = await rig.create();
    const { turnId } = await rig.provider.sendMessage(sessionId, 'half');
    await rig.until(() => rig.texts().includes('half an answer'));
    clock.advance(600_000);
    await rig.ended(turnId);

    expect(rig.output.turns(turnId).at(-1)).toMatchObject({ type: 'turn_error', errorCode: 'TURN_TIMEOUT' });
    await rig.until(() => rig.statuses.at(-1)?.status === 'idle');
    expect(rig.running()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('is not given up while a tool runs', async () => {
    const clock = createManualClock();
    const rig = createEnvelopeRig({ clock, flags: ['slow', 'polite'] });
    const sessionId = await rig.create();
    await rig.provider.sendMessage(sessionId, 'tool');
    await rig.until(() => rig.texts().includes('look'));
    clock.advance(3_600_000);
    expect(rig.provider.isAlive(sessionId)).toBe(true);
    await rig.provider.cancelTurn(sessionId);
    expect(rig.output.turns().at(-1)).toMatchObject({ status: 'cancelled' });
  });
});
