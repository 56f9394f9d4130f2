import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

const TURN = '11111111-1111-4111-8111-111111111111';

async function ask(rig: ServiceRig, sessionId: string, content: string): Promise<string> {
  const ended = rig.turnEnded(sessionId);
  const { turnId } = await rig.service.send({ sessionId, content });
  await ended;
  return turnId;
}

const sends = (rig: ServiceRig) => rig.agent.calls.filter(({ method }) => method === 'send').length;
const textOf = (item: UpsertObject | undefined) => (item?.type === 'tool_call' ? '' : (item?.content ?? ''));

describe('a conversation that was shown', () => {
  it('keep/journal is the same after a restart, with times, endings and receipts', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await ask(rig, sessionId, 'think tool');
    await ask(rig, sessionId, 'fail');
    const held = rig.announced(
      (message) => message.type === 'session:upsert' && textOf(message.payload).includes('Holding'),
    );
    await rig.service.send({ sessionId, content: 'hold' });
    await held;
    const cancelled = rig.turnEnded(sessionId);
    await rig.service.cancel({ sessionId });
    await cancelled;
    const before = await rig.history(sessionId);
    await rig.close();

    const again = await createServiceRig({ after: rig });
    const { entries, turns } = await again.history(sessionId);
    expect(turns).toEqual(before.turns);
    expect(turns.map(({ status }) => status)).toEqual(['completed', 'error', 'cancelled']);
    expect(turns.every(({ startedAt, endedAt }) => startedAt !== '' && endedAt !== undefined)).toBe(true);
    expect(entries.map(({ itemId }) => itemId)).toEqual(before.entries.map(({ itemId }) => itemId));
    expect(entries.map(textOf)).toEqual(before.entries.map(textOf));
  });

  it('keep/journal stays in memory only as far as the newest page; the rest is read from the journal', async () => {
    const pages = { entries: 4, content: 1e6, minEntries: 1 };
    const rig = await createServiceRig({ sessionLimits: { pages } });
    const sessionId = await rig.createSession();
    for (let index = 0; index < 8; index += 1) await ask(rig, sessionId, `message ${index}`);
    const newest = await rig.history(sessionId);
    expect(newest.entries).toHaveLength(4);
    expect(newest.more).toBe(true);
    const seen = newest.entries.map(textOf);
    for (let more: boolean | undefined = true, before = newest.entries[0]?.itemId; more; ) {
      const page = await rig.service.items({ sessionId, before: before ?? '' });
      seen.unshift(...page.entries.map(textOf));
      before = page.entries[0]?.itemId;
      more = page.more;
    }
    expect(seen).toEqual(
      Array.from({ length: 8 }, (_, index) => [`message ${index}`, `You said: message ${index}`]).flat(),
    );
  });

  it('keep/disk-full goes on when it cannot be kept', async () => {
    const rig = await createServiceRig({
      journal: (journal) => ({
        ...journal,
        durable: () => Promise.reject(new AppError('STORAGE_FAILED')),
      }),
    });
    const sessionId = await rig.createSession();
    const turnId = await ask(rig, sessionId, 'hello');
    const { turns } = await rig.history(sessionId);
    expect(turns).toMatchObject([{ turnId, status: 'completed' }]);
  });
});

