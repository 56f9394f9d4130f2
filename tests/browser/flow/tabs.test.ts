import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createUser } from '../../support/browser/user.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

async function seeded() {
  const rig = await app.start();
  const { sessions } = await rig.seed('api', [
    { title: 'A', minutesAgo: 1, messages: 2 },
    { title: 'B', minutesAgo: 2, messages: 4, cliType: 'codex' },
    { title: 'C', minutesAgo: 3 },
  ]);
  const page = await rig.open();
  return { rig, page, user: createUser(page), ids: sessions.map(({ id }) => id) };
}

/** The accessible description of a tab: its agent and status. */
const factsOf = (page: Page, title: string) =>
  page.getByRole('tab', { name: title, exact: true }).evaluate((tab) => {
    const facts = document.getElementById(tab.getAttribute('aria-describedby') ?? '');
    return facts?.textContent;
  });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

describe('tabs', () => {
  it('mvp/TC-4.1a mvp/TC-4.1b mvp/TC-2.3b mvp/TC-4.3a mvp/TC-4.3b mvp/TC-4.5a open once per session', async () => {
    const { rig, page, user } = await seeded();
    await user.open('A');
    expect(await page.locator('iframe').count()).toBe(1);
    await user.open('B');
    expect(await user.tabs()).toEqual(['A', 'B']);
    expect(await user.activeTab()).toEqual(['B']);
    expect([await factsOf(page, 'A'), await factsOf(page, 'B')]).toEqual(['Claude Code', 'Codex']);
    expect(await page.getByRole('tab').locator('.agent-claude-code, .agent-codex').count()).toBe(2);
    await user.open('C');

    await user.message().fill('Mine');
    await user.row('A').click();
    await expect.poll(() => user.activeTab()).toEqual(['A']);
    await user.row('C').click();
    await expect.poll(() => user.activeTab()).toEqual(['C']);
    expect(await user.tabs()).toEqual(['A', 'B', 'C']);
    expect(await page.locator('iframe').count()).toBe(3);
    // Neither the page nor the session was loaded again.
    expect(await user.message().inputValue()).toBe('Mine');
    expect(rig.claude.loads).toHaveLength(2);
  });

  it('mvp/TC-4.4a mvp/TC-4.4b mvp/TC-4.4c leave their session in the list and the focus on their neighbour when closed', async () => {
    const { page, user } = await seeded();
    for (const title of ['A', 'B', 'C']) await user.open(title);
    await user.openTab('B');
    await user.button('Close B').click();
    expect(await user.tabs()).toEqual(['A', 'C']);
    expect(await user.activeTab()).toEqual(['C']);
    expect(await focused(page)).toBe('C');
    expect(await page.locator('iframe').count()).toBe(2);
    await page.keyboard.press('Delete');
    expect(await user.activeTab()).toEqual(['A']);
    await user.row('B').waitFor();
    await user.button('Close A').click();
    await page.getByRole('heading', { name: 'No session is open' }).waitFor();
    expect(await focused(page)).toBe('New session');
    expect(await user.rows('api')).toHaveLength(3);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('show running, finished and failed sessions in the bar, the sidebar and the window title', async () => {
    const { rig, page, user, ids } = await seeded();
    const [a = '', b = ''] = ids;
    await user.open('B');
    rig.codex.answerNext([{ hold: true }, { fail: { code: 'MODEL_ERROR', message: 'Overloaded.' } }]);
    await user.send('First');
    await user.open('A');
    rig.claude.answerNext([{ hold: true }]);
    await user.send('Second');
    await expect.poll(() => factsOf(page, 'A')).toBe('Claude Code, running');
    await user.open('C');
    expect(await factsOf(page, 'B')).toBe('Codex, running');
    expect(await user.tab('A').locator('.status-running').count()).toBe(1);

    rig.claude.release(a);
    await expect.poll(() => factsOf(page, 'A')).toBe('Claude Code, finished, not seen yet');
    await user.tab('A').locator('.status-attention').waitFor();
    expect(await page.title()).toBe('(1) C – Liminal Builder');
    rig.codex.release(b);
    await expect.poll(() => factsOf(page, 'B')).toBe('Codex, ended with an error');
    await user.tab('B').locator('.status-error').waitFor();
    expect(await user.rows('api')).toEqual(
      expect.arrayContaining(['A Claude Code, finished, not seen yet now', 'B Codex, ended with an error now']),
    );

    await user.openTab('A');
    await expect.poll(() => factsOf(page, 'A')).toBe('Claude Code');
    await user.openTab('B');
    await user.send('Again');
    await expect.poll(() => factsOf(page, 'B')).toBe('Codex');
    expect(await page.title()).toBe('B – Liminal Builder');
  });

  it('stream/TC-8.3a keep running and keep typed text when switching between agents', async () => {
    const { rig, user, ids } = await seeded();
    await user.open('A');
    rig.claude.answerNext([{ say: ['Working'] }, { hold: true }, { say: ['Worked'] }]);
    await user.send('Go');
    await user.sees('Working');
    await user.message().fill('Next for A');
    await user.open('B');
    await user.message().fill('Next for B');
    rig.claude.release(ids[0] ?? '');
    await expect.poll(() => user.said()).toHaveLength(4);
    await user.openTab('A');
    await user.sees('Worked');
    expect((await user.said()).slice(2)).toEqual(['You: Go', 'Claude Code: Working', 'Claude Code: Worked']);
    expect(await user.message().inputValue()).toBe('Next for A');
    await user.openTab('B');
    expect(await user.message().inputValue()).toBe('Next for B');
    expect((await user.said()).at(-1)).toBe('Codex: Message 4');
  });

  it('mvp/TC-5.6a mvp/TC-5.6b mvp/TC-4.7a are restored after a refresh and after a restart of server and browser', async () => {
    const { rig, page, user, ids } = await seeded();
    for (const title of ['C', 'A', 'B']) await user.open(title);
    await user.openTab('A');
    rig.claude.answerNext([{ say: ['Working'] }, { hold: true }, { say: ['Worked'] }]);
    await user.send('Go');
    await user.sees('Working');
    const { started } = rig.claude.processes;

    await page.reload();
    await expect.poll(() => user.tabs()).toEqual(['C', 'A', 'B']);
    expect(await user.activeTab()).toEqual(['A']);
    await user.sees('Working');
    await user.chatButton('Cancel').waitFor();
    rig.claude.release(ids[0] ?? '');
    await user.sees('Worked');
    expect(rig.claude.processes.started).toBe(started);
    // Only the visible page is loaded; the others when they are selected.
    expect(await page.locator('iframe').count()).toBe(1);

    const context = page.context();
    await page.close();
    await rig.halt();
    await rig.restart();
    const later = await context.newPage();
    await later.goto(rig.address);
    const again = createUser(later);
    await expect.poll(() => again.tabs()).toEqual(['C', 'A', 'B']);
    expect(await again.activeTab()).toEqual(['A']);
    await expect
      .poll(() => again.said())
      .toEqual(['You: Message 1', 'Claude Code: Message 2', 'You: Go', 'Claude Code: Working', 'Claude Code: Worked']);
    await again.openTab('B');
    await expect.poll(() => again.said()).toHaveLength(4);
  });
});
