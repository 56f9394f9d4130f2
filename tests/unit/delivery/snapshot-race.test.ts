import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createHub, type Window } from '../../../server/delivery/index.ts';
import { createProviderRegistry } from '../../../server/engine/provider-registry.ts';
import { createFolderWatches } from '../../../server/folder-watches.ts';
import type { Journal } from '../../../server/journal/journal.ts';
import { openJournal } from '../../../server/journal/open-journal.ts';
import { createSessionService } from '../../../server/sessions/session-service.ts';
import type { SessionMeta } from '../../../shared/entities.ts';
import type { MessageUpsert, UpsertObject } from '../../../shared/stream-contracts.ts';
import { createScriptedProvider } from '../../support/agents/scripted-provider.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

const sessionId = 'claude-code:s';
const at = '2025-01-01T00:00:00.000Z';

interface Received {
  readonly type: string;
  readonly seq: number;
  readonly asOf: number;
  readonly at: number;
  readonly text: string;
  readonly payload: MessageUpsert;
  readonly entries: UpsertObject[];
}

/** A window that fails as soon as an event is missing, comes twice or comes before its snapshot. */
function createCountingWindow() {
  let text: string | undefined;
  let seq: number | undefined;
  const next = (message: Received) => {
    expect(message.seq).toBe((seq ?? Number.NaN) + 1);
    seq = message.seq;
  };
  const read = (frame: Uint8Array) => {
    const message = JSON.parse(String(frame)) as Received;
    if (message.type === 'session:history') {
      const [entry] = message.entries;
      text = entry?.type === 'message' ? entry.content : '';
      seq = message.asOf;
    }
    if (message.type === 'session:upsert') {
      next(message);
      if (text !== '') expect(message.payload.content).toBe(`${text}.`);
      text = message.payload.content;
    }
    if (message.type === 'session:append') {
      next(message);
      expect(message.at).toBe(text?.length);
      text += message.text;
    }
  };
  function connect(): Window {
    const receive = (frame: Uint8Array) => {
      if (window === connected) read(frame);
    };
    const window: Window = {
      send: receive,
      sendSnapshot: async (frame) => receive(frame),
      markAlive: () => undefined,
      beat: () => undefined,
      close: () => undefined,
    };
    return window;
  }
  let connected = connect();
  return {
    window: () => connected,
    /** What is still sent to the former connection does not arrive. */
    reconnect() {
      connected = connect();
    },
    text: () => text,
    seq: () => seq,
  };
}

function createRaceRig(journal: Journal) {
  const clock = createManualClock();
  const agent = createScriptedProvider({ clock });
  const registry = createProviderRegistry();
  registry.register(agent);
  agent.remember(sessionId, []);
  const meta: SessionMeta = {
    id: sessionId,
    projectId: 'p',
    cliType: 'claude-code',
    archived: false,
    title: 'A session',
    lastActiveAt: at,
    createdAt: at,
  };
  const hub = createHub({ clock, source: () => service, heartbeatMs: 1000 });
  const service = createSessionService({
    watches: createFolderWatches(),
    sessions: {
      list: () => [meta],
      listArchived: () => [],
      archivedCounts: () => ({}),
      page: () => ({ sessions: [meta], more: false }),
      get: () => meta,
      add: async () => undefined,
      update: async () => undefined,
      updateNow: async () => undefined,
      remove: async () => undefined,
    },
    projects: {
      addProject: () => Promise.reject(new Error('not needed')),
      noteDirectory: () => undefined,
      directoriesOf: () => [],
      findOrAdd: () => Promise.reject(new Error('not needed')),
      removeProject: async () => undefined,
      listProjects: () => [],
      getProject: () => ({ id: 'p', path: '/', name: 'p', addedAt: at }),
      findByPath: async () => undefined,
      decideTrust: () => Promise.reject(new Error('not needed')),
      allowedIn: () => new Set(),
      onChange: () => undefined,
    },
    trust: {
      describe: () => Promise.reject(new Error('not needed')),
      list: async () => [],
      look: () => Promise.reject(new Error('not needed')),
      decide: () => Promise.reject(new Error('not needed')),
      check: async () => undefined,
      explain: async (_projectId, error) => error,
    },
    registry,
    journal,
    clock,
    newId: () => 'turn',
    announce: hub.announce,
    onFailure: (error) => expect.fail(String(error)),
    evictAfterMs: 5,
  });
  let count = 0;
  return {
    hub,
    agent,
    clock,
    count: () => count,
    /** The text grows by one character, in the agent's memory and for whoever listens. */
    emit() {
      count += 1;
      const upsert: UpsertObject = {
        type: 'message',
        origin: 'agent',
        sessionId,
        turnId: 't',
        itemId: 't:0:0',
        sourceTimestamp: at,
        emittedAt: at,
        status: 'update',
        content: '.'.repeat(count),
      };
      // A history has only items that have ended.
      agent.remember(sessionId, [{ ...upsert, status: 'complete' }]);
      agent.emitUpsert(upsert, { at: count - 1, text: '.' });
    },
  };
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant('emit' as const) },
  { weight: 3, arbitrary: fc.constant('tick' as const) },
  { weight: 2, arbitrary: fc.constant('drizzle' as const) },
  fc.record({
    window: fc.nat(2),
    do: fc.constantFrom('subscribe' as const, 'resume' as const, 'unsubscribe' as const, 'leave' as const),
    appends: fc.boolean(),
  }),
  fc.constantFrom('close-gate' as const, 'open-gate' as const, 'evict' as const),
);

it('engine/from a subscription that races with loads, evictions and upserts misses nothing and gets nothing twice', async () => {
  const journal = await openJournal({ dataDir: scratchDirectory(), thread: 'here', warn: expect.fail });
  onTestFinished(journal.close);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 80 }), async (steps) => {
      await journal.remove(sessionId);
      const { hub, agent, clock, emit, count } = createRaceRig(journal);
      const windows = [createCountingWindow(), createCountingWindow(), createCountingWindow()];
      for (const { window } of windows) hub.add(window());
      const pending: Promise<void>[] = [];

      for (const action of steps) {
        if (action === 'emit') emit();
        else if (action === 'tick') await Promise.resolve();
        else if (action === 'drizzle') {
          // A new number between any two steps of the pending operations.
          for (let count = 0; count < 20; count += 1) {
            emit();
            await Promise.resolve();
          }
        } else if (action === 'close-gate') agent.gates.load.close();
        else if (action === 'open-gate') agent.gates.load.open();
        else if (action === 'evict') clock.advance(5);
        else {
          const { window, seq, reconnect } = windows[action.window] as (typeof windows)[number];
          const { appends } = action;
          const from = seq();
          if (action.do === 'subscribe') pending.push(hub.subscribe(window(), { sessionId, appends }));
          else if (action.do === 'resume') {
            hub.remove(window());
            reconnect();
            hub.add(window());
            pending.push(hub.subscribe(window(), { sessionId, appends, ...(from !== undefined && { from }) }));
          } else if (action.do === 'unsubscribe') hub.unsubscribe(window(), sessionId);
          else {
            hub.remove(window());
            hub.add(window());
          }
        }
      }
      agent.gates.load.open();
      await Promise.all(pending);
      await Promise.all(windows.map(({ window }) => hub.subscribe(window(), { sessionId })));
      emit();

      expect(windows.map(({ text }) => text()?.length)).toEqual([count(), count(), count()]);
    }),
    { numRuns: 500, seed: 20250101 },
  );
});
