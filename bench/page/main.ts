import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { longConversation } from '../../tests/fixtures/conversation/long-conversation.ts';
import { streamedAnswer } from '../../tests/fixtures/conversation/streamed-answer.ts';
import { agentMessage, userMessage } from '../../tests/fixtures/conversation/upserts.ts';
import { buildPages } from '../../tests/support/browser/built-pages.ts';
import { launchChromium } from '../../tests/support/browser/chromium.ts';
import { type BenchReport, type BenchRow, median, quantile } from '../report.ts';
import { openHistory, serveInHost, withPage } from './host.ts';
import { milliseconds } from './milliseconds.ts';
import { measureOpenings } from './opening.ts';
import { measureWholeApp } from './whole-app.ts';

const FIRST_PAINTS = 7;
const BARE_PAGE = fileURLToPath(new URL('bare-page', import.meta.url));

/** Measures the session page alone, in a host page, and then the whole app with a scripted agent. */
export async function run(): Promise<BenchReport> {
  const pages = await buildPages();
  const barePages = await buildPages({
    configFile: false,
    root: BARE_PAGE,
    build: { rolldownOptions: { input: 'portlet/index.html' } },
  });
  const [server, bareServer] = await Promise.all([serveInHost(pages.directory), serveInHost(barePages.directory)]);
  const browser = await launchChromium();
  try {
    return {
      title: 'Page',
      method:
        "Headless Chromium, the built page in a frame of a host that posts what the shell would post. Opening: from posting the history until the newest entry is painted; a bare page puts the same entries through the same Markdown libraries and appends them. Streaming: one upsert for every token, from posting it until its word is painted, in a session of 2,000 entries. Whole app: the real server with a scripted agent in its process, the shell, and the session page in its tab; from the moment the agent emits an upsert, batched as a live agent's, until its newest word is painted, also in 2,000 entries.",
      rows: [
        await measureFirstPaint(browser, server.origin),
        ...(await measureOpenings(browser, server.origin, bareServer.origin)),
        ...(await measureStreaming(browser, server.origin, 50, 500)),
        ...(await measureStreaming(browser, server.origin, 500, 5_000)),
        ...(await measureWholeApp(browser, pages.directory)),
      ],
    };
  } finally {
    await browser.close();
    for (const part of [server, bareServer]) await part.stop();
    for (const part of [pages, barePages]) await part.remove();
  }
}

async function measureFirstPaint(browser: Browser, origin: string): Promise<BenchRow> {
  const times: number[] = [];
  for (let round = 0; round < FIRST_PAINTS; round += 1) {
    times.push(
      await withPage(browser, origin, async (page) => {
        await page.waitForFunction('window.firstContentfulPaint() !== null');
        return page.evaluate<number>('window.firstContentfulPaint()');
      }),
    );
  }
  return { measure: 'first contentful paint of the session page', value: milliseconds(median(times)) };
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
    await openHistory(page, history, `Answer ${turns.length - 1}.`);
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
