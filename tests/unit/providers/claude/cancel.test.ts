import { expect, test } from 'vitest';
import { type Created, createProviderRig, drain, init, lifecycle, result } from './provider-rig.ts';

const interrupted = (turnId: string) =>
  result(turnId, {
    subtype: 'error_during_execution',
    is_error: true,
    errors: ['[ede_diagnostic] x'],
    terminal_reason: 'aborted_streaming',
    stop_reason: null,
  });

async function sendTurn(rig: ReturnType<typeof createProviderRig>, { sessionId, run }: Created, turnId: string) {
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId });
  run.say(lifecycle(turnId, 'queued'));
  await sending;
}

test('stream/TC-3.4a cancelling interrupts the agent and drops what is queued', async () => {
  const rig = createProviderRig();
  const created = await rig.create();
  const { run, sessionId, turns } = created;
  await sendTurn(rig, created, 'turn-1');
  run.say(init('turn-1'));
  await sendTurn(rig, created, 'turn-2');
  run.onInterrupt = async () => {
    run.say(lifecycle('turn-2', 'cancelled'));
    run.say(interrupted('turn-1'));
    run.say(lifecycle('turn-1', 'cancelled'));
    return { still_queued: [] };
  };
  await rig.provider.cancelTurn(sessionId);
  await drain();
  expect(run.interrupts).toEqual([{ cancelQueued: true }]);
  const ends = turns.filter(({ type }) => type !== 'turn_started');
  expect(ends).toMatchObject([
    { type: 'turn_complete', turnId: 'turn-2', status: 'cancelled' },
    { type: 'turn_complete', turnId: 'turn-1', status: 'cancelled' },
  ]);
  expect(rig.provider.isAlive(sessionId)).toBe(true);
});

test('cancelling when nothing runs does nothing', async () => {
  const rig = createProviderRig();
  const { run, sessionId } = await rig.create();
  await rig.provider.cancelTurn(sessionId);
  expect(run.interrupts).toEqual([]);
});

test('an interruption waits for a message that is still on its way', async () => {
  const rig = createProviderRig();
  const { run, sessionId, turns } = await rig.create();
  const sending = rig.provider.sendMessage(sessionId, 'hello', { turnId: 'turn-1' });
  await run.receivedCount(1);
  run.onInterrupt = async () => {
    run.say(interrupted('turn-1'));
    return { still_queued: [] };
  };
  const cancelling = rig.provider.cancelTurn(sessionId);
  await drain();
  expect(run.interrupts).toEqual([]);
  run.say(lifecycle('turn-1', 'queued'));
  await sending;
  await cancelling;
  expect(turns.at(-1)).toMatchObject({ turnId: 'turn-1', status: 'cancelled' });
});

test('a program that keeps what is queued is ended, so that it is never answered', async () => {
  const rig = createProviderRig();
  const created = await rig.create();
  await sendTurn(rig, created, 'turn-1');
  await sendTurn(rig, created, 'turn-2');
  created.run.onInterrupt = async () => ({ still_queued: ['turn-2'] });
  await rig.provider.cancelTurn(created.sessionId);
  expect(created.run.stopReasons).toContain('did not stop');
  expect(created.turns.filter(({ type }) => type === 'turn_complete')).toMatchObject([
    { turnId: 'turn-1', status: 'cancelled' },
    { turnId: 'turn-2', status: 'cancelled' },
  ]);
});

test('a turn whose interruption fails is ended together with its process', async () => {
  const rig = createProviderRig();
  const created = await rig.create();
  await sendTurn(rig, created, 'turn-1');
  created.run.onInterrupt = () => Promise.reject(new Error('no'));
  await rig.provider.cancelTurn(created.sessionId);
  expect(created.turns.at(-1)).toMatchObject({ turnId: 'turn-1', status: 'cancelled' });
  expect(created.run.stopReasons).toContain('did not stop');
});

test('a turn that does not end after it was interrupted is ended together with its process', async () => {
  const rig = createProviderRig();
  const created = await rig.create();
  await sendTurn(rig, created, 'turn-1');
  const cancelling = rig.provider.cancelTurn(created.sessionId);
  await drain();
  rig.clock.advance(5_000);
  await cancelling;
  expect(created.turns.at(-1)).toMatchObject({ turnId: 'turn-1', status: 'cancelled' });
  expect(created.run.stopReasons).toContain('did not stop');
  expect(rig.provider.isAlive(created.sessionId)).toBe(false);
});
