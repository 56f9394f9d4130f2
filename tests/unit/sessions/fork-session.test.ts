import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

async function ask(rig: ServiceRig, sessionId: string, content: string): Promise<void> {
  const ended = rig.turnEnded(sessionId);
  await rig.service.send({ sessionId, content });
  await ended;
}

async function usedSession(options?: Parameters<typeof createServiceRig>[0]) {
  const rig = await createServiceRig(options);
  const sessionId = await rig.createSession();
  await ask(rig, sessionId, 'hello');
  return { rig, sessionId };
}

const textsOf = async (rig: ServiceRig, sessionId: string) =>
  (await rig.history(sessionId)).entries.map((item) => (item.type === 'tool_call' ? '' : item.content));

describe('a fork', () => {
  it('follow/fork is a session of its own that opens with a copy of the conversation and goes on from there', async () => {
    const { rig, sessionId: from } = await usedSession();
    const { sessionId, session, ...forked } = await rig.service.fork({ sessionId: from });
    expect(forked).toEqual({ cliType: rig.agent.cliType, projectId: rig.project.id });
    expect(session).toMatchObject({ id: sessionId, title: 'hello (fork)', state: 'closed' });
    expect(rig.sessions.get(sessionId)).toMatchObject({
      origin: { from, how: 'forked' },
      used: true,
      titleChosen: true,
    });
    const line = 'Forked from “hello” from here on.';
    await expect.poll(() => textsOf(rig, sessionId)).toEqual(['hello', 'You said: hello', line]);
    await ask(rig, sessionId, 'on');
    expect(await textsOf(rig, sessionId)).toEqual(['hello', 'You said: hello', line, 'on', 'You said: on']);
    expect(await textsOf(rig, from)).toEqual(['hello', 'You said: hello']);
  });

  it('follow/fork says once where it began, also after a restart', async () => {
    const { rig, sessionId: from } = await usedSession();
    const { sessionId } = await rig.service.fork({ sessionId: from });
    await expect.poll(() => textsOf(rig, sessionId)).toHaveLength(3);
    await rig.close();
    const again = await createServiceRig({ after: rig });
    const texts = await textsOf(again, sessionId);
    await again.service.reload(sessionId);
    expect(await textsOf(again, sessionId)).toEqual(texts);
    expect(texts).toHaveLength(3);
  });

  it('follow/fork of a fork keeps its title', async () => {
    const { rig, sessionId } = await usedSession();
    const first = await rig.service.fork({ sessionId });
    const second = await rig.service.fork({ sessionId: first.sessionId });
    expect(second.session.title).toBe('hello (fork)');
  });

  it('follow/branches follow/fork is asked of the agent with the branch or the entry that was chosen', async () => {
    const { rig, sessionId } = await usedSession();
    const points: unknown[] = [];
    const { fork } = rig.agent;
    rig.agent.fork = (id, point) => {
      points.push(point);
      return fork(id, point);
    };
    await rig.service.fork({ sessionId, branch: 'row-7' });
    await rig.service.fork({ sessionId, itemId: 'item-3' });
    const projectDir = rig.project.path;
    expect(points).toEqual([
      { projectDir, branch: 'row-7', itemId: undefined },
      { projectDir, branch: undefined, itemId: 'item-3' },
    ]);
  });

  it('follow/fork of an agent that cannot fork leaves nothing behind', async () => {
    const { rig, sessionId } = await usedSession();
    rig.agent.failNext('fork', new AppError('FORK_UNSUPPORTED'));
    await expect(rig.service.fork({ sessionId })).rejects.toMatchObject({ code: 'FORK_UNSUPPORTED' });
    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toHaveLength(1);
  });

  it('follow/fork that cannot be saved leaves no session and no copy behind', async () => {
    const full = new AppError('STORAGE_FAILED');
    let isFull = false;
    const { rig, sessionId } = await usedSession({
      sessions: (store) => ({ ...store, add: (meta) => (isFull ? Promise.reject(full) : store.add(meta)) }),
    });
    isFull = true;
    await expect(rig.service.fork({ sessionId })).rejects.toBe(full);
    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toHaveLength(1);
    expect([...rig.transcripts.keys()]).toEqual([sessionId]);
  });

  it('follow/fork of a session that is unknown or archived is refused', async () => {
    const { rig, sessionId } = await usedSession();
    await rig.service.archive({ sessionId });
    for (const unknown of [sessionId, 'claude-code:nobody']) {
      await expect(rig.service.fork({ sessionId: unknown })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }
  });
});
