import { describe, expect, it } from 'vitest';
import type { EventMessage } from '../../../shared/events.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

const QUIET_MS = 100;
const RECENT_MS = 2 * 60_000;

async function ask(rig: ServiceRig, sessionId: string, content: string): Promise<void> {
  const ended = rig.turnEnded(sessionId);
  await rig.service.send({ sessionId, content });
  await ended;
}

async function usedSession() {
  const rig = await createServiceRig();
  const sessionId = await rig.createSession();
  await ask(rig, sessionId, 'hello');
  await expect.poll(rig.terminal.watches.count).toBe(1);
  rig.clock.advance(QUIET_MS);
  await rig.service.reload(sessionId);
  return { rig, sessionId, from: rig.announcements.length };
}

const listed = async (rig: ServiceRig) => (await rig.service.list({ projectId: rig.project.id })).sessions[0];
const isHeld = (message: EventMessage) => message.type === 'session:changed' && message.session.heldBy !== undefined;
const isFree = (message: EventMessage) => message.type === 'session:changed' && message.session.heldBy === undefined;

describe('a session that another program has open', () => {
  it('follow/held says who has it, in the list and in snapshots, and every window is told', async () => {
    const { rig, sessionId, from } = await usedSession();
    const since = rig.clock.now();
    rig.terminal.open(sessionId, { tty: 'pts/3', since, status: 'busy' });
    const holder = { label: 'Scripted agent', pid: 4711, tty: 'pts/3', since, status: 'busy', certain: true };
    expect(await rig.announced(isHeld, from)).toMatchObject({ session: { heldBy: holder } });
    expect(await listed(rig)).toMatchObject({ heldBy: holder });
    expect(await rig.history(sessionId)).toMatchObject({ heldBy: holder });
    rig.terminal.open(sessionId, { tty: 'pts/3', since, status: 'idle' });
    await expect.poll(async () => (await listed(rig))?.heldBy?.status).toBe('idle');
  });

  it('follow/held was open there before the server was started', async () => {
    const { rig, sessionId } = await usedSession();
    await rig.close();
    const again = await createServiceRig({ after: rig, held: [sessionId] });
    await expect.poll(async () => (await listed(again))?.heldBy?.pid).toBe(4711);
  });

  it('follow/held ends our idle process at once', async () => {
    const { rig, sessionId } = await usedSession();
    rig.agent.core(sessionId);
    expect(rig.agent.isAlive(sessionId)).toBe(true);
    rig.terminal.open(sessionId);
    await expect.poll(() => rig.agent.isAlive(sessionId)).toBe(false);
  });

  it('follow/held lets a turn of ours end before our process does', async () => {
    const { rig, sessionId } = await usedSession();
    const ended = rig.turnEnded(sessionId);
    await rig.service.send({ sessionId, content: 'hold' });
    rig.terminal.open(sessionId);
    await expect.poll(() => rig.methods(sessionId)).toContain('rest');
    expect(rig.agent.isAlive(sessionId)).toBe(true);
    rig.agent.release(sessionId);
    expect(await ended).toMatchObject({ payload: { type: 'turn_complete', status: 'completed' } });
    await expect.poll(() => rig.agent.isAlive(sessionId)).toBe(false);
  });

  it('follow/held refuses a message with who has it, and keeps nothing of it', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.open(sessionId, { tty: 'pts/3' });
    const sent = rig.service.send({ sessionId, content: 'again', turnId: '11111111-1111-4111-8111-111111111111' });
    await expect(sent).rejects.toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringMatching(
        /^Scripted agent has this session open elsewhere \(process 4711, terminal pts\/3\)/,
      ),
      details: { heldBy: { pid: 4711 } },
    });
    expect(rig.methods(sessionId)).toHaveLength(3);
    expect(await rig.journal.hasTurn(sessionId, '11111111-1111-4111-8111-111111111111')).toBe(false);
  });

  it('follow/held is looked at again before every message, also if nobody told of a change', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.openSilently(sessionId);
    await expect(rig.service.send({ sessionId, content: 'again' })).rejects.toMatchObject({ code: 'SESSION_IN_USE' });
    expect(await listed(rig)).toMatchObject({ heldBy: { pid: 4711 } });
    rig.terminal.closeSilently(sessionId);
    await ask(rig, sessionId, 'again');
    expect(await listed(rig)).not.toHaveProperty('heldBy');
  });

  it('follow/held starts nothing when the user begins to write', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.open(sessionId);
    await rig.service.warm({ sessionId });
    await rig.service.reload(sessionId);
    expect(rig.methods(sessionId)).not.toContain('warmUp');
  });

  it('follow/held shows what was written there when the program ends, and can be continued', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.open(sessionId);
    await expect.poll(() => rig.methods(sessionId)).toContain('rest');
    const from = rig.announcements.length;
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.terminal.close(sessionId);
    await rig.announced(isFree, from);
    await expect.poll(async () => JSON.stringify((await rig.history(sessionId)).entries)).toContain('answered there');
    await ask(rig, sessionId, 'again');
  });

  it('follow/held cannot be deleted', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.open(sessionId);
    await expect(rig.service.manage.delete({ sessionId })).rejects.toMatchObject({ code: 'SESSION_IN_USE' });
    expect(rig.methods(sessionId)).not.toContain('delete');
    expect(await listed(rig)).toMatchObject({ id: sessionId });
  });

  it('follow/held can be archived and forked', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.open(sessionId);
    const { sessionId: copy } = await rig.service.fork({ sessionId });
    await ask(rig, copy, 'in the copy');
    await rig.service.archive({ sessionId });
  });
});

describe('a session that somebody unknown writes to', () => {
  it('follow/held may be open there for two minutes, which refuses nothing', async () => {
    const { rig, sessionId, from } = await usedSession();
    rig.terminal.write(sessionId, 'from an old terminal', 'answered there');
    rig.clock.advance(QUIET_MS);
    expect(await rig.announced(isHeld, from)).toMatchObject({
      session: { heldBy: { label: 'Scripted agent', certain: false } },
    });
    const stop = rig.service.watch(sessionId);
    await ask(rig, sessionId, 'again');
    expect(await listed(rig)).toMatchObject({ heldBy: { certain: false } });
    const later = rig.announcements.length;
    rig.clock.advance(RECENT_MS);
    await rig.announced(isFree, later);
    expect(await listed(rig)).not.toHaveProperty('heldBy');
    stop();
  });

  it('follow/held is not suspected of what a program wrote that is known to have ended', async () => {
    const { rig, sessionId, from } = await usedSession();
    rig.terminal.open(sessionId);
    await rig.announced(isHeld, from);
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.terminal.close(sessionId);
    await expect.poll(async () => JSON.stringify((await rig.history(sessionId)).entries)).toContain('answered there');
    expect(await listed(rig)).not.toHaveProperty('heldBy');
  });

  it('follow/held is not suspected of what was written long ago', async () => {
    const { rig, sessionId, from } = await usedSession();
    rig.terminal.write(sessionId, 'long ago', 'answered long ago', '2024-01-01T00:00:00.000Z');
    rig.clock.advance(QUIET_MS);
    await expect
      .poll(async () => JSON.stringify((await rig.history(sessionId)).entries))
      .toContain('answered long ago');
    expect(rig.messages().slice(from).some(isHeld)).toBe(false);
  });
});
