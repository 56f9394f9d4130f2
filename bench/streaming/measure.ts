import { systemClock } from '../../server/clock.ts';
import { type Batching, createStreamCore, type StreamCore } from '../../server/streaming/stream-core.ts';
import type { UpsertObject } from '../../shared/stream-contracts.ts';
import { createManualClock } from '../../tests/support/manual-clock.ts';

const DELTA_LENGTH = 4;
const TENTHS = 10;

interface Size {
  readonly bytes: number;
  readonly batching: Batching;
}

export interface Timing {
  /** Milliseconds of CPU time per delta. */
  readonly firstTenth: number;
  readonly lastTenth: number;
  readonly totalMs: number;
}

export function streamText({ bytes, batching }: Size): Timing {
  const deltas = makeDeltas();
  const perTenth = bytes / DELTA_LENGTH / TENTHS;
  let last: UpsertObject | undefined;
  const core = openMessage(batching, (upsert) => {
    last = upsert;
  });

  const times: number[] = [];
  for (let tenth = 0; tenth < TENTHS; tenth += 1) {
    const start = processorMs();
    for (let i = 0; i < perTenth; i += 1) say(core, deltas[i % deltas.length] ?? '');
    times.push((processorMs() - start) / perTenth);
  }
  core.apply({ do: 'turn_done', turnId: 't', status: 'completed' });
  if (last?.type !== 'message' || last.content.length < bytes * 0.99) throw new Error('Text was lost.');

  const [firstTenth = Number.NaN] = times;
  const totalMs = times.reduce((sum, time) => sum + time * perTenth, 0);
  return { firstTenth, lastTenth: times.at(-1) ?? Number.NaN, totalMs };
}

/** One token per delta, evenly spaced on a manual clock. */
export function countEmissions(options: { tokens: number; tokensPerSecond: number; batching: Batching }): number {
  const { tokens, tokensPerSecond, batching } = options;
  const clock = createManualClock();
  let emissions = 0;
  const core = openMessage(
    batching,
    () => {
      emissions += 1;
    },
    clock,
  );
  for (let i = 0; i < tokens; i += 1) {
    say(core, 'word ');
    clock.advance(1000 / tokensPerSecond);
  }
  core.apply({ do: 'item_done', itemId: 'i' });
  return emissions;
}

function openMessage(batching: Batching, onUpsert: (upsert: UpsertObject) => void, clock = systemClock): StreamCore {
  const core = createStreamCore({
    sessionId: 'bench:session',
    providerId: 'bench',
    clock,
    batching,
    emitArgumentUpdates: true,
    onUpsert,
    onTurn: () => {},
  });
  core.apply({ do: 'item_start', turnId: 't', itemId: 'i', kind: 'message' });
  return core;
}

/** CPU time, unlike wall time, is not affected by other programs. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function say(core: StreamCore, text: string): void {
  core.apply({ do: 'item_delta', itemId: 'i', text });
}

/** Words of 1 to 9 letters, split into deltas of equal length. */
export function makeDeltas(): string[] {
  const text = Array.from({ length: 20_000 }, (_, i) => 'streaming'.slice(0, 1 + ((i * 7) % 9))).join(' ');
  const deltas: string[] = [];
  for (let at = 0; at + DELTA_LENGTH <= text.length; at += DELTA_LENGTH) {
    deltas.push(text.slice(at, at + DELTA_LENGTH));
  }
  return deltas;
}
