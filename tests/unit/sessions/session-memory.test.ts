import { describe, expect, it } from 'vitest';
import type { SessionMeta } from '../../../shared/entities.ts';
import { AppError } from '../../../shared/errors.ts';
import { createServiceRig } from './service-rig.ts';

const EVICT_AFTER = 60_000;

describe('a session in memory', () => {
  it('is let go when nobody watches it and nothing runs in it, and comes back by load', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const ended = rig.turnEnded(sessionId);
    await rig.service.send({ sessionId, content: 'hello' });
    await ended;
    const before = await rig.history(sessionId);
    const from = rig.announcements.length;

    rig.clock.advance(EVICT_AFTER);

    expect((await rig.service.status({ sessionId })).state).toBe('closed');
    expect(rig.messages().slice(from)).toMatchObject([
      { type: 'session:changed', sessionId, session: { state: 'closed' } },
    ]);
    expect((await rig.history(sessionId)).entries).toEqual(before.entries);
    expect(rig.methods(sessionId).at(-1)).toBe('load');
  });

  it('that failed is told so to all windows and stays so in the list, also when it is loaded anew', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const isFailed = async () => {
      const { sessions } = await rig.service.list({ projectId: rig.project.id });
      return sessions.find(({ id }) => id === sessionId)?.failed;
    };
    const ended = rig.turnEnded(sessionId);
    await rig.service.send({ sessionId, content: 'fail' });
    await ended;
    expect(rig.announcements.at(-1)).toMatchObject({
      to: 'all',
      message: { type: 'session:changed', sessionId, session: { running: false, failed: true } },
    });
    rig.clock.advance(EVICT_AFTER);
    expect(await isFailed()).toBe(true);
    await rig.service.load({ sessionId });
    expect(await isFailed()).toBe(true);
  });

  it('is no longer failed once a turn ends well', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    for (const [content, failed] of [
      ['fail', true],
      ['hello', false],
    ] as const) {
      const ended = rig.turnEnded(sessionId);
      await rig.service.send({ sessionId, content });
      await ended;
      const { sessions } = await rig.service.list({ projectId: rig.project.id });
      expect(sessions[0]?.failed).toBe(failed);
    }
  });

  it('stays while it is watched, however long, and goes after the last one left', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const stops = [rig.service.watch(sessionId), rig.service.watch(sessionId)];

    rig.clock.advance(EVICT_AFTER * 10);
    stops[0]?.();
    stops[0]?.();
    rig.clock.advance(EVICT_AFTER * 10);
    expect((await rig.service.status({ sessionId })).state).toBe('open');

    stops[1]?.();
    rig.clock.advance(EVICT_AFTER - 1);
    expect((await rig.service.status({ sessionId })).state).toBe('open');
    rig.clock.advance(1);
    expect((await rig.service.status({ sessionId })).state).toBe('closed');
  });

  it('stays while a turn runs, and for its while after the end', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await rig.service.send({ sessionId, content: 'hold' });
    const ended = rig.turnEnded(sessionId);

    rig.clock.advance(EVICT_AFTER * 10);
    expect((await rig.service.status({ sessionId })).running).toBe(true);
    rig.agent.release(sessionId);
    await ended;

    rig.clock.advance(EVICT_AFTER - 1);
    expect((await rig.service.status({ sessionId })).state).toBe('open');
    rig.clock.advance(1);
    expect((await rig.service.status({ sessionId })).state).toBe('closed');
  });

  it('engine/background-live engine/background-stop stays while work goes on in the background, says so in the list, and goes after it ended', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const ended = rig.turnEnded(sessionId);
    const { turnId } = await rig.service.send({ sessionId, content: 'hold' });
    const core = rig.agent.core(sessionId);
    const itemId = `${turnId}:9:0`;
    core.apply({ do: 'tool_start', turnId, itemId, callId: 'c', name: 'Bash' });
    core.apply({ do: 'tool_background', callId: 'c', taskId: 'task' });
    rig.agent.release(sessionId);
    await ended;
    const item = async () => (await rig.service.list({ projectId: rig.project.id })).sessions[0];

    expect(await item()).toMatchObject({ running: false, background: 1 });
    expect(rig.messages().at(-1)).toMatchObject({ type: 'session:changed', session: { background: 1 } });
    rig.clock.advance(EVICT_AFTER * 10);
    expect(await item()).toMatchObject({ state: 'open', background: 1 });

    await rig.service.stopBackground({ sessionId, itemId: 'unknown' });
    expect(await item()).toMatchObject({ background: 1 });
    await rig.service.stopBackground({ sessionId, itemId });
    expect(rig.messages().at(-1)).toMatchObject({ type: 'session:changed', session: { background: 0 } });
    rig.clock.advance(EVICT_AFTER);
    expect(await item()).toMatchObject({ state: 'closed', background: 0 });
  });

  it('engine/background-reload a snapshot says when running work began, however often it changed', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const { turnId } = await rig.service.send({ sessionId, content: 'hold' });
    const core = rig.agent.core(sessionId);
    const itemId = `${turnId}:9:0`;
    const inSnapshot = async () => (await rig.history(sessionId)).entries.find((entry) => entry.itemId === itemId);
    const startedAt = rig.clock.now();
    core.apply({ do: 'tool_start', turnId, itemId, callId: 'c', name: 'Bash' });
    expect(await inSnapshot()).not.toHaveProperty('startedAt');
    rig.clock.advance(1_000);
    core.apply({ do: 'tool_background', callId: 'c', taskId: 'task' });
    rig.clock.advance(1_000);
    core.apply({ do: 'tool_output', callId: 'c', output: 'more' });
    expect(await inSnapshot()).toMatchObject({ status: 'update', startedAt });
    core.apply({ do: 'tool_done', callId: 'c', turnId, output: 'done', isError: false });
    expect(await inSnapshot()).not.toHaveProperty('startedAt');
  });

  it('stays while a message is on its way to the agent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const send = rig.service.send({ sessionId, content: 'hello' });
    await rig.agent.gates.send.reached();

    rig.clock.advance(EVICT_AFTER * 2);
    const ended = rig.turnEnded(sessionId);
    rig.agent.gates.send.open();
    await send;

    expect(await ended).toMatchObject({ payload: { type: 'turn_complete' } });
  });

  it('leaves no timer behind when it is killed or when the service closes', async () => {
    const rig = await createServiceRig();
    await rig.closedSession();
    await rig.createSession();

    await rig.service.close();

    expect(rig.clock.pending).toBe(0);
  });

  it('leaves no timer behind when its load ends after the service closed', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.gates.load.close();
    const load = rig.service.load({ sessionId });
    await rig.agent.gates.load.reached();

    await rig.service.close();
    await load;

    expect(rig.clock.pending).toBe(0);
  });
});

