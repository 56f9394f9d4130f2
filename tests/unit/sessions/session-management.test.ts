import { describe, expect, it } from 'vitest';
import type { ForgetSession } from '../../../server/sessions/session-management.ts';
import type { SessionStore } from '../../../server/sessions/session-store.ts';
import { AppError } from '../../../shared/errors.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

const unknown = 'claude-code:none';
const list = async ({ service, project }: ServiceRig, archived?: true) =>
  (await service.list({ projectId: project.id, ...(archived && { archived }) })).sessions;
const ids = async (rig: ServiceRig, archived?: true) => (await list(rig, archived)).map(({ id }) => id);
const titlesTold = ({ agent }: ServiceRig) => agent.calls.flatMap(({ title }) => (title === undefined ? [] : [title]));

/** A disk that can be full for writes that must be on it at once. */
function fullDisk() {
  const disk = { isFull: false };
  const sessions = (store: SessionStore): SessionStore => ({
    ...store,
    async updateNow(sessionId, patch) {
      await store.updateNow(sessionId, patch);
      if (disk.isFull) throw new AppError('STORAGE_FAILED');
    },
  });
  return { disk, sessions };
}

describe('renaming a session', () => {
  it('keep/rename tells the agent, and the first message does not replace the title', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    expect(await rig.service.manage.rename({ sessionId, title: 'Chosen' })).toEqual({ sessionId, title: 'Chosen' });
    await rig.service.send({ sessionId, content: 'First words' });

    expect(titlesTold(rig)).toEqual(['Chosen']);
    expect((await list(rig))[0]?.title).toBe('Chosen');
  });

  it('keep/rename keeps a title that is the same as the placeholder', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    await rig.service.manage.rename({ sessionId, title: 'New Session' });
    await rig.service.send({ sessionId, content: 'First words' });

    expect((await list(rig))[0]?.title).toBe('New Session');
  });

  it('keep/rename starts no process, and tells the agent when it next has the session open', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    const { started } = rig.agent.processes;
    rig.agent.toldTitle = 'later';
    await rig.service.manage.rename({ sessionId, title: 'Chosen' });
    expect(rig.agent.processes.started).toBe(started);
    expect(rig.sessions.get(sessionId)?.titleUntold).toBe(true);

    rig.agent.toldTitle = 'told';
    await rig.service.send({ sessionId, content: 'hello' });
    await rig.service.send({ sessionId, content: 'hello again' });

    expect(titlesTold(rig)).toEqual(['Chosen', 'Chosen']);
    expect(rig.sessions.get(sessionId)?.titleUntold).toBe(false);
  });

  it('keep/rename asks an agent that keeps no titles once', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.toldTitle = 'never';

    await rig.service.manage.rename({ sessionId, title: 'Chosen' });
    await rig.service.send({ sessionId, content: 'hello' });

    expect(titlesTold(rig)).toEqual(['Chosen']);
  });

  it('keep/rename keeps the title and tells it later when the agent fails', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('title', new Error('no'));

    await rig.service.manage.rename({ sessionId, title: 'Chosen' });

    expect(rig.failures).toHaveLength(1);
    expect(rig.sessions.get(sessionId)).toMatchObject({ title: 'Chosen', titleUntold: true });
  });

  it('keep/rename keeps the former title when the new one cannot be saved', async () => {
    const { disk, sessions } = fullDisk();
    const rig = await createServiceRig({ sessions });
    const sessionId = await rig.createSession();
    await rig.service.send({ sessionId, content: 'First words' });
    disk.isFull = true;

    await expect(rig.service.manage.rename({ sessionId, title: 'Chosen' })).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    });

    expect(rig.sessions.get(sessionId)).toMatchObject({ title: 'First words', titleChosen: false });
    expect(titlesTold(rig)).toEqual([]);
  });
});

describe('pinning a session', () => {
  it('keep/pin puts it first, above newer ones, and tells every window', async () => {
    const rig = await createServiceRig();
    const [first, second, third] = [await rig.createSession(), await rig.createSession(), await rig.createSession()];
    for (const sessionId of [first, second, third]) {
      rig.clock.advance(1000);
      await rig.service.send({ sessionId, content: 'hello' });
    }
    const from = rig.announcements.length;

    expect(await rig.service.manage.pin({ sessionId: first, pinned: true })).toEqual({
      sessionId: first,
      pinned: true,
    });
    expect(await ids(rig)).toEqual([first, third, second]);
    expect(rig.messages().slice(from)).toMatchObject([{ type: 'session:changed', session: { pinned: true } }]);

    await rig.service.manage.pin({ sessionId: first, pinned: false });
    expect(await ids(rig)).toEqual([third, second, first]);
  });
});

