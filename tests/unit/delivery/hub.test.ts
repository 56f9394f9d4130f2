import { describe, expect, it } from 'vitest';
import { createHub, type SessionSource } from '../../../server/delivery/hub.ts';
import type { Frame, Window } from '../../../server/delivery/index.ts';
import type { EventMessage, HistoryMessage } from '../../../shared/events.ts';
import { createGate } from '../../support/gate.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const sessionId = 'codex:one';
const history: HistoryMessage = { type: 'session:history', sessionId, asOf: 0, entries: [], turns: [] };

function createHubRig() {
  const clock = createManualClock();
  const load = createGate();
  let watching = 0;
  const source: SessionSource = {
    async join(_sessionId, take) {
      await load.pass();
      take({ history: () => history, eventsSince: () => undefined });
    },
    watch() {
      watching += 1;
      return () => {
        watching -= 1;
      };
    },
    agentStatuses: () => [{ type: 'agent:status', cliType: 'codex', status: 'connected' }],
  };
  const hub = createHub({ clock, source: () => source, heartbeatMs: 1000 });
  return { clock, load, hub, watching: () => watching };
}

/** `readSnapshot` may say when the window has read one. */
function createFakeWindow(readSnapshot = () => Promise.resolve()) {
  const frames: Frame[] = [];
  const log: string[] = [];
  const window: Window = {
    send: (frame) => void frames.push(frame),
    sendSnapshot(frame) {
      log.push('snapshot');
      frames.push(frame);
      return readSnapshot();
    },
    markAlive: () => undefined,
    beat: () => void log.push('beat'),
    close: (reason) => void log.push(`close: ${reason}`),
  };
  const types = () => frames.map((frame) => JSON.parse(String(frame)).type as string);
  return { window, frames, log, types };
}