describe('a session whose agent is no longer configured', () => {
  it('is listed, has no process, cannot be opened, and can be archived', async () => {
    const rig = await createServiceRig();
    const now = rig.clock.now();
    const facts = { projectId: rig.project.id, title: 'Old', archived: false, createdAt: now, lastActiveAt: now };
    const sessionId = 'former-agent:one';
    await rig.sessions.add({ ...facts, id: sessionId, cliType: 'former-agent' });

    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toMatchObject([{ id: sessionId }]);
    expect(await rig.service.status({ sessionId })).toMatchObject({ isAlive: false, state: 'closed' });
    await expect(rig.service.load({ sessionId })).rejects.toMatchObject({ code: 'UNSUPPORTED_CLI_TYPE' });
    expect(await rig.service.kill({ sessionId })).toEqual({ sessionId });
    expect(await rig.service.archive({ sessionId })).toEqual({ sessionId });
    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toEqual([]);
    expect(rig.failures).toEqual([]);
  });
});

describe('last activity', () => {
  it('moves with a message and with the end of its turn, not with opening', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const last = () => rig.sessions.get(sessionId)?.lastActiveAt;
    const created = last();

    rig.clock.advance(1000);
    await rig.service.kill({ sessionId });
    await rig.service.load({ sessionId });
    await rig.history(sessionId);
    expect(last()).toBe(created);

    rig.clock.advance(1000);
    const sentAt = rig.clock.now();
    await rig.service.send({ sessionId, content: 'hold' });
    expect(last()).toBe(sentAt);

    rig.clock.advance(1000);
    const ended = rig.turnEnded(sessionId);
    rig.agent.release(sessionId);
    await ended;
    expect(last()).toBe(rig.clock.now());
    expect(last()).not.toBe(sentAt);
  });
});

