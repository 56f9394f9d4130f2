import { expect, it } from 'vitest';
import type { HistoryMessage } from '../../../shared/events.ts';
import { createRandom } from '../../support/seeded-random.ts';
import type { SocketClient } from '../../support/server/socket-client.ts';
import { createTestApp, type TestApp } from '../../support/server/test-app.ts';
import { createWindowState, isSame, picture, type SessionPicture } from './window-state.ts';

const DISCONNECTS = 500;
const SESSIONS = 8;
const UPSERTS = 20_000;

/** Advances a session by one upsert at a time: messages, thinking, tools, ends of turns, next turns. */
function createSpeaker(app: TestApp, sessionId: string, random: ReturnType<typeof createRandom>) {
  const core = app.agent.core(sessionId);
  let turn = 0;
  let item = 0;
  let words = 0;
  const turnId = () => `${sessionId}-turn-${turn}`;
  const itemId = () => `${turnId()}:${item}:0`;

  return function speak(): void {
    if (turn === 0 || (words === 0 && item > 12)) {
      if (turn > 0) core.apply({ do: 'turn_done', turnId: turnId(), status: random.pick(['completed', 'cancelled']) });
      turn += 1;
      item = 0;
      const content = `question ${turn}`;
      core.apply({ do: 'message', turnId: turnId(), itemId: `${turnId()}:user`, origin: 'user', content });
    } else if (words > 0) {
      words -= 1;
      if (words === 0) core.apply({ do: 'item_done', itemId: itemId() });
      else core.apply({ do: 'item_delta', itemId: itemId(), text: ` word${words}` });
    } else {
      item += 1;
      if (random.below(4) === 0) {
        const call = { turnId: turnId(), callId: `call-${itemId()}` };
        core.apply({ do: 'tool_start', ...call, itemId: itemId(), name: 'Read' });
        if (random.below(3) > 0) core.apply({ do: 'tool_done', ...call, output: 'text', isError: false });
      } else {
        words = 1 + random.below(40);
        const kind = random.pick(['message', 'thinking'] as const);
        core.apply({ do: 'item_start', turnId: turnId(), itemId: itemId(), kind, content: 'First' });
      }
    }
  };
}

/** How a window comes back: with nothing, or with what it has, and which form of text it takes. */
interface Mode {
  readonly resumes: boolean;
  readonly appends: boolean;
}

const modes: readonly Mode[] = [
  { resumes: false, appends: false },
  { resumes: true, appends: false },
  { resumes: true, appends: true },
];

/** A window that comes back at once whenever it was cut off. */
function openWindow(app: TestApp, ids: readonly string[], faults: string[], mode: Mode, onEvent: () => void) {
  const newState = () =>
    createWindowState({
      faults,
      onEvent,
      loadOlder: (sessionId, before) => client?.send({ type: 'session:items', sessionId, before, requestId: 'older' }),
    });
  let state = newState();
  let client: SocketClient | undefined;
  let ready: Promise<unknown>;
  let isStopped = false;
  const snapshots = { count: 0 };

  async function open(): Promise<void> {
    const next = mode.resumes ? state : newState();
    client = undefined;
    const opened = await app.connect({
      onFrame(frame) {
        if (frame.type === 'session:history') snapshots.count += 1;
        next.take(frame);
      },
    });
    client = opened;
    state = next;
    void opened.closed.then(() => {
      if (!isStopped) ready = open();
    });
    await Promise.all(
      ids.map(async (sessionId) => {
        const from = next.lastSeq(sessionId);
        const answer = await opened.ask('session:subscribe', {
          sessionId,
          appends: mode.appends,
          ...(from !== undefined && { from }),
        });
        // The page that was on its way when the socket was cut off.
        if (answer.type === 'session:resumed') next.askForOlder(sessionId);
      }),
    );
  }
  ready = open();

  return {
    client: () => client,
    state: () => state,
    snapshots: () => snapshots.count,
    stop() {
      isStopped = true;
    },
    /** Resolves when it is connected, has been sent everything that happened before, and has every page. */
    async settled(): Promise<void> {
      for (;;) {
        const current = client;
        try {
          await ready;
          await client?.settled();
          if (current === client && [...state.sessions.values()].every(({ hasMore }) => !hasMore)) return;
        } catch {
          await current?.closed;
        }
      }
    },
  };
}

