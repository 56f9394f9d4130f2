import { describe, expect, it } from 'vitest';
import type { EventMessage, HistoryMessage } from '../../../shared/events.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { createServiceRig, type ServiceRig } from './service-rig.ts';

/** When a change of a file is looked at. */
const QUIET_MS = 100;

const textOf = (item: UpsertObject) => (item.type === 'tool_call' ? item.toolName : item.content);
const textsOf = ({ entries }: Pick<HistoryMessage, 'entries'>) => entries.map(textOf);
const isUpsertOf = (text: string) => (message: EventMessage) =>
  message.type === 'session:upsert' && textOf(message.payload) === text;
const isSnapshot = ({ type }: EventMessage) => type === 'session:history';

async function ask(rig: ServiceRig, sessionId: string, content: string): Promise<void> {
  const ended = rig.turnEnded(sessionId);
  await rig.service.send({ sessionId, content });
  await ended;
}

/** A session with one turn of ours, whose changes were looked at. */
async function usedSession(options?: Parameters<typeof createServiceRig>[0]) {
  const rig = await createServiceRig(options);
  const sessionId = await rig.createSession();
  await ask(rig, sessionId, 'hello');
  await expect.poll(rig.terminal.watches.count).toBe(1);
  rig.clock.advance(QUIET_MS);
  await settled(rig, sessionId);
  return { rig, sessionId, from: rig.announcements.length };
}

/** Nothing is under way any more: the look that was begun has ended. */
async function settled(rig: ServiceRig, sessionId: string): Promise<void> {
  await rig.service.reload(sessionId);
}

describe('what another program writes', () => {
  it('follow/live is announced as numbered upserts and kept in the journal', async () => {
    const { rig, sessionId, from } = await usedSession();
    const before = await rig.history(sessionId);
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.clock.advance(QUIET_MS);
    await rig.announced(isUpsertOf('answered there'), from);
    const told = rig.messages().slice(from);
    expect(told.filter(isSnapshot)).toEqual([]);
    const upserts = told.flatMap((message) => (message.type === 'session:upsert' ? [message] : []));
    expect(upserts.map(({ seq }) => seq)).toEqual([before.asOf + 1, before.asOf + 2]);
    const after = await rig.history(sessionId);
    expect(textsOf(after)).toEqual([...textsOf(before), 'from the terminal', 'answered there']);
    expect(after.turns).toEqual(before.turns);
    const { entries } = await rig.journal.read(sessionId);
    expect(entries).toEqual(after.entries);
  });

  it('follow/live does not count as a turn of ours, and its message has no receipt', async () => {
    const { rig, sessionId, from } = await usedSession();
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.clock.advance(QUIET_MS);
    await rig.announced(isUpsertOf('answered there'), from);
    expect(
      rig
        .messages()
        .slice(from)
        .filter(({ type }) => type === 'session:turn'),
    ).toEqual([]);
    expect(await rig.service.status({ sessionId })).toMatchObject({ running: false });
  });

  it('follow/live is looked at once for many changes, and at least every 300 ms while they go on', async () => {
    const { rig, sessionId } = await usedSession();
    const reads: number[] = [];
    const { readHistory } = rig.agent;
    rig.agent.readHistory = async (...args) => {
      reads.push(rig.clock.monotonic());
      return readHistory(...args);
    };
    const start = rig.clock.monotonic();
    for (let index = 0; index < 12; index += 1) {
      rig.terminal.touch(sessionId);
      rig.clock.advance(50);
      await settled(rig, sessionId);
    }
    rig.clock.advance(QUIET_MS);
    await settled(rig, sessionId);
    expect(reads.map((at) => at - start)).toEqual([300, 600]);
  });

  it('follow/live that comes while a turn of ours runs is looked at when the turn has ended', async () => {
    const { rig, sessionId, from } = await usedSession();
    await rig.service.send({ sessionId, content: 'hold' });
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.clock.advance(QUIET_MS);
    await settled(rig, sessionId);
    expect(rig.messages().slice(from).some(isUpsertOf('answered there'))).toBe(false);
    expect(rig.methods(sessionId)).not.toContain('rest');
    rig.agent.release(sessionId);
    await expect.poll(async () => textsOf(await rig.history(sessionId))).toContain('answered there');
  });

  it('follow/branches that goes on from an earlier point is shown, and what is left behind is marked', async () => {
    const { rig, sessionId, from } = await usedSession();
    await ask(rig, sessionId, 'second');
    rig.terminal.rewind(sessionId, 'second');
    rig.terminal.write(sessionId, 'another second', 'another answer');
    rig.clock.advance(QUIET_MS);
    await rig.announced(isUpsertOf('another answer'), from);
    const { entries } = await rig.history(sessionId);
    const inContext = entries.filter((entry) => entry.inContext !== false).map(textOf);
    expect(inContext).toEqual(['hello', 'You said: hello', 'another second', 'another answer']);
    expect(entries.filter((entry) => entry.inContext === false).map(textOf)).toEqual(['second', 'You said: second']);
  });

  it('follow/two-writers ends the idle process, which would not know it, and reads the file again after that', async () => {
    const { rig, sessionId, from } = await usedSession();
    const { readHistory, rest } = rig.agent;
    const steps: string[] = [];
    rig.agent.readHistory = async (...args) => {
      steps.push('read');
      return readHistory(...args);
    };
    rig.agent.rest = async (...args) => {
      steps.push('rest');
      return rest(...args);
    };
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    rig.clock.advance(QUIET_MS);
    await rig.announced(isUpsertOf('answered there'), from);
    expect(steps).toEqual(['read', 'rest', 'read']);
    expect(rig.agent.isAlive(sessionId)).toBe(false);
  });

  it('follow/live leaves what our own agent shows alone while its file lags behind', async () => {
    const { rig, sessionId, from } = await usedSession();
    const transcript = rig.transcripts.get(sessionId);
    const [last] = [...(transcript?.keys() ?? [])].slice(-1);
    transcript?.delete(last ?? '');
    const { readHistory } = rig.agent;
    const read = new Promise<void>((resolve) => {
      rig.agent.readHistory = (...args) => readHistory(...args).finally(resolve);
    });
    rig.terminal.touch(sessionId);
    rig.clock.advance(QUIET_MS);
    await read;
    for (let round = 0; round < 50; round += 1) await new Promise(setImmediate);
    expect(
      rig
        .messages()
        .slice(from)
        .filter(({ type }) => type === 'session:upsert'),
    ).toEqual([]);
    expect(rig.methods(sessionId)).not.toContain('rest');
  });

  it('follow/live is no longer followed when the session has left the memory', async () => {
    const { rig, sessionId } = await usedSession();
    rig.clock.advance(60_000);
    expect(await rig.service.status({ sessionId })).toMatchObject({ state: 'closed' });
    expect(rig.terminal.watches.count()).toBe(0);
  });
});