describe('a session that was never used', () => {
  it('is told from one that was, whatever its title says', async () => {
    const rig = await createServiceRig();
    const options: unknown[] = [];
    const { loadSession } = rig.agent;
    rig.agent.loadSession = (sessionId, given) => {
      options.push(given);
      return loadSession(sessionId, given);
    };
    const fresh = await rig.closedSession();
    await rig.service.load({ sessionId: fresh });
    const used = await rig.createSession();
    await rig.service.send({ sessionId: used, content: 'New Session' });
    await rig.service.kill({ sessionId: used });
    await rig.service.load({ sessionId: used });

    expect(rig.sessions.get(used)?.title).toBe('New Session');
    expect(options).toMatchObject([{ neverUsed: true }, { neverUsed: false }]);
  });

  it('is still one after a message that could not be sent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new AppError('AGENT_NOT_SIGNED_IN'));

    await rig.service.send({ sessionId, content: 'hello' }).catch(() => undefined);

    expect(rig.sessions.get(sessionId)?.used).toBe(false);
  });

  it.each([
    ['without a title or activity', {}, false],
    ['with a title', { title: 'A title' }, true],
    ['with later activity', { lastActiveAt: '2030-01-01T00:00:00.000Z' }, true],
  ])('of an older version, %s, is worked out once', async (_name, facts, used) => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    const { used: _, seqCeiling: __, ...old } = rig.sessions.get(sessionId) as SessionMeta;
    await rig.sessions.add({ ...old, ...facts });

    await rig.service.load({ sessionId });

    expect(rig.sessions.get(sessionId)?.used).toBe(used);
  });
});

describe('a disk that is full', () => {
  const full = new AppError('STORAGE_FAILED');

  it('fails a create and leaves neither session nor process', async () => {
    const rig = await createServiceRig({
      sessions: (store) => ({ ...store, add: () => Promise.reject(full) }),
    });

    await expect(rig.createSession()).rejects.toBe(full);

    expect(rig.agent.processes).toEqual({ started: 1, ended: 1, running: 0 });
    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toEqual([]);
    expect(rig.messages().filter(({ type }) => type === 'session:changed')).toEqual([]);
    expect(rig.clock.pending).toBe(0);
  });

  it('fails an archive and leaves the session as it was', async () => {
    const rig = await createServiceRig({
      sessions: (store) => ({ ...store, updateNow: () => Promise.reject(full) }),
    });
    const sessionId = await rig.createSession();

    await expect(rig.service.archive({ sessionId })).rejects.toBe(full);

    expect((await rig.service.list({ projectId: rig.project.id })).sessions).toMatchObject([{ id: sessionId }]);
    expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'open', isAlive: true });
  });

  it('does not fail a message that went out', async () => {
    const rig = await createServiceRig({
      sessions: (store) => ({
        ...store,
        async update(sessionId, patch) {
          void store.update(sessionId, patch);
          throw full;
        },
        async updateNow(sessionId, patch) {
          void store.update(sessionId, patch);
          throw full;
        },
      }),
    });
    const sessionId = await rig.createSession();

    await rig.service.send({ sessionId, content: 'hello' });

    expect(rig.sessions.get(sessionId)?.title).toBe('hello');
  });
});
