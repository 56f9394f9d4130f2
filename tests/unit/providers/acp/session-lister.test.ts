import { expect, it } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { createSessionLister } from '../../../../server/providers/acp/session/session-lister.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { createPipeAgent, type Message } from './pipe-agent.ts';

interface Question {
  readonly cursor?: string;
}

/** An agent that answers each `session/list` with what `answer` returns. */
async function ask(answer: (question: Question, count: number) => Message, clock = systemClock) {
  const agent = createPipeAgent();
  const connection = await agent.connect({ sessionCapabilities: { list: {} } });
  let count = 0;
  agent.stdin.on('data', (data: Buffer) => {
    for (const line of data.toString('utf8').trim().split('\n')) {
      const { id, method, params } = JSON.parse(line);
      if (method !== 'session/list') continue;
      count += 1;
      agent.write({ id, ...answer(params, count) });
    }
  });
  return { list: createSessionLister(connection, clock), asked: () => count, agent };
}

const at = '2026-11-01T10:00:00.000Z';
const session = (sessionId: string) => ({ sessionId, cwd: '/work', title: sessionId, updatedAt: at });
const ids = (found: { sessions: readonly { nativeId: string }[] } | undefined) =>
  found?.sessions.map(({ nativeId }) => nativeId);

it('follow/told all pages are read, empty ones in between too', async () => {
  const pages = [[session('one')], [], [session('two'), session('one')]];
  const { list, agent } = await ask(({ cursor = '0' }) => {
    const next = Number(cursor) + 1;
    return { result: { sessions: pages[Number(cursor)], ...(next < 3 && { nextCursor: String(next) }) } };
  });
  expect(await list()).toEqual({
    sessions: ['one', 'two'].map((nativeId) => ({ nativeId, cwd: '/work', title: nativeId, lastMessageAt: at })),
    isWhole: true,
  });
  const questions = agent.received.filter(({ method }) => method === 'session/list');
  expect(questions.map(({ params }) => params)).toEqual([{}, { cursor: '1' }, { cursor: '2' }]);
});

it('follow/told an agent that does not say that it can is not asked', async () => {
  const agent = createPipeAgent();
  const connection = await agent.connect({ sessionCapabilities: { close: {} } });
  expect(await createSessionLister(connection, systemClock)()).toBeUndefined();
  expect(agent.received.map(({ method }) => method)).toEqual(['initialize']);
});

it('follow/told what cannot be a session is left out, and what cannot be a time or a title is not used', async () => {
  const bad = [null, 7, {}, { sessionId: 'a' }, { cwd: '/work' }, { sessionId: '../a', cwd: '/work' }];
  const places = ['work', '', '/a\0b', 7].map((cwd, index) => ({ sessionId: `p${index}`, cwd }));
  const times = [
    '+275760-09-13T00:00:00Z',
    '9999-01-01T00:00:00Z',
    'yesterday',
    '',
    '-000001-01-01T00:00:00Z',
    5,
    null,
  ];
  const timed = times.map((updatedAt, index) => ({ ...session(`t${index}`), updatedAt, title: index }));
  const long = { ...session('long'), title: `\u0007a\n${'b'.repeat(5_000)}` };
  const { list } = await ask(() => ({ result: { sessions: [...bad, ...places, ...timed, long] } }));
  const found = await list();
  expect(ids(found)).toEqual([...times.map((_, index) => `t${index}`), 'long']);
  expect(found?.sessions.slice(0, -1).every(({ title, lastMessageAt }) => title === '' && !lastMessageAt)).toBe(true);
  expect(found?.sessions.at(-1)?.title).toBe(`a ${'b'.repeat(198)}`);
  expect(found?.isWhole).toBe(true);
});

it.each<[string, (question: Question, count: number) => Message, number]>([
  ['the same cursor again', () => ({ result: { sessions: [session('a')], nextCursor: 'x' } }), 2],
  ['endless cursors', (_, count) => ({ result: { sessions: [session('a')], nextCursor: `c${count}` } }), 100],
  [
    'an error',
    (_, count) =>
      count === 1
        ? { result: { sessions: [session('a')], nextCursor: 'x' } }
        : { error: { code: -32603, message: 'no' } },
    2,
  ],
  [
    'no list',
    (_, count) => ({ result: count === 1 ? { sessions: [session('a')], nextCursor: 'x' } : { sessions: 'a' } }),
    2,
  ],
])('follow/told after %s, what came is used and the list is not whole', async (_, answer, count) => {
  const { list, asked } = await ask(answer);
  const found = await list();
  expect([ids(found), found?.isWhole, asked()]).toEqual([['a'], false, count]);
});

it('follow/told of 100,000 sessions in one answer, the first 10,000 are used', async () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ sessionId: `s${index}`, cwd: '/work' }));
  const { list } = await ask(() => ({ result: { sessions: many } }));
  const found = await list();
  expect([found?.sessions.length, found?.isWhole]).toEqual([10_000, false]);
});

it('follow/told an answer that never comes is waited for 5 s in all, and the agent is not asked again', async () => {
  const clock = createManualClock();
  const asks: number[] = [];
  const never = new Promise<never>(() => {});
  const list = createSessionLister(
    {
      can: { load: true, resume: true, close: true, delete: true, title: true, fork: true, list: true },
      listSessions(_cursor, timeoutMs) {
        asks.push(timeoutMs);
        return Promise.race([
          never,
          new Promise<never>((_, reject) => clock.setTimeout(() => reject(new Error('late')), timeoutMs)),
        ]);
      },
    },
    clock,
  );
  const listing = list();
  clock.advance(5_000);
  expect(await listing).toEqual({ sessions: [], isWhole: false });
  expect(await list()).toBeUndefined();
  expect(asks).toEqual([5_000]);
});
