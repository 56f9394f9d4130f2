import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { hostFiles } from '../../tests/support/browser/host-page.ts';
import { serveStatic } from '../../tests/support/browser/static-server.ts';

/** Serves a session page inside a host page that replaces the shell and measures it. */
export async function serveInHost(directory: string) {
  const driver = await readFile(new URL('driver.js', import.meta.url), 'utf8');
  return serveStatic(directory, { ...hostFiles, '/host.js': `${hostFiles['/host.js']}\n${driver}` });
}

/** Runs `use` with a fresh host page whose session page is ready. */
export async function withPage<T>(browser: Browser, origin: string, use: (page: Page) => Promise<T>): Promise<T> {
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

/** Milliseconds until the newest text is painted, without the time to transfer the history to the page. */
export async function openHistory(page: Page, history: object, newest: string): Promise<number> {
  await page.evaluate(`window.prepared = JSON.parse(${JSON.stringify(JSON.stringify(history))}); 0`);
  return page.evaluate<number>(`window.measureOpening(window.prepared, ${JSON.stringify(newest)})`);
}
