import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { createServiceRig } from './service-rig.ts';

describe('loads', () => {
  it('of one session at the same time are one load', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.gates.load.close();

    const loads = [rig.service.load({ sessionId }), rig.service.load({ sessionId }), rig.history(sessionId)];
    const send = rig.service.send({ sessionId, content: 'hello' });
    await rig.agent.gates.load.reached();
    rig.agent.gates.load.open();
    await Promise.all([...loads, send]);

    expect(rig.methods(sessionId)).toEqual(['kill', 'load', 'send']);
  });

  it('that fail together fail alike, and the next one tries again', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.failNext('load', new ProviderError('AGENT_UNAVAILABLE'));

    const results = await Promise.allSettled([rig.service.load({ sessionId }), rig.service.load({ sessionId })]);

    expect(results).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'AGENT_UNAVAILABLE' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: 'AGENT_UNAVAILABLE' }) },
    ]);
    await rig.service.load({ sessionId });
    expect((await rig.service.status({ sessionId })).state).toBe('open');
  });

  it('do not wait behind a message that waits for a process', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const send = rig.service.send({ sessionId, content: 'hello' });
    await rig.agent.gates.send.reached();

    await rig.service.load({ sessionId });
    await rig.history(sessionId);

    rig.agent.gates.send.open();
    await send;
  });

  it('that were asked for after a kill come after it and leave the session open', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.kill.close();

    const kill = rig.service.kill({ sessionId });
    const load = rig.service.load({ sessionId });
    await rig.agent.gates.kill.reached();
    rig.agent.gates.kill.open();
    await Promise.all([kill, load]);

    expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'open', isAlive: true });
  });
});

describe('commands on one session', () => {
  it('reach the agent in the order in which they were given', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();

    const sends = ['one', 'two', 'three'].map((content) => rig.service.send({ sessionId, content }));
    await rig.agent.gates.send.reached();
    expect(rig.methods(sessionId)).toEqual(['send']);
    rig.agent.gates.send.open();
    await Promise.all(sends);

    expect(rig.agent.calls.flatMap(({ content }) => content ?? [])).toEqual(['one', 'two', 'three']);
  });

  it('go on after one that failed', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new Error('no'));

    const results = await Promise.allSettled([
      rig.service.send({ sessionId, content: 'one' }),
      rig.service.send({ sessionId, content: 'two' }),
    ]);

    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('engine/overtake are overtaken by a cancel: what has not reached the agent rejects with CANCELLED, what comes later goes out', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const sends = ['one', 'two', 'three'].map((content) => rig.service.send({ sessionId, content }));
    await rig.agent.gates.send.reached();

    await rig.service.cancel({ sessionId });
    const later = rig.service.send({ sessionId, content: 'four' });
    const results = await Promise.allSettled(sends);
    rig.agent.gates.send.open();
    await later;

    expect(results).toEqual(
      sends.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'CANCELLED' }) })),
    );
    expect(rig.agent.calls.flatMap(({ content }) => content ?? [])).toEqual(['one', 'four']);
  });

  it('engine/overtake that wait for a session to load reject with CANCELLED when they are cancelled, and nothing is sent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.gates.load.close();
    const sends = ['one', 'two'].map((content) => rig.service.send({ sessionId, content }));
    await rig.agent.gates.load.reached();

    await rig.service.cancel({ sessionId });

    for (const send of sends) await expect(send).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(rig.methods(sessionId)).toEqual(['kill', 'load', 'cancel']);
    expect(rig.agent.processes.running).toBe(0);
  });

  it('engine/overtake are cancelled too when the agent goes on with the load', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.cancelTurn = async () => undefined;
    rig.agent.gates.load.close();
    const send = rig.service.send({ sessionId, content: 'one' });
    await rig.agent.gates.load.reached();

    await rig.service.cancel({ sessionId });
    await expect(send).rejects.toMatchObject({ code: 'CANCELLED' });

    rig.agent.gates.load.open();
    await rig.service.load({ sessionId });
    expect(rig.methods(sessionId)).toEqual(['kill', 'load']);
  });

  it('do not wait for another session', async () => {
    const rig = await createServiceRig();
    const slow = await rig.closedSession();
    const quick = await rig.createSession();
    rig.agent.gates.load.close();
    const stuck = rig.service.send({ sessionId: slow, content: 'later' });
    await rig.agent.gates.load.reached();

    await rig.service.send({ sessionId: quick, content: 'now' });

    rig.agent.gates.load.open();
    await stuck;
  });

  it('that follow a kill are not killed by it', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.kill.close();

    const kill = rig.service.kill({ sessionId });
    const send = rig.service.send({ sessionId, content: 'hold' });
    await rig.agent.gates.kill.reached();
    rig.agent.gates.kill.open();
    await Promise.all([kill, send]);

    expect(await rig.service.status({ sessionId })).toMatchObject({ isAlive: true, running: true });
  });
});