/** All that does not wait for a window. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const archived = (of = sessionId): EventMessage => ({ type: 'session:archived', sessionId: of });

describe('the hub', () => {
  it('serialises a message once for all windows, and not at all without any', () => {
    const { hub } = createHubRig();
    let serialised = 0;
    const message = Object.assign(archived(), { toJSON: () => ({ ...archived(), count: ++serialised }) });

    hub.announce({ to: 'all', message });
    expect(serialised).toBe(0);

    const windows = [createFakeWindow(), createFakeWindow(), createFakeWindow()];
    for (const { window } of windows) hub.add(window);
    hub.announce({ to: 'all', message });

    expect(serialised).toBe(1);
    expect(new Set(windows.map(({ frames }) => frames.at(-1))).size).toBe(1);
  });

  it('engine/append serialises each form of an event once, and only if a window wants it', async () => {
    const { hub } = createHubRig();
    const count = { whole: 0, append: 0 };
    const counted = <T extends object>(message: T, form: keyof typeof count) =>
      Object.assign(message, {
        toJSON() {
          count[form] += 1;
          return { type: form };
        },
      });
    const announce = () =>
      hub.announce({
        to: 'session',
        sessionId,
        message: counted(archived(), 'whole'),
        append: counted(
          { type: 'session:append' as const, sessionId, seq: 1, itemId: 'i', at: 0, text: 'a' },
          'append',
        ),
      });
    const windows = [createFakeWindow(), createFakeWindow(), createFakeWindow(), createFakeWindow()];
    for (const { window } of windows) hub.add(window);
    announce();
    expect(count).toEqual({ whole: 0, append: 0 });

    for (const { window } of windows.slice(0, 2)) await hub.subscribe(window, { sessionId, appends: true });
    announce();
    expect(count).toEqual({ whole: 0, append: 1 });

    for (const { window } of windows.slice(2)) await hub.subscribe(window, { sessionId });
    announce();
    expect(count).toEqual({ whole: 1, append: 2 });
    expect(windows.map(({ types }) => types().at(-1))).toEqual(['append', 'append', 'whole', 'whole']);
  });

  it('tells a new window how the agents stand', () => {
    const { hub } = createHubRig();
    const { window, types } = createFakeWindow();

    hub.add(window);

    expect(types()).toEqual(['agent:status']);
  });

  it('does not announce to the sender', () => {
    const { hub } = createHubRig();
    const [asker, other] = [createFakeWindow(), createFakeWindow()];
    hub.add(asker.window);
    hub.add(other.window);

    hub.announce({ to: 'all', message: archived() }, asker.window);

    expect(asker.types()).toEqual(['agent:status']);
    expect(other.types()).toEqual(['agent:status', 'session:archived']);
  });

  it('sends events of a session only to its subscribers, after their snapshot', async () => {
    const { hub } = createHubRig();
    const [watcher, other] = [createFakeWindow(), createFakeWindow()];
    for (const { window } of [watcher, other]) hub.add(window);
    await hub.subscribe(watcher.window, { sessionId });

    hub.announce({ to: 'session', sessionId, message: archived() });
    hub.announce({ to: 'session', sessionId: 'codex:two', message: archived('codex:two') });

    expect(watcher.types()).toEqual(['agent:status', 'session:history', 'session:archived']);
    expect(other.types()).toEqual(['agent:status']);
  });

  it('cancels a subscription whose session is still loading, and still answers its request', async () => {
    const { hub, load, watching } = createHubRig();
    const { window, types } = createFakeWindow();
    hub.add(window);
    load.close();

    const subscribed = hub.subscribe(window, { sessionId }, 'r');
    hub.unsubscribe(window, sessionId);
    load.open();
    await subscribed;
    hub.announce({ to: 'session', sessionId, message: archived() });

    expect(types()).toEqual(['agent:status', 'session:history']);
    expect(watching()).toBe(0);
  });

  it('counts one subscription per window, however often it subscribes', async () => {
    const { hub, watching } = createHubRig();
    const { window, types } = createFakeWindow();
    hub.add(window);

    await hub.subscribe(window, { sessionId });
    await hub.subscribe(window, { sessionId });
    expect(watching()).toBe(1);
    hub.announce({ to: 'session', sessionId, message: archived() });
    expect(types().filter((type) => type === 'session:archived')).toHaveLength(1);

    hub.unsubscribe(window, sessionId);
    hub.unsubscribe(window, sessionId);
    expect(watching()).toBe(0);
  });

  it('forgets a window that disconnected, also while its session was loading', async () => {
    const { hub, load, watching } = createHubRig();
    const { window } = createFakeWindow();
    hub.add(window);
    await hub.subscribe(window, { sessionId });
    load.close();
    const late = hub.subscribe(window, { sessionId: 'codex:two' });

    hub.remove(window);
    load.open();
    await late;

    expect(watching()).toBe(0);
  });

  it('sends the history of a reopened session as a snapshot of any size', async () => {
    const { hub } = createHubRig();
    const { window, log } = createFakeWindow();
    hub.add(window);
    await hub.subscribe(window, { sessionId });

    hub.announce({ to: 'session', sessionId, message: history });

    expect(log).toEqual(['snapshot', 'snapshot']);
  });

  it('safe/unread sends a window one snapshot at a time, and each of them in its turn', async () => {
    const { hub, watching } = createHubRig();
    const reads: (() => void)[] = [];
    const { window, log, types } = createFakeWindow(() => new Promise((resolve) => reads.push(resolve)));
    hub.add(window);

    const ids = Array.from({ length: 100 }, (_, index) => `codex:${index}`);
    const subscribed = Promise.all(ids.map((id) => hub.subscribe(window, { sessionId: id })));
    await settle();
    expect(log).toEqual(['snapshot']);
    expect(watching()).toBe(1);
    hub.announce({ to: 'session', sessionId: 'codex:1', message: archived('codex:1') });
    expect(types()).toEqual(['agent:status', 'session:history']);

    for (let read = 1; read <= 100; read += 1) {
      expect(log).toHaveLength(read);
      reads.shift()?.();
      await settle();
    }
    await subscribed;
    expect(log).toHaveLength(100);
    expect(watching()).toBe(100);
  });

  it('safe/unread lets sessions that were opened again wait until the window has read', async () => {
    const { hub, watching } = createHubRig();
    const reads: (() => void)[] = [];
    const { window, log, types } = createFakeWindow(() => new Promise((resolve) => reads.push(resolve)));
    hub.add(window);
    const two = hub.subscribe(window, { sessionId: 'codex:two' });
    await settle();
    reads.shift()?.();
    const one = hub.subscribe(window, { sessionId });
    await Promise.all([one, two]);
    expect(log).toHaveLength(2);

    hub.announce({ to: 'session', sessionId: 'codex:two', message: { ...history, sessionId: 'codex:two' } });
    hub.announce({ to: 'session', sessionId: 'codex:two', message: archived('codex:two') });
    await settle();
    expect(log).toHaveLength(2);

    reads.shift()?.();
    await settle();
    expect(log).toHaveLength(3);
    expect(watching()).toBe(2);
    hub.announce({ to: 'session', sessionId: 'codex:two', message: archived('codex:two') });
    expect(types().slice(-2)).toEqual(['session:history', 'session:archived']);
  });

  it('sends heartbeats only while there are windows', () => {
    const { hub, clock } = createHubRig();
    const { window, log } = createFakeWindow();
    hub.add(window);

    clock.advance(3000);
    expect(log).toEqual(['beat', 'beat', 'beat']);

    hub.remove(window);
    clock.advance(1000);
    expect(clock.pending).toBe(0);
    hub.add(window);
    clock.advance(1000);
    expect(log).toHaveLength(4);
  });

  it('closes all windows and stops the heartbeat when it closes', () => {
    const { hub, clock } = createHubRig();
    const { window, log } = createFakeWindow();
    hub.add(window);

    hub.close();

    expect(log).toEqual(['close: The server is shutting down.']);
    expect(clock.pending).toBe(0);
  });
});
