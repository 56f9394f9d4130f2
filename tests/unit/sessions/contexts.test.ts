import { describe, expect, it } from 'vitest';
import type { Context } from '../../../shared/entities.ts';
import type { EventMessage } from '../../../shared/events.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

const COLLECT_MS = 100;

async function ask(rig: ServiceRig, sessionId: string, content: string): Promise<void> {
  const ended = rig.turnEnded(sessionId);
  await rig.service.send({ sessionId, content });
  await ended;
}

const listed = async (rig: ServiceRig) => (await rig.service.list({ projectId: rig.project.id })).sessions[0];
const hasState = (state: Context['state']) => (message: EventMessage) =>
  message.type === 'session:changed' && message.session.context?.state === state;

/** The agent now says this about the session. */
async function know(rig: ServiceRig, sessionId: string, context: Context): Promise<void> {
  const from = rig.announcements.length;
  rig.agent.known = { context, branches: [] };
  await ask(rig, sessionId, 'hello');
  rig.clock.advance(COLLECT_MS);
  await rig.announced(hasState(context.state), from);
}

describe('what the model is given', () => {
  it('follow/context is fresh in a new session, and resumed without a number where the agent says nothing', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    expect(await listed(rig)).toMatchObject({ context: { state: 'fresh' } });
    expect(await rig.history(sessionId)).toMatchObject({ context: { state: 'fresh' } });
    await ask(rig, sessionId, 'hello');
    expect((await listed(rig))?.context).toEqual({ state: 'resumed' });
    await rig.close();
    const again = await createServiceRig({ after: rig });
    expect(await listed(again)).not.toHaveProperty('context');
  });

  it('follow/context is worked out after each turn, announced, and in snapshots', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const branch = { id: 'row-7', turns: 2, text: 'the other way' };
    rig.agent.known = { context: { state: 'resumed', messages: 2 }, branches: [branch] };
    await ask(rig, sessionId, 'hello');
    rig.clock.advance(COLLECT_MS);
    await rig.announced((message) => message.type === 'session:changed' && message.session.context?.messages === 2);
    expect(await rig.history(sessionId)).toMatchObject({
      context: { state: 'resumed', messages: 2 },
      branches: [branch],
    });
    await know(rig, sessionId, { state: 'compacted', messages: 3, at: '2026-01-01T00:00:00.000Z' });
    expect(await rig.history(sessionId)).not.toHaveProperty('branches');
  });

  it('follow/context names the session that was forked', async () => {
    const rig = await createServiceRig();
    const from = await rig.createSession();
    await ask(rig, from, 'hello');
    const { sessionId } = await rig.service.fork({ sessionId: from });
    const at = rig.clock.now();
    rig.clock.advance(1_000);
    rig.agent.known = { context: { state: 'resumed', messages: 2 }, branches: [] };
    await rig.history(sessionId);
    rig.clock.advance(COLLECT_MS);
    await rig.announced(hasState('forked'));
    expect((await rig.history(sessionId)).context).toEqual({ state: 'forked', messages: 2, from, at });
  });

  it('follow/context that was lost is said in a line of the conversation, once', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const reason = 'The agent began anew.';
    await know(rig, sessionId, { state: 'reset', reason });
    const { entries } = await rig.history(sessionId);
    expect(entries.at(-1)).toMatchObject({ type: 'message', origin: 'system', content: reason });
    await ask(rig, sessionId, 'hello');
    rig.clock.advance(COLLECT_MS);
    await rig.service.reload(sessionId);
    const lines = (await rig.history(sessionId)).entries.filter((item) => 'origin' in item && item.origin === 'system');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty('inContext');
  });
});

describe('a message where the model does not know the conversation', () => {
  it.each(['reset', 'unknown'] as const)(
    'follow/ask is refused while it is %s, until that is accepted',
    async (state) => {
      const rig = await createServiceRig();
      const sessionId = await rig.createSession();
      const context = { state, reason: 'Nobody knows.' };
      await know(rig, sessionId, context);
      const message = { sessionId, content: 'again', ask: true as const };
      const sends = () => rig.agent.calls.filter(({ method }) => method === 'send').length;
      const before = sends();
      await expect(rig.service.send(message)).rejects.toMatchObject({
        code: 'CONTEXT_UNCERTAIN',
        status: 409,
        details: { context },
      });
      const other = state === 'reset' ? 'unknown' : 'reset';
      await expect(rig.service.send({ ...message, accept: other })).rejects.toMatchObject({
        code: 'CONTEXT_UNCERTAIN',
      });
      expect(sends()).toBe(before);
      for (const accepted of [{ accept: state }, {}]) {
        const ended = rig.turnEnded(sessionId);
        await rig.service.send({ ...message, ...accepted });
        await ended;
      }
      await know(rig, sessionId, { state: 'resumed' });
      await know(rig, sessionId, context);
      await expect(rig.service.send(message)).rejects.toMatchObject({ code: 'CONTEXT_UNCERTAIN' });
    },
  );

  it('follow/ask waits for the answer to what the model has, and is sent where nobody can be asked', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await ask(rig, sessionId, 'hello');
    rig.agent.known = { context: { state: 'unknown' }, branches: [] };
    const message = { sessionId, content: 'again' };
    await expect(rig.service.send({ ...message, ask: true })).rejects.toMatchObject({ code: 'CONTEXT_UNCERTAIN' });
    await ask(rig, sessionId, 'again');
  });
});
