import { describe, expect, it } from 'vitest';
import type { TurnTimes } from '../../../shared/stream-contracts.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

/** The announced turn events: what happened, and the times that came with it. */
const announced = (rig: ServiceRig): [string, TurnTimes | undefined][] =>
  rig.messages().flatMap((message) => (message.type === 'session:turn' ? [[message.payload.type, message.times]] : []));

describe('the times of a turn', () => {
  it('come with its events as they are in a snapshot and in the journal', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const startedAt = rig.clock.now();
    await rig.service.send({ sessionId, content: 'hold' });
    rig.clock.advance(12_000);
    const ended = rig.turnEnded(sessionId);
    rig.agent.release(sessionId);
    await ended;

    const endedAt = rig.clock.now();
    const times = new Map(announced(rig));
    expect(times.get('turn_started')).toEqual({ startedAt });
    expect(times.get('turn_complete')).toEqual({ startedAt, endedAt });
    expect((await rig.history(sessionId)).turns).toMatchObject([{ startedAt, endedAt }]);
    await rig.service.kill({ sessionId });
    expect((await rig.history(sessionId)).turns).toMatchObject([{ startedAt, endedAt }]);
  });

  it('come with the end of a turn that fails', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const ended = rig.turnEnded(sessionId);
    await rig.service.send({ sessionId, content: 'fail' });
    await ended;
    const [turn] = (await rig.history(sessionId)).turns;
    expect(turn?.endedAt).toBeDefined();
    expect(new Map(announced(rig)).get('turn_error')).toEqual({ startedAt: turn?.startedAt, endedAt: turn?.endedAt });
  });

  it('do not come with the receipt of a message that is not shown yet', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await rig.service.send({ sessionId, content: 'hold' });
    expect(announced(rig)[0]).toEqual(['turn_receipt', undefined]);
  });
});