describe('archived sessions', () => {
  it('keep/archived-list are listed by themselves', async () => {
    const rig = await createServiceRig();
    const [kept, archived] = [await rig.createSession(), await rig.createSession()];
    await rig.service.archive({ sessionId: archived });

    expect(await ids(rig)).toEqual([kept]);
    expect(await ids(rig, true)).toEqual([archived]);
  });

  it('keep/archive-undo come back at once, even while their process is still ending', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await rig.service.send({ sessionId, content: 'hello' });
    rig.agent.gates.kill.close();
    await rig.service.archive({ sessionId });

    const { session } = await rig.service.manage.unarchive({ sessionId });
    expect(session).toMatchObject({ id: sessionId, title: 'hello' });
    expect(await ids(rig)).toEqual([sessionId]);

    const sent = rig.service.send({ sessionId, content: 'and on' });
    rig.agent.gates.kill.open();
    await expect(sent).resolves.toMatchObject({ sessionId });
    expect(rig.failures).toEqual([]);
  });

  it('keep/archive-undo bringing back what is not archived changes nothing', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    expect(await rig.service.manage.unarchive({ sessionId })).toMatchObject({ sessionId, session: { id: sessionId } });
  });

  it('keep/archived-list cannot be renamed or pinned', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await rig.service.archive({ sessionId });
    const { manage } = rig.service;

    await expect(manage.rename({ sessionId, title: 'T' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(manage.pin({ sessionId, pinned: true })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('deleting a session', () => {
  const withForget = async (...forget: ForgetSession[]) => createServiceRig({ forget });

  it('keep/delete ends its process, deletes the conversation, then what is kept of it, then the entry', async () => {
    const steps: string[] = [];
    const rig: ServiceRig = await withForget(
      async (sessionId) => void steps.push(`journal ${rig.methods(sessionId).slice(-2)}`),
      async (sessionId) => void steps.push(`copies ${rig.sessions.get(sessionId) !== undefined}`),
    );
    const sessionId = await rig.createSession();
    rig.agent.left = 'The agent keeps a copy.';

    expect(await rig.service.manage.delete({ sessionId })).toEqual({ sessionId, left: 'The agent keeps a copy.' });

    expect(steps).toEqual(['journal kill,delete', 'copies true']);
    expect(rig.sessions.get(sessionId)).toBeUndefined();
    expect(rig.agent.processes.running).toBe(0);
    await expect(rig.service.load({ sessionId })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(rig.service.manage.delete({ sessionId })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('keep/delete also deletes an archived session, even while its process is still ending', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.kill.close();
    await rig.service.archive({ sessionId });

    const deleted = rig.service.manage.delete({ sessionId });
    expect(rig.methods(sessionId)).not.toContain('delete');
    rig.agent.gates.kill.open();

    expect(await deleted).toEqual({ sessionId });
    expect(await ids(rig, true)).toEqual([]);
  });

  it('keep/delete refuses while a turn or background work runs', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const refusal = async () => rig.service.manage.delete({ sessionId }).catch((error: unknown) => error);
    const { turnId } = await rig.service.send({ sessionId, content: 'hold' });
    const core = rig.agent.core(sessionId);
    core.apply({ do: 'tool_start', turnId, itemId: `${turnId}:9:0`, callId: 'c', name: 'Bash' });
    core.apply({ do: 'tool_background', callId: 'c', taskId: 'task' });
    expect(await refusal()).toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringMatching(/turn is running/),
    });

    const ended = rig.turnEnded(sessionId);
    rig.agent.release(sessionId);
    await ended;
    expect(await refusal()).toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringMatching(/Background work/),
    });

    expect(rig.methods(sessionId)).not.toContain('kill');
    await rig.service.stopBackground({ sessionId });
    expect(await refusal()).toEqual({ sessionId });
  });

  it('keep/delete refuses while a message is on its way to the agent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const sent = rig.service.send({ sessionId, content: 'hello' });

    await expect(rig.service.manage.delete({ sessionId })).rejects.toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringMatching(/being sent/),
    });

    rig.agent.gates.send.open();
    await sent;
  });

  it('keep/delete leaves everything in place when the agent refuses', async () => {
    const forgotten: string[] = [];
    const rig = await withForget(async (sessionId) => void forgotten.push(sessionId));
    const sessionId = await rig.createSession();
    rig.agent.failNext('delete', new AppError('SESSION_IN_USE', 'Another process has it open.'));

    await expect(rig.service.manage.delete({ sessionId })).rejects.toMatchObject({ code: 'SESSION_IN_USE' });

    expect(forgotten).toEqual([]);
    expect(await ids(rig)).toEqual([sessionId]);
    expect(await rig.service.manage.delete({ sessionId })).toEqual({ sessionId });
    expect(forgotten).toEqual([sessionId]);
  });

  it('keep/delete can be repeated when it failed half-way', async () => {
    let isDown = true;
    const rig = await withForget(async () => {
      if (isDown) throw new AppError('STORAGE_FAILED');
    });
    const sessionId = await rig.createSession();
    await expect(rig.service.manage.delete({ sessionId })).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    expect(await ids(rig)).toEqual([sessionId]);

    isDown = false;
    expect(await rig.service.manage.delete({ sessionId })).toEqual({ sessionId });
  });

  it('keep/delete a load that comes meanwhile waits for it and does not find the session', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.kill.close();
    const deleted = rig.service.manage.delete({ sessionId });

    const loaded = rig.service.load({ sessionId });
    rig.agent.gates.kill.open();
    await deleted;

    await expect(loaded).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(rig.agent.processes.running).toBe(0);
  });
});

it.each(['rename', 'pin', 'unarchive', 'delete'] as const)('an unknown session is not found: %s', async (name) => {
  const { service } = await createServiceRig();
  const { manage } = service;
  const commands = {
    rename: () => manage.rename({ sessionId: unknown, title: 'T' }),
    pin: () => manage.pin({ sessionId: unknown, pinned: true }),
    unarchive: () => manage.unarchive({ sessionId: unknown }),
    delete: () => manage.delete({ sessionId: unknown }),
  };

  await expect(commands[name]()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});
