import { readFile } from 'node:fs/promises';
import type { Browser, Frame, Page } from 'playwright-core';
import { systemClock } from '../../server/clock.ts';
import { createStreamCore, LIVE_BATCHING } from '../../server/streaming/stream-core.ts';
import { longConversation } from '../../tests/fixtures/conversation/long-conversation.ts';
import { type StreamedAnswer, streamedAnswer } from '../../tests/fixtures/conversation/streamed-answer.ts';
import type { ScriptedProvider } from '../../tests/support/agents/scripted-provider.ts';
import { type AppRig, startAppRig } from '../../tests/support/browser/app-rig.ts';
import { type BenchRow, median, quantile } from '../report.ts';
import { milliseconds } from './milliseconds.ts';

const ENTRIES = 2_000;
const TABS = 20;
const MESSAGES_PER_TAB = 60;
const SWITCHES = 100;
const FIRST_PAINTS = 7;
const OPENINGS = 7;

/** Measures the whole path: an agent's upsert, the server, the socket, the shell, the session page, the screen. */
export async function measureWholeApp(browser: Browser, pagesDir: string): Promise<BenchRow[]> {
  const rig = await startAppRig(browser, pagesDir);
  try {
    return [
      await measureFirstPaint(rig),
      await measureOpening(rig, 200),
      await measureOpening(rig, ENTRIES, 500),
      await measureTabs(rig),
      await measureStreaming(rig, 50, 500),
      await measureStreaming(rig, 500, 5_000),
    ];
  } finally {
    await rig.stop();
  }
}

async function openWatched(rig: AppRig): Promise<Page> {
  const page = await rig.open();
  await page.addInitScript(await readFile(new URL('watch-app.js', import.meta.url), 'utf8'));
  await page.reload();
  await page.getByText('Server connected').waitFor();
  return page;
}

async function measureFirstPaint(rig: AppRig): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < FIRST_PAINTS; round += 1) {
    const page = await openWatched(rig);
    await page.waitForFunction('window.bench.firstContentfulPaint() !== null');
    times.push(await page.evaluate<number>('window.bench.firstContentfulPaint()'));
    await page.context().close();
  }
  return { measure: 'whole app: first contentful paint', value: milliseconds(median(times)) };
}

async function measureOpening(rig: AppRig, count: number, target?: number): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < OPENINGS; round += 1) {
    const { title, newest } = await seedLong(rig, `Opening ${count}, ${round}.`, count);
    const page = await openWatched(rig);
    await page.getByRole('button', { name: new RegExp(`^${title} `) }).waitFor();
    times.push(
      await page.evaluate<number>(`window.bench.opening(${JSON.stringify(title)}, ${JSON.stringify(newest)})`),
    );
    await page.context().close();
  }
  const measure = `whole app: click to the newest of ${count} entries painted, P50 / longest of ${OPENINGS}`;
  const value = `${milliseconds(median(times))} / ${milliseconds(Math.max(...times))}`;
  return target === undefined
    ? { measure, value }
    : { measure, value, target: `< ${target} ms`, met: median(times) < target };
}

/** A session with a long conversation, in its own project. */
async function seedLong(rig: AppRig, title: string, count: number) {
  const { sessions } = await rig.seed(title.replaceAll(/\W/g, '-'), [{ title }]);
  const sessionId = sessions[0]?.id ?? '';
  const { entries, turns } = longConversation(count);
  const history = entries.map((entry) => ({ ...entry, sessionId }));
  rig.claude.remember(sessionId, history);
  return { title, sessionId, newest: `Answer ${turns.length - 1}.` };
}

