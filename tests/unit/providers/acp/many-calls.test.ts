import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createReplay } from '../../../../server/providers/acp/translate/replay.ts';
import { newSession, type SessionEvent } from '../../../../server/providers/acp/translate/session-state.ts';
import type { SessionUpdate } from '../../../../server/providers/acp/translate/session-update.ts';
import { translateSession } from '../../../../server/providers/acp/translate/translate-session.ts';
import { createStreamCore, LIVE_BATCHING } from '../../../../server/streaming/stream-core.ts';
import { costGrowth } from '../../../support/cost-growth.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { CODEX_DIALECT, chunk, tool, toolUpdate } from './session-rig.ts';

const command = (callId: string) => tool(callId, { kind: 'execute' });
const completed = (callId: string) => toolUpdate(callId, { status: 'completed' });
const context = { dialect: CODEX_DIALECT, readTerminal: () => undefined, isReplay: false, newTurnId: () => 'own' };

/** Translates the updates of one turn and applies them. Returns how many upserts came out. */
function runTurn(updates: Iterable<SessionUpdate>, later: Iterable<SessionUpdate> = []): number {
  let upserts = 0;
  const core = createStreamCore({
    sessionId: 'codex:s',
    providerId: 'codex',
    clock: createManualClock(),
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert: () => {
      upserts += 1;
    },
    onTurn: () => undefined,
  });
  let state = newSession(new Set());
  const apply = (event: SessionEvent) => {
    const step = translateSession(state, event, context);
    state = step.state;
    for (const action of step.actions) core.apply(action);
    // Asked for with every event.
    core.backgroundCount();
  };
  apply({ kind: 'prompted', turnId: 't' });
  for (const update of updates) apply({ kind: 'update', update });
  apply({ kind: 'answered', turnId: 't', outcome: { by: 'answer', stopReason: 'end_turn' } });
  for (const update of later) apply({ kind: 'update', update });
  return upserts;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

describe('a turn with very many tool calls', () => {
  it('safe/linear costs the same per call, with text in between', () => {
    const updates = (count: number) => numbers(count).flatMap((id) => [command(id), completed(id), chunk('Next.', id)]);

    expect(costGrowth(1_000, (count) => expect(runTurn(updates(count))).toBeGreaterThan(3 * count))).toBeLessThan(3);
  });

  it('safe/linear costs the same per call, when all of them go on in the background and end later', () => {
    const started = (count: number) => [...numbers(count).map(command), chunk('They run.', 'm')];
    const ended = (count: number) => numbers(count).map(completed);

    const cost = costGrowth(500, (count) => expect(runTurn(started(count), ended(count))).toBeGreaterThan(3 * count));
    expect(cost).toBeLessThan(3);
  });

  it('safe/linear is replayed while the server goes on', async () => {
    const replay = createReplay({
      sessionId: 'codex:s1',
      providerId: 'codex',
      nativeId: 's1',
      dialect: CODEX_DIALECT,
      now: '2026-01-01T00:00:00.000Z',
    });
    for (const id of numbers(20_000)) for (const update of [command(id), completed(id)]) replay.add(update);
    let rounds = 0;
    let isOver = false;
    const counting = (async () => {
      for (; !isOver; rounds += 1) await nextRound();
    })();

    const items = await replay.history();
    isOver = true;
    await counting;

    expect(items).toHaveLength(20_000);
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['complete']));
    expect(rounds).toBeGreaterThan(2);
  });
});
