import type { Browser } from 'playwright-core';
import { longConversation } from '../../tests/fixtures/conversation/long-conversation.ts';
import { type BenchRow, median } from '../report.ts';
import { openHistory, withPage } from './host.ts';
import { milliseconds } from './milliseconds.ts';

const ROUNDS = 9;
const LAST = 50;
const MANY = 2_000;

/** In milliseconds, on the machine where the targets were set. */
const TARGET = { ours: 100, bare: 28 };

interface Route {
  readonly measure: string;
  readonly origin: string;
  readonly count: number;
  /** How many of them a bare page mounts. */
  readonly mount?: number;
}

/** Interleaved, so that disturbances affect all of them. */
export async function measureOpenings(browser: Browser, ours: string, bare: string): Promise<BenchRow[]> {
  const routes: Route[] = [
    { measure: 'opening 200 entries', origin: ours, count: 200 },
    { measure: `opening ${MANY} entries`, origin: ours, count: MANY },
    { measure: `bare page, the last ${LAST} of ${MANY} entries mounted`, origin: bare, count: MANY, mount: LAST },
    { measure: `bare page, all ${MANY} entries mounted`, origin: bare, count: MANY, mount: MANY },
  ];
  const times = routes.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, route] of routes.entries()) times[index]?.push(await measure(browser, route));
  }
  const medians = times.map(median);
  const [, many = Number.NaN, last = Number.NaN] = medians;
  const bound = TARGET.ours / TARGET.bare;
  return [
    ...routes.map(({ measure }, index) => ({
      measure,
      value: `${milliseconds(medians[index] ?? Number.NaN)} (most ${milliseconds(Math.max(...(times[index] ?? [])))})`,
    })),
    {
      measure: `opening ${MANY} entries against a bare page that mounts the last ${LAST}`,
      value: `${(many / last).toFixed(1)} ×`,
      target: `≤ ${bound.toFixed(1)} × (${TARGET.ours} ms where bare needs ${TARGET.bare})`,
      met: many / last <= bound,
    },
  ];
}

async function measure(browser: Browser, { origin, count, mount }: Route): Promise<number> {
  const { entries, turns } = longConversation(count);
  const history = { type: 'session:history', entries, turns, ...(mount !== undefined && { mount }) };
  return withPage(browser, origin, (page) => openHistory(page, history, `Answer ${turns.length - 1}.`));
}