describe('a kill', () => {
  it('during a load leaves no process and no half state', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.gates.load.close();
    const load = rig.service.load({ sessionId });
    await rig.agent.gates.load.reached();

    const kill = rig.service.kill({ sessionId });
    rig.agent.gates.load.open();
    await Promise.allSettled([load, kill]);

    expect(rig.agent.processes.running).toBe(0);
    expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'closed', isAlive: false, running: false });
  });

  it('during a send leaves no process and no turn that runs for ever', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const send = rig.service.send({ sessionId, content: 'hello' });
    await rig.agent.gates.send.reached();

    const kill = rig.service.kill({ sessionId });
    rig.agent.gates.send.open();
    const [sent] = await Promise.allSettled([send, kill]);

    expect(sent.status).toBe('rejected');
    expect(rig.agent.processes.running).toBe(0);
    expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'closed', running: false });
  });

  it('with messages still waiting in line leaves no process', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const sends = ['one', 'two', 'three'].map((content) => rig.service.send({ sessionId, content }));
    await rig.agent.gates.send.reached();

    const kill = rig.service.kill({ sessionId });
    rig.agent.gates.send.open();
    await Promise.allSettled([...sends, kill]);

    expect(rig.agent.processes.running).toBe(0);
    expect((await rig.service.status({ sessionId })).state).toBe('closed');
  });

  it('of a running turn ends it as cancelled, and the session can be opened again', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const { turnId } = await rig.service.send({ sessionId, content: 'hold' });

    const ended = rig.turnEnded(sessionId);
    await rig.service.kill({ sessionId });

    expect(await ended).toMatchObject({ payload: { type: 'turn_complete', turnId, status: 'cancelled' } });
    const { entries } = await rig.history(sessionId);
    expect(entries[0]).toMatchObject({ itemId: `${turnId}:user`, content: 'hold' });
  });

  it('twice at the same time is one end', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();

    await Promise.all([rig.service.kill({ sessionId }), rig.service.kill({ sessionId })]);

    expect(rig.agent.processes).toEqual({ started: 1, ended: 1, running: 0 });
    await rig.service.load({ sessionId });
    expect((await rig.service.status({ sessionId })).state).toBe('open');
  });

  it('that the agent refuses is an error, and the session is as it was', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const refusal = new ProviderError('AGENT_PROTOCOL_ERROR');
    rig.agent.failNext('kill', refusal);

    await expect(rig.service.kill({ sessionId })).rejects.toBe(refusal);
    await rig.service.load({ sessionId });
    expect((await rig.service.status({ sessionId })).state).toBe('open');
  });
});

describe('an archive', () => {
  it('during a load and a send leaves no process', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.closedSession();
    rig.agent.gates.load.close();
    const send = rig.service.send({ sessionId, content: 'hello' });
    await rig.agent.gates.load.reached();

    const ended = rig.announced(
      (message) => message.type === 'agent:status' && message.sessionId === sessionId && message.status === 'idle',
      rig.announcements.length,
    );
    await rig.service.archive({ sessionId });
    await Promise.allSettled([send, ended]);

    expect(rig.agent.processes.running).toBe(0);
    await expect(rig.service.load({ sessionId })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(rig.failures).toEqual([]);
  });

  it('is answered without waiting for a stubborn process', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.kill.close();

    await rig.service.archive({ sessionId });

    expect(rig.agent.isAlive(sessionId)).toBe(true);
    rig.agent.gates.kill.open();
  });
});
