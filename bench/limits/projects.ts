import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../tests/support/browser/chromium.ts';
import { createScratch, type Scratch, startProduct } from '../product/rig.ts';
import type { BenchRow } from '../report.ts';
import { growthRow, type Silence, silenceRow, startProbe } from './probe.ts';

const COUNTS: readonly number[] = [10, 100, 1_000, 10_000];
const SESSIONS_EACH = 3;
const GIVE_UP_MS = 240_000;

interface Measured {
  /** From the load of the page until a word in the filter has found the last session. */
  readonly usableMs: number;
  readonly longestTaskMs: number;
  readonly silence: Silence;
  readonly addMs: number;
  readonly filterMs: number;
}

/** The page with a growing number of projects, three sessions each. */
export async function manyProjects(): Promise<BenchRow[]> {
  const browser = await launchChromium();
  const measured: Measured[] = [];
  for (const count of COUNTS) {
    const found = await openOnce(browser, count).catch(() => undefined);
    if (found === undefined) break;
    measured.push(found);
  }
  await browser.close();
  const what = `${COUNTS.map((count) => count.toLocaleString('en')).join(', ')} projects with ${SESSIONS_EACH} sessions each`;
  const each = (value: (one: Measured) => number) =>
    COUNTS.map((_, index) => {
      const one = measured[index];
      return one === undefined ? `not within ${GIVE_UP_MS / 1000} s` : value(one).toFixed(0);
    }).join(', ');
  return [
    {
      measure: `${what}: from the load of the page until the filter has found the last session, ms`,
      value: each(({ usableMs }) => usableMs),
      target: 'all of them',
      met: measured.length === COUNTS.length,
    },
    growthRow(
      `${what}: the same per project, last against the one before`,
      COUNTS,
      measured.map(({ usableMs }) => usableMs),
    ),
    { measure: `${what}: longest task in the page, ms`, value: each(({ longestTaskMs }) => longestTaskMs) },
    silenceRow(
      what,
      measured.map(({ silence }) => silence),
    ),
    { measure: `${what}: one more project, from the command until it is found, ms`, value: each(({ addMs }) => addMs) },
    { measure: `${what}: another word in the filter until it is drawn, ms`, value: each(({ filterMs }) => filterMs) },
  ];
}

const WATCH_TASKS = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask', buffered: true });`;

async function openOnce(browser: Browser, count: number): Promise<Measured> {
  const scratch = createScratch();
  writeProjects(scratch, count);
  const server = await startProduct(scratch);
  const probe = startProbe(server);
  const page = await browser.newPage();
  page.setDefaultTimeout(GIVE_UP_MS);
  try {
    await page.addInitScript(WATCH_TASKS);
    await probe.longest();
    const startedAt = performance.now();
    await page.goto(server.pageUrl);
    await page.getByText('Server connected').waitFor();
    await find(page, `first-of-${count - 1}`, '.session');
    const usableMs = performance.now() - startedAt;
    const longestTaskMs = await page.evaluate<number>('window.longest');
    const silence = await probe.longest();

    await page.getByRole('searchbox').fill('');
    const path = join(scratch.home, 'one-more');
    mkdirSync(path);
    const addedAt = performance.now();
    await server.post('/api/project', { path });
    await find(page, 'one-more', '.project-row');
    const addMs = performance.now() - addedAt;

    const filteredAt = performance.now();
    await find(page, 'project-7', '.project-row');
    return { usableMs, longestTaskMs, silence, addMs, filterMs: performance.now() - filteredAt };
  } finally {
    await page.close();
    await probe.stop();
    await server.stop();
    scratch.remove();
  }
}

/** Types into the filter and waits until a row with that text is painted. */
async function find(page: Page, text: string, row: string): Promise<void> {
  await page.getByRole('searchbox').fill(text);
  await page.locator(row, { hasText: text }).first().waitFor();
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
}

function writeProjects({ dataDir, home }: Scratch, count: number): void {
  const at = new Date().toISOString();
  const projects = Array.from({ length: count }, (_, index) => {
    const name = `project-${index}`;
    return { id: randomUUID(), path: join(home, name), name, addedAt: at };
  });
  const sessions = projects.flatMap(({ id: projectId }, index) =>
    Array.from({ length: SESSIONS_EACH }, (_, session) => ({
      id: `claude-code:${randomUUID()}`,
      projectId,
      cliType: 'claude-code',
      archived: false,
      title: session === 0 ? `first-of-${index}` : `Session ${session}`,
      lastActiveAt: at,
      createdAt: at,
    })),
  );
  writeFileSync(join(dataDir, 'projects.json'), JSON.stringify({ version: 1, projects, removed: [] }));
  writeFileSync(join(dataDir, 'sessions.json'), JSON.stringify({ version: 1, sessions }));
}
