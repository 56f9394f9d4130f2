import { expect } from 'vitest';
import type { SessionId } from '../../../shared/ids.ts';
import { createRandom } from '../seeded-random.ts';
import { type ContractAgent, type ContractSubject, watchProvider } from './contract-rig.ts';

const STEPS = ['send', 'hold', 'cancel', 'kill', 'load', 'crash', 'sleep', 'rest', 'wait'] as const;

/**
 * One random interleaving of everything that can happen to a session at once. Afterwards each message that was taken
 * has a turn that ended exactly once, a message that was refused left no trace, and no process is left.
 */
export async function runInterleaving(subject: ContractSubject, seed: number): Promise<void> {
  const random = createRandom(seed);
  const agent = await subject.create({ sleepAfterMs: 20 + random.below(60), cancelGraceMs: 1_000 });
  const { provider, projectDir } = agent;
  const watch = watchProvider(provider);
  const { sessionId } = await provider.createSession({ projectDir });
  watch.session(sessionId);
  const taken: string[] = [];
  const refused: string[] = [];
  const pending: Promise<unknown>[] = [];
  let sent = 0;

  const send = (content: string) => {
    sent += 1;
    const turnId = uuidOf(seed, sent);
    pending.push(
      provider.sendMessage(sessionId, content, { turnId }).then(
        () => taken.push(turnId),
        (error: unknown) => {
          expect(error).toMatchObject({ name: 'ProviderError' });
          refused.push(turnId);
        },
      ),
    );
  };

  for (let step = 0; step < 12; step += 1) {
    await perform(random.pick(STEPS), agent, sessionId, subject, send, pending);
    // A few rounds of the event loop, so that steps meet each other in all states.
    for (let round = random.below(4); round > 0; round -= 1) await new Promise(setImmediate);
  }
  await provider.cancelTurn(sessionId);
  await Promise.all(pending);
  await provider.close();

  for (const turnId of taken) expect(watch.ends(turnId), `seed ${seed}, taken ${turnId}`).toHaveLength(1);
  for (const turnId of refused) {
    expect([...watch.turn(turnId), ...watch.items(turnId)], `seed ${seed}, refused ${turnId}`).toEqual([]);
  }
  expect(agent.running(), `seed ${seed}`).toBe(0);
}

async function perform(
  step: (typeof STEPS)[number],
  { provider, projectDir, crash, pass }: ContractAgent,
  sessionId: SessionId,
  { messages }: ContractSubject,
  send: (content: string) => void,
  pending: Promise<unknown>[],
): Promise<void> {
  switch (step) {
    case 'send':
      return send(messages.answer);
    case 'hold':
      return send(messages.hold);
    case 'cancel':
      pending.push(provider.cancelTurn(sessionId));
      return;
    case 'kill':
      pending.push(provider.killSession(sessionId));
      return;
    case 'load':
      pending.push(provider.loadSession(sessionId, { projectDir, neverUsed: true }).catch(() => {}));
      return;
    case 'crash':
      return crash(sessionId);
    case 'sleep':
      return pass(100);
    case 'rest':
      pending.push(provider.rest(sessionId, 'test'));
      return;
    case 'wait':
      return pass(5);
  }
}

/** Agents want real UUIDs. */
function uuidOf(seed: number, count: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
  return `${hex(seed, 8)}-0000-4000-8000-${hex(count, 12)}`;
}
