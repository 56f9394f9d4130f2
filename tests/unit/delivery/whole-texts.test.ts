import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHub, type Window } from '../../../server/delivery/index.ts';
import type { AppendMessage, EventMessage, HistoryMessage } from '../../../shared/events.ts';
import type { MessageUpsert } from '../../../shared/stream-contracts.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const sessionId = 'codex:one';
const at = '2025-01-01T00:00:00.000Z';
const history: HistoryMessage = { type: 'session:history', sessionId, asOf: 0, entries: [], turns: [] };

type Received = EventMessage & { readonly seq?: number };

async function openWindow(options: { readonly appends: boolean }) {
  const clock = createManualClock();
  const frames: Received[] = [];
  let bytes = 0;
  const take = (frame: Uint8Array) => {
    bytes += frame.byteLength;
    frames.push(JSON.parse(String(frame)));
  };
  const window: Window = {
    send: take,
    sendSnapshot: async () => undefined,
    markAlive: () => undefined,
    beat: () => undefined,
    close: () => undefined,
  };
  const hub = createHub({
    clock,
    heartbeatMs: 1e9,
    source: () => ({
      join: async (_, run) => run({ history: () => history, eventsSince: () => undefined }),
      watch: () => () => undefined,
      agentStatuses: () => [],
    }),
  });
  hub.add(window);
  await hub.subscribe(window, { sessionId, appends: options.appends });

  let seq = 0;
  const texts = new Map<string, string>();
  function grow(itemId: string, text: string, status: 'update' | 'complete' = 'update'): void {
    const before = texts.get(itemId);
    const content = `${before ?? ''}${text}`;
    texts.set(itemId, content);
    seq += 1;
    const ids = { sessionId, turnId: 't', itemId, sourceTimestamp: at, emittedAt: at };
    const payload: MessageUpsert = { type: 'message', origin: 'agent', ...ids, status, content };
    const end = status === 'complete' ? { end: { status, emittedAt: at, sourceTimestamp: at } } : {};
    const append: AppendMessage = {
      type: 'session:append',
      sessionId,
      seq,
      itemId,
      at: before?.length ?? 0,
      text,
      ...end,
    };
    const message = { type: 'session:upsert' as const, sessionId, seq, payload };
    hub.announce({ to: 'session', sessionId, message, append: before === undefined ? undefined : append });
  }
  function endTurn(): void {
    seq += 1;
    const payload = { type: 'turn_complete' as const, turnId: 't', sessionId, status: 'completed' as const };
    hub.announce({ to: 'session', sessionId, message: { type: 'session:turn', sessionId, seq, payload } });
  }
  return { clock, hub, window, frames, grow, endTurn, texts, bytes: () => bytes };
}

/** Streams a text at a megabyte a second, in batches as large as those of a live agent. */
async function stream(length: number, appends: boolean) {
  const rig = await openWindow({ appends });
  for (let sent = 0; sent < length; sent += 1000) {
    rig.grow('i', 'x'.repeat(1000));
    rig.clock.advance(1);
  }
  rig.endTurn();
  return rig;
}

const wholeText = (frame: Received | undefined) =>
  frame?.type === 'session:upsert' && frame.payload.type === 'message' ? frame.payload.content : undefined;

describe('a window without appends', () => {
  it('safe/linear gets a number of bytes that grows with the length of the text, not with its square', async () => {
    const [short, long] = [await stream(500_000, false), await stream(4_000_000, false)];

    const perCharacter = [short.bytes() / 500_000, long.bytes() / 4_000_000];
    expect((perCharacter[1] ?? 0) / (perCharacter[0] ?? 1)).toBeLessThan(2);
    expect(perCharacter[1]).toBeLessThan(10);
  });

  it('safe/linear has the whole text when the turn has ended', async () => {
    const { frames, texts } = await stream(2_000_000, false);

    expect(frames.at(-1)?.type).toBe('session:turn');
    expect(wholeText(frames.at(-2))).toBe(texts.get('i'));
  });

  it('gets every state of a short text', async () => {
    const { frames } = await stream(20_000, false);

    expect(frames.filter(({ type }) => type === 'session:upsert')).toHaveLength(20);
  });

  it('safe/linear gets a long text that does not grow any more soon after', async () => {
    const { clock, frames, grow, texts } = await openWindow({ appends: false });
    grow('i', 'x'.repeat(400_000));
    grow('i', 'y');
    grow('i', 'z');
    expect(frames).toHaveLength(1);

    clock.advance(100);

    expect(wholeText(frames.at(-1))).toBe(texts.get('i'));
    expect(frames).toHaveLength(2);
  });

  it('safe/linear gets nothing that it has already, when it subscribed again while a text waited', async () => {
    const { clock, hub, window, frames, grow } = await openWindow({ appends: false });
    grow('i', 'x'.repeat(400_000));
    grow('i', 'y');
    Object.assign(history, { asOf: 2 });
    await hub.subscribe(window, { sessionId });
    Object.assign(history, { asOf: 0 });

    clock.advance(1000);

    expect(frames).toHaveLength(1);
  });

  const step = fc.oneof(
    fc.record({
      item: fc.nat(2),
      length: fc.constantFrom(1, 5_000, 40_000),
      status: fc.constantFrom('update', 'update', 'complete'),
    }),
    fc.constantFrom('wait' as const, 'end' as const),
  );

  it('safe/linear gets numbers that only go up and ends with the last state of every item, whatever comes when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { clock, frames, grow, endTurn, texts } = await openWindow({ appends: false });
        const ended = new Set<number>();
        for (const action of steps) {
          if (action === 'wait') clock.advance(7);
          else if (action === 'end') endTurn();
          else if (!ended.has(action.item)) {
            grow(`i${action.item}`, 'x'.repeat(action.length), action.status as 'update' | 'complete');
            if (action.status === 'complete') ended.add(action.item);
          }
        }
        clock.advance(10_000);

        const seqs = frames.map(({ seq = 0 }) => seq);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
        const last = new Map(
          frames.flatMap((frame) =>
            frame.type === 'session:upsert' ? [[frame.payload.itemId, frame.payload] as const] : [],
          ),
        );
        expect(new Map([...last].map(([id, payload]) => [id, 'content' in payload ? payload.content : '']))).toEqual(
          texts,
        );
        for (const item of ended) expect(last.get(`i${item}`)?.status).toBe('complete');
        expect(clock.pending).toBe(1);
      }),
      { numRuns: 200, seed: 20250101 },
    );
  });
});

describe('a window with appends', () => {
  it('gets each part of a long text at once, and each once', async () => {
    const { frames, bytes } = await stream(1_000_000, true);

    expect(frames.filter(({ type }) => type === 'session:append')).toHaveLength(999);
    expect(bytes()).toBeLessThan(1_300_000);
  });
});
