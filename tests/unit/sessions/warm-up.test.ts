import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { createServiceRig } from './service-rig.ts';

describe('warming up a session', () => {
  it('safe/no-process loads it if necessary, then starts its agent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    const before = rig.methods(sessionId).length;
    expect(await rig.service.warm({ sessionId })).toEqual({ sessionId });
    await rig.history(sessionId);
    expect(rig.methods(sessionId).slice(before)).toEqual(['load', 'warmUp']);
  });

  it('safe/no-process says nothing of a failure, which the message reports', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.failNext('load', new ProviderError('AGENT_UNAVAILABLE'));
    expect(await rig.service.warm({ sessionId })).toEqual({ sessionId });
    // Waits for the same load.
    await expect(rig.history(sessionId)).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
    rig.agent.failNext('load', new ProviderError('AGENT_UNAVAILABLE'));
    await expect(rig.service.send({ sessionId, content: 'hello' })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
    });
    expect(rig.failures).toEqual([]);
  });

  it('a session that is not known is refused', async () => {
    const rig = await createServiceRig();
    await expect(rig.service.warm({ sessionId: 'codex:unknown' })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