describe('a message after another program wrote', () => {
  it('follow/two-writers goes to a new process, which has read the file, also if nobody noticed yet', async () => {
    const { rig, sessionId } = await usedSession();
    rig.terminal.write(sessionId, 'from the terminal', 'answered there');
    const started = rig.agent.processes.started;
    await ask(rig, sessionId, 'again');
    expect(rig.methods(sessionId).slice(-2)).toEqual(['rest', 'send']);
    expect(rig.agent.processes.started).toBe(started + 1);
    expect(textsOf(await rig.history(sessionId)).slice(-4)).toEqual([
      'from the terminal',
      'answered there',
      'again',
      'You said: again',
    ]);
  });

  it('follow/ask is refused once, if asked to, where what was shown is not what the agent continues', async () => {
    const { rig, sessionId } = await usedSession();
    await ask(rig, sessionId, 'second');
    rig.terminal.rewind(sessionId, 'second');
    rig.terminal.write(sessionId, 'another second', 'another answer');
    const message = { sessionId, content: 'again', ask: true as const };
    await expect(rig.service.send(message)).rejects.toMatchObject({ code: 'SESSION_CHANGED', status: 409 });
    expect(textsOf(await rig.history(sessionId)).slice(-1)).toEqual(['another answer']);
    const ended = rig.turnEnded(sessionId);
    await rig.service.send(message);
    await ended;
    expect(textsOf(await rig.history(sessionId)).slice(-1)).toEqual(['You said: again']);
  });

  it('follow/ask is sent where nobody can be asked', async () => {
    const { rig, sessionId } = await usedSession();
    await ask(rig, sessionId, 'second');
    rig.terminal.rewind(sessionId, 'second');
    rig.terminal.write(sessionId, 'another second', 'another answer');
    await ask(rig, sessionId, 'again');
    expect(textsOf(await rig.history(sessionId)).slice(-1)).toEqual(['You said: again']);
  });
});
