import { describe, expect, it } from 'vitest';
import { type AcpRigOptions, createAcpRig, fixtureAgent, watchSession } from '../../support/agents/acp-rig.ts';
import { createManualClock } from '../../support/manual-clock.ts';

async function open(options: Partial<AcpRigOptions> = {}) {
  const rig = createAcpRig({ agent: fixtureAgent('misbehaves'), ...options });
  const session = async () => {
    const { sessionId } = await rig.provider.createSession({ projectDir: rig.projectDir });
    return { sessionId, watch: watchSession(rig.provider, sessionId) };
  };
  return { ...rig, bad: await session(), other: await session() };
}

describe('an agent that breaks the protocol', () => {
  it.for([
    ['garbage', 5, 'a line that is not a protocol message: Debugger attached.'],
    ['unknown answer', 1, 'an answer to a request that was not made'],
    ['unknown update', 1, 'unknown session update "from_the_future"'],
    ['long line', 1, 'a line of more than 16777216 bytes'],
    ['unknown request', 0, undefined],
    ['other session', 0, undefined],
  ] as const)('can still be used after: %s', async ([misdeed, count, problem]) => {
    const { bad, other, problems, statuses } = await open();
    const [turn, undisturbed] = await Promise.all([bad.watch.turn(misdeed), other.watch.turn('nothing')]);
    expect(turn).toMatchObject({ text: 'still here', end: { type: 'turn_complete', status: 'completed' } });
    expect(undisturbed).toMatchObject({ text: 'still here', end: { type: 'turn_complete', status: 'completed' } });
    expect(problems).toHaveLength(count);
    if (problem !== undefined) expect(problems[0]).toContain(`Fixture sent ${problem}`);
    expect(statuses.at(-1)).toMatchObject({ status: 'connected' });
  });

  it('fails the turn in which it stops in the middle of a line, and other sessions continue', async () => {
    const clock = createManualClock();
    const { bad, other, provider } = await open({ clock });
    const { turnId } = await provider.sendMessage(bad.sessionId, 'half a line');
    clock.advance(600_000);
    expect(await bad.watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'TURN_TIMEOUT' });
    expect((await other.watch.turn('nothing')).end).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('has its turn cancelled although it does not answer, and the session continues', async () => {
    const clock = createManualClock();
    const { bad, provider } = await open({ clock });
    const { turnId } = await provider.sendMessage(bad.sessionId, 'ignore cancel');
    const cancelled = provider.cancelTurn(bad.sessionId);
    clock.advance(5_000);
    await cancelled;
    expect(await bad.watch.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    expect(await bad.watch.turn('nothing')).toMatchObject({ text: 'still here' });
  });

  it('is killed when it closes its output, and its turns fail', async () => {
    const { bad, provider, untilStatus } = await open();
    const { turnId } = await provider.sendMessage(bad.sessionId, 'close output');
    expect(await bad.watch.ended(turnId)).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
    expect(await untilStatus(({ status }) => status === 'disconnected')).toMatchObject({
      message: expect.stringContaining('SIGKILL'),
    });
  });
});