async function measureTabs(rig: AppRig): Promise<BenchRow> {
  const seeds = Array.from({ length: TABS }, (_, index) => ({
    title: `Tab ${index + 1}.`,
    messages: MESSAGES_PER_TAB,
    minutesAgo: index,
  }));
  await rig.seed('tabs', seeds);
  const page = await openWatched(rig);
  for (const { title } of seeds) {
    await page.getByRole('button', { name: new RegExp(`^${title} `) }).click();
    await page.frameLocator('iframe:visible').getByText(`Message ${MESSAGES_PER_TAB}`).waitFor();
  }
  const taken = await page.evaluate<number[]>(`window.bench.switches(${SWITCHES})`);
  await page.context().close();
  const longest = Math.max(...taken);
  return {
    measure: `whole app: switching among ${TABS} tabs, P50 / longest of ${SWITCHES}`,
    value: `${milliseconds(median(taken))} / ${milliseconds(longest)}`,
    target: '< 100 ms',
    met: longest < 100,
  };
}

async function measureStreaming(rig: AppRig, perSecond: number, count: number): Promise<BenchRow> {
  const { title, sessionId, newest } = await seedLong(rig, `At ${perSecond} a second.`, ENTRIES);
  const page = await openWatched(rig);
  await page.getByRole('button', { name: new RegExp(`^${title} `) }).click();
  await page.frameLocator('iframe').getByText(newest).waitFor();
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error('There is no session page.');

  const ahead = await clockDifference(frame);
  const watched = frame.evaluate<Seen[]>(`window.bench.words(${count - 1})`);
  const emitted = await stream(rig.claude, sessionId, streamedAnswer(count), perSecond);
  const seen = await watched;
  await page.context().close();

  const latencies = emitted.map(({ word, at }) => {
    const shown = seen.find((frameSeen) => frameSeen.word >= word);
    return (shown?.at ?? Number.POSITIVE_INFINITY) - ahead - at;
  });
  return {
    measure: `whole app: ${perSecond} tokens/s, agent's emission to painted, P50 / P99`,
    value: `${milliseconds(median(latencies))} / ${milliseconds(quantile(latencies, 0.99))}`,
  };
}

interface Seen {
  readonly word: number;
  readonly at: number;
}

const now = () => performance.timeOrigin + performance.now();

/** How far the page's clock is ahead of ours, measured by the fastest of several round trips. */
async function clockDifference(frame: Frame): Promise<number> {
  let best = { took: Number.POSITIVE_INFINITY, difference: 0 };
  for (let round = 0; round < 30; round += 1) {
    const asked = now();
    const there = await frame.evaluate<number>('window.bench.now()');
    const answered = now();
    const took = answered - asked;
    if (took < best.took) best = { took, difference: there - (asked + answered) / 2 };
  }
  return best.difference;
}

/** Streams the reply like a live agent. Returns the newest word and the time of each upsert. */
function stream(provider: ScriptedProvider, sessionId: string, { text, ends }: StreamedAnswer, perSecond: number) {
  const emitted: Seen[] = [];
  const [turnId, itemId] = ['live', 'live:0:0'];
  const core = createStreamCore({
    sessionId,
    providerId: provider.cliType,
    clock: systemClock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onTurn: provider.emitTurn,
    onUpsert(upsert, growth) {
      const length = 'content' in upsert ? upsert.content.length : 0;
      const word = ends.findLastIndex((end) => end <= length);
      if (word >= 0) emitted.push({ word, at: now() });
      provider.emitUpsert(upsert, growth);
    },
  });
  core.apply({ do: 'item_start', turnId, itemId, kind: 'message' });
  const start = performance.now();
  let sent = 0;
  return new Promise<Seen[]>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(ends.length, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1);
      for (; sent < due; sent += 1) {
        core.apply({ do: 'item_delta', itemId, text: text.slice(ends[sent - 1] ?? 0, ends[sent]) });
      }
      if (sent < ends.length) return;
      clearInterval(timer);
      // Wait for the last batch, so that it is seen before the reply ends.
      setTimeout(() => resolve(emitted), 2 * LIVE_BATCHING.batchTimeoutMs);
    }, 1);
  });
}