it('engine/from engine/append engine/pages after each of 500 random disconnects every window has the state of the server: nothing lost, doubled or out of order', async () => {
  const limits = { pages: { entries: 20, content: 4_000, minEntries: 5 }, log: { events: 150, size: 20_000 } };
  const app = await createTestApp({ limits: { sessionLimits: limits } });
  const random = createRandom(42);
  const projectId = (await app.addProject()).id;
  const ids: string[] = [];
  for (let count = 0; count < SESSIONS; count += 1) ids.push(await app.createSession({ projectId }));
  const speakers = ids.map((sessionId) => createSpeaker(app, sessionId, random));
  let emitted = 0;
  for (const sessionId of ids) app.agent.onUpsert(sessionId, () => (emitted += 1));

  const faults: string[] = [];
  let received = 0;
  const windows = modes.map((mode) => openWindow(app, ids, faults, mode, () => (received += 1)));

  /** All pages of every session, as the server has them. */
  async function truth(): Promise<SessionPicture[]> {
    const { service } = app.app;
    return Promise.all(
      ids.map(async (sessionId) => {
        const { entries, turns } = await new Promise<HistoryMessage>((resolve, reject) => {
          service.join(sessionId, (session) => resolve(session.history())).catch(reject);
        });
        for (let more = true; more; ) {
          const [first] = entries;
          const page = await service.items({ sessionId, before: first?.itemId ?? '' });
          entries.unshift(...page.entries);
          turns.unshift(...page.turns.filter(({ turnId }) => turns.every((turn) => turn.turnId !== turnId)));
          more = page.more;
        }
        const running = turns.filter(({ status }) => status === 'running').map(({ turnId }) => turnId);
        return picture(entries, running, false);
      }),
    );
  }

  function disconnect(): void {
    const how = random.below(3);
    const socket = random.pick(windows).client()?.socket;
    if (how === 0) socket?.terminate();
    else if (how === 1) socket?.close();
    else random.pick([...app.app.server.websocketServer.clients]).terminate();
  }

  await Promise.all(windows.map(({ settled }) => settled()));
  const perRound = Math.ceil(UPSERTS / DISCONNECTS);
  for (let round = 0; round < DISCONNECTS; round += 1) {
    const goal = (round + 1) * perRound;
    const [before, between] = [random.below(perRound), 1 + random.below(5)];
    while (emitted < goal - perRound + before) random.pick(speakers)();
    disconnect();
    while (emitted < goal) {
      for (let burst = 0; burst < between && emitted < goal; burst += 1) random.pick(speakers)();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(windows.map(({ settled }) => settled()));
    const pictures = await truth();
    for (const { state } of windows) {
      for (const [index, sessionId] of ids.entries()) {
        const [seen, actual] = [state().sessions.get(sessionId), pictures[index]];
        if (!isSame(seen, actual)) expect(seen, `round ${round}`).toEqual(actual);
      }
    }
  }

  for (const { stop } of windows) stop();
  expect(faults).toEqual([]);
  expect(emitted).toBeGreaterThanOrEqual(UPSERTS);
  // Most events must arrive live and not in snapshots, or the test would prove little.
  expect(received).toBeGreaterThan(UPSERTS);
  // A window that resumes needs a snapshot only where it missed more than the server keeps.
  const [fresh = 0, ...resuming] = windows.map(({ snapshots }) => snapshots());
  for (const count of resuming) expect(count).toBeLessThan(fresh / 2);
}, 120_000);
