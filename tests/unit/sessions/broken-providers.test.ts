import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import type { MessageUpsert } from '../../../shared/stream-contracts.ts';
import { createServiceRig } from './service-rig.ts';

function upsert(sessionId: string, turnId: string, changes: Partial<MessageUpsert> = {}): MessageUpsert {
  const at = '2025-01-01T00:00:00.000Z';
  return {
    type: 'message',
    sessionId,
    turnId,
    itemId: `${turnId}:0:0`,
    sourceTimestamp: at,
    emittedAt: at,
    status: 'complete',
    content: 'late words',
    origin: 'agent',
    ...changes,
  };
}

describe('a provider that breaks its contract', () => {
  it('by rejecting after it showed the message: the turn ends as an error', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new ProviderError('AGENT_PROTOCOL_ERROR'), { afterMessage: true });
    const ended = rig.turnEnded(sessionId);

    await expect(rig.service.send({ sessionId, content: 'hello' })).rejects.toMatchObject({
      code: 'AGENT_PROTOCOL_ERROR',
    });

    expect(await ended).toMatchObject({ payload: { type: 'turn_error', errorCode: 'AGENT_PROTOCOL_ERROR' } });
    expect((await rig.history(sessionId)).turns).toMatchObject([{ status: 'error' }]);
    expect((await rig.service.status({ sessionId })).running).toBe(false);
  });

  it('by rejecting with an error that has no code: its inner words are not shown', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new Error('secret path'), { afterMessage: true });
    const ended = rig.turnEnded(sessionId);

    await rig.service.send({ sessionId, content: 'hello' }).catch(() => undefined);

    const event = await ended;
    expect(event).toMatchObject({ payload: { errorCode: 'INTERNAL_ERROR' } });
    expect(JSON.stringify(event)).not.toContain('secret path');
  });

  it('by emitting after the end: what was said is shown, the turn stays ended and is announced once', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const ended = rig.turnEnded(sessionId);
    const { turnId } = await rig.service.send({ sessionId, content: 'hello' });
    await ended;
    const before = rig.announcements.length;

    rig.agent.emitTurn({ type: 'turn_started', turnId, sessionId, modelId: 'm', providerId: 'p' });
    rig.agent.emitTurn({ type: 'turn_complete', turnId, sessionId, status: 'cancelled' });
    rig.agent.emitUpsert(upsert(sessionId, turnId, { itemId: `${turnId}:user`, origin: 'user' }));
    rig.agent.emitUpsert(upsert(sessionId, turnId, { itemId: `${turnId}:9:0` }));

    const { entries, turns } = await rig.history(sessionId);
    expect(turns).toMatchObject([{ turnId, status: 'completed' }]);
    expect(entries.at(-1)).toMatchObject({ itemId: `${turnId}:9:0`, content: 'late words' });
    expect((await rig.service.status({ sessionId })).running).toBe(false);
    expect(
      rig
        .messages()
        .slice(before)
        .filter(({ type }) => type === 'session:turn'),
    ).toEqual([]);
  });

  it('by ending a turn that never began: it is known as ended', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    const ended = rig.turnEnded(sessionId);
    rig.agent.emitTurn({ type: 'turn_error', turnId: 't', sessionId, errorCode: 'X', errorMessage: 'x' });
    await ended;

    expect((await rig.history(sessionId)).turns).toMatchObject([{ turnId: 't', status: 'error' }]);
    expect((await rig.service.status({ sessionId })).running).toBe(false);
  });

  it('by leaving a turn open when it kills the session: the turn ends as an error', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.emitTurn({ type: 'turn_started', turnId: 'stray', sessionId, modelId: 'm', providerId: 'p' });
    expect((await rig.service.status({ sessionId })).running).toBe(true);
    const ended = rig.turnEnded(sessionId);

    await rig.service.kill({ sessionId });

    expect(await ended).toMatchObject({ payload: { type: 'turn_error', turnId: 'stray', errorCode: 'PROCESS_CRASH' } });
  });

  it.each(['disconnected', 'reconnecting'] as const)(
    'by leaving a turn open when its process is %s: the turn ends as an error',
    async (status) => {
      const rig = await createServiceRig();
      const [own, other] = [await rig.createSession(), await rig.createSession()];
      for (const sessionId of [own, other]) {
        rig.agent.emitTurn({ type: 'turn_started', turnId: 'stray', sessionId, modelId: 'm', providerId: 'p' });
      }
      const ended = rig.turnEnded(own);

      rig.agent.emitStatus({ sessionId: own, status });

      expect(await ended).toMatchObject({ payload: { turnId: 'stray', errorCode: 'PROCESS_CRASH' } });
      expect((await rig.service.status({ sessionId: other })).running).toBe(true);
    },
  );

  it('keeps its own reason when it ends its turns before it reports the process', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const { turnId } = await rig.service.send({ sessionId, content: 'hold' });
    const ended = rig.turnEnded(sessionId);

    rig.agent.emitTurn({
      type: 'turn_error',
      turnId,
      sessionId,
      errorCode: 'PROCESS_CRASH',
      errorMessage: 'Exit 137.',
    });
    rig.agent.emitStatus({ sessionId, status: 'disconnected' });

    expect(await ended).toMatchObject({ payload: { errorMessage: 'Exit 137.' } });
  });

  it('loses every running turn of a shared process with it', async () => {
    const rig = await createServiceRig();
    const ids = [await rig.createSession(), await rig.createSession()];
    for (const sessionId of ids) await rig.service.send({ sessionId, content: 'hold' });
    const ends = ids.map((sessionId) => rig.turnEnded(sessionId));
    const from = rig.announcements.length;

    rig.agent.emitStatus({ status: 'disconnected' });

    await Promise.all(ends);
    for (const sessionId of ids) {
      expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'dead', running: false });
      const changed = rig.messages().slice(from);
      expect(changed).toContainEqual(
        expect.objectContaining({
          type: 'session:changed',
          sessionId,
          session: expect.objectContaining({ state: 'dead' }),
        }),
      );
    }
  });
});