describe('a message', () => {
  it('keep/exactly-once is on disk before the agent gets it', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.gates.send.close();
    const sent = rig.service.send({ sessionId, content: 'hello', turnId: TURN });
    await rig.announced((message) => message.type === 'session:turn' && message.payload.type === 'turn_receipt');
    expect(await rig.journal.hasTurn(sessionId, TURN)).toBe(true);
    const ended = rig.turnEnded(sessionId);
    rig.agent.gates.send.open();
    expect(await sent).toEqual({ sessionId, turnId: TURN });
    await ended;
  });

  it('keep/exactly-once is sent once, however often it is sent under the same id', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    const ended = rig.turnEnded(sessionId);
    const message = { sessionId, content: 'hello', turnId: TURN };
    const answers = await Promise.all([rig.service.send(message), rig.service.send(message)]);
    await ended;
    expect(await rig.service.send(message)).toEqual({ sessionId, turnId: TURN });
    expect(answers).toEqual([
      { sessionId, turnId: TURN },
      { sessionId, turnId: TURN },
    ]);
    expect(sends(rig)).toBe(1);
    await rig.close();
    const again = await createServiceRig({ after: rig });
    expect(await again.service.send(message)).toEqual({ sessionId, turnId: TURN });
    expect(sends(again)).toBe(0);
  });

  it('keep/exactly-once that was refused leaves nothing, and can be sent again under its id', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    rig.agent.failNext('send', new AppError('AGENT_UNAVAILABLE'));
    const message = { sessionId, content: 'hello', turnId: TURN };
    await expect(rig.service.send(message)).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
    expect(await rig.journal.hasTurn(sessionId, TURN)).toBe(false);
    expect((await rig.history(sessionId)).entries).toEqual([]);
    const ended = rig.turnEnded(sessionId);
    await rig.service.send(message);
    await ended;
    expect(sends(rig)).toBe(2);
  });

  it('keep/exactly-once that was kept when the server was killed is shown as not sent', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await ask(rig, sessionId, 'hello');
    const { page } = (await rig.journal.open(sessionId)) ?? {};
    const [template] = page?.entries ?? [];
    if (template?.type !== 'message') throw new Error('The first entry is the message of the user.');
    const upsert = { ...template, turnId: TURN, itemId: `${TURN}:user`, content: 'not sent' };
    rig.journal.record(sessionId, [
      { kind: 'item', upsert, position: 1_000, seq: 100 },
      {
        kind: 'turn',
        turn: { turnId: TURN, status: 'running', startedAt: upsert.emittedAt, receipt: 'kept' },
        seq: 101,
      },
    ]);
    await rig.close();
    const again = await createServiceRig({ after: rig });
    const { entries, turns } = await again.history(sessionId);
    expect(entries.at(-1)).toMatchObject({ itemId: `${TURN}:user`, content: 'not sent', inContext: false });
    expect(turns.at(-1)).toMatchObject({
      turnId: TURN,
      status: 'error',
      errorCode: 'SERVER_STOPPED',
      receipt: 'kept',
    });
    expect(await again.service.send({ sessionId, content: 'not sent', turnId: TURN })).toMatchObject({ turnId: TURN });
    expect(sends(again)).toBe(0);
  });
});

describe('a conversation that the agent has lost', () => {
  it('keep/gone still opens, and a message says that it must be put back', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await ask(rig, sessionId, 'hello');
    await rig.close();
    rig.transcripts.delete(sessionId);
    const again = await createServiceRig({ after: rig });
    const history = await again.history(sessionId);
    expect(history).toMatchObject({ missing: true });
    expect(history.entries.map(textOf)).toEqual(['hello', 'You said: hello']);
    await expect(again.service.send({ sessionId, content: 'more' })).rejects.toMatchObject({
      code: 'TRANSCRIPT_MISSING',
    });
    expect(sends(again)).toBe(0);
  });
});

describe('a process that crashes', () => {
  it('keep/kill-agent leaves its half answer, marked as unknown to the model, also after a restart', async () => {
    const rig = await createServiceRig();
    const sessionId = await rig.createSession();
    await ask(rig, sessionId, 'hello');
    const shown = rig.announced(
      (message) => message.type === 'session:upsert' && textOf(message.payload).includes('Holding'),
    );
    await rig.service.send({ sessionId, content: 'hold' });
    await shown;
    const half = (await rig.history(sessionId)).entries.at(-1);
    const ended = rig.turnEnded(sessionId);
    rig.agent.crash(sessionId);
    await ended;
    // The agent stores only what was finished.
    rig.transcripts.get(sessionId)?.delete(half?.itemId ?? '');
    await rig.close();
    const again = await createServiceRig({ after: rig });
    const { entries, turns } = await again.history(sessionId);
    expect(entries.at(-1)).toMatchObject({ itemId: half?.itemId, status: 'error', inContext: false });
    expect(textOf(entries.at(-1))).toContain('Holding');
    expect(turns.at(-1)).toMatchObject({ status: 'error', errorCode: 'PROCESS_CRASH' });
  });
});
