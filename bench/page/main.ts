import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { hostFiles } from '../../tests/browser/chat/rig/host-page.ts';
import { serveStatic } from '../../tests/browser/chat/rig/static-server.ts';
import { buildPages } from '../../tests/fixtures/built-pages.ts';
import { launchChromium } from '../../tests/fixtures/chromium.ts';
import { longConversation } from '../../tests/fixtures/conversation/long-conversation.ts';
import { agentMessage, userMessage } from '../../tests/fixtures/conversation/upserts.ts';
import { type BenchReport, type BenchRow, median, quantile } from '../report.ts';
import { milliseconds } from './milliseconds.ts';
import { streamedAnswer } from './streamed-answer.ts';
import { measureWholeApp } from './whole-app.ts';

const OPENINGS = 7;

/** The session page alone, in a host that stands for the shell, and then the whole app with a scripted agent. */
export async function run(): Promise<BenchReport> {
  const [browser, pages] = await Promise.all([launchChromium(), buildPages()]);
  const driver = await readFile(new URL('driver.js', import.meta.url), 'utf8');
  const files = { ...hostFiles, '/host.js': `${hostFiles['/host.js']}\n${driver}` };
  const server = await serveStatic(pages.directory, files);
  try {
    return {
      title: 'Page',
      method:
        "Headless Chromium, the built page in a frame of a host that posts what the shell would post. Opening: from posting the history until the newest entry is painted. Streaming: one upsert for every token, from posting it until its word is painted, in a session of 2,000 entries. Whole app: the real server with a scripted agent in its process, the shell, and the session page in its tab; from the moment the agent emits an upsert, batched as a live agent's, until its newest word is painted, also in 2,000 entries.",
      rows: [
        await measureFirstPaint(browser, server.origin),
        await measureOpening(browser, server.origin, 200),
        await measureOpening(browser, server.origin, 2_000, 100),
        ...(await measureStreaming(browser, server.origin, 50, 500)),
        ...(await measureStreaming(browser, server.origin, 500, 5_000)),
        ...(await measureWholeApp(browser, pages.directory)),
      ],
    };
  } finally {
    await browser.close();
    await server.stop();
    await pages.remove();
  }
}

async function withPage<T>(browser: Browser, origin: string, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 860 } });
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/host.html`);
    await page.waitForFunction('window.heard.some(({ type }) => type === "portlet:ready")');
    await page.evaluate('window.tell([{ type: "connection", state: "connected" }])');
    return await use(page);
  } finally {
    await context.close();
  }
}

async function measureFirstPaint(browser: Browser, origin: string): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < OPENINGS; round += 1) {
    times.push(
      await withPage(browser, origin, async (page) => {
        await page.waitForFunction('window.firstContentfulPaint() !== null');
        return page.evaluate<number>('window.firstContentfulPaint()');
      }),
    );
  }
  return { measure: 'first contentful paint', value: milliseconds(median(times)) };
}

async function measureOpening(browser: Browser, origin: string, count: number, target?: number): Promise<BenchRow> {
  const { entries, turns } = longConversation(count);
  const history = { type: 'session:history', entries, turns };
  const newest = `Answer ${turns.length - 1}.`;
  const times: number[] = [];
  for (let round = 0; round < OPENINGS; round += 1) {
    times.push(await withPage(browser, origin, (page) => measureOpeningOn(page, history, newest)));
  }
  const measure = `opening ${count.toLocaleString('en')} entries`;
  const value = `${milliseconds(median(times))} (most ${milliseconds(Math.max(...times))})`;
  return target === undefined
    ? { measure, value }
    : { measure, value, target: `≤ ${target} ms`, met: median(times) <= target };
}

/** The history is brought into the page first: reading it there is no part of what is measured. */
async function measureOpeningOn(page: Page, history: object, newest: string): Promise<number> {
  await page.evaluate(`window.prepared = JSON.parse(${JSON.stringify(JSON.stringify(history))}); 0`);
  return page.evaluate<number>(`window.measureOpening(window.prepared, ${JSON.stringify(newest)})`);
}

async function measureStreaming(
  browser: Browser,
  origin: string,
  perSecond: number,
  count: number,
): Promise<BenchRow[]> {
  const { entries, turns } = longConversation(2_000);
  const history = { type: 'session:history', entries, turns };
  const answer = streamedAnswer(count);
  const item = agentMessage('live:0:0', '', { status: 'update' });
  const { latencies, longTasks } = await withPage(browser, origin, async (page) => {
    await measureOpeningOn(page, history, `Answer ${turns.length - 1}.`);
    const start = [
      { type: 'session:upsert', payload: userMessage('live:user', 'Tell me more.') },
      {
        type: 'session:turn',
        payload: {
          type: 'turn_started',
          turnId: 'live',
          sessionId: item.sessionId,
          modelId: 'm',
          providerId: 'p',
        },
      },
    ];
    await page.evaluate(`window.tell(${JSON.stringify(start)})`);
    await page.evaluate(`window.answer = JSON.parse(${JSON.stringify(JSON.stringify(answer))}); 0`);
    return page.evaluate<{ latencies: number[]; longTasks: number[] }>(
      `window.measureStreaming(window.answer, ${JSON.stringify(item)}, ${perSecond})`,
    );
  });
  const p99 = quantile(latencies, 0.99);
  const longest = Math.max(0, ...longTasks);
  const figures: BenchRow = {
    measure: `${perSecond} tokens/s, posted to painted, P50 / P99`,
    value: `${milliseconds(median(latencies))} / ${milliseconds(p99)}`,
  };
  const tasks = `long tasks over 50 ms at ${perSecond} tokens/s`;
  if (perSecond < 500) return [figures];
  return [
    { ...figures, target: 'P99 ≤ 50 ms', met: p99 <= 50 },
    {
      measure: tasks,
      value: `${longTasks.length} (longest ${milliseconds(longest)})`,
      target: '0',
      met: longTasks.length === 0,
    },
  ];
}
