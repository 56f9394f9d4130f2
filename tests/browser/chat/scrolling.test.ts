import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { longConversation } from '../../fixtures/conversation/long-conversation.ts';
import { agentMessage } from '../../fixtures/conversation/upserts.ts';
import type { SessionPageRig } from './rig/use-page.ts';
import { useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

const logOf = (rig: SessionPageRig): Locator => rig.frame.getByRole('log', { name: 'Conversation' });
const fromEnd = (log: Locator): Promise<number> =>
  log.evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));

async function openLong(count: number): Promise<{ rig: SessionPageRig; log: Locator }> {
  const rig = await sessionPage.start();
  const { entries, turns } = longConversation(count);
  await rig.open(entries, turns);
  await rig.frame.getByText(`Answer ${turns.length - 1}.`).waitFor();
  await rig.settle();
  return { rig, log: logOf(rig) };
}

/** A turn is running, so that older rows are not mounted in idle time. */
const running = {
  type: 'session:turn',
  payload: {
    type: 'turn_started',
    turnId: 'live',
    sessionId: 'claude-code:fixture',
    modelId: 'm',
    providerId: 'claude-code',
  },
} as const;

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index} of an answer that goes on.`).join('\n\n');

describe('scrolling', () => {
  it('mvp/TC-3.6a keeps the end in view while an answer grows', async () => {
    const { rig, log } = await openLong(100);
    expect(await fromEnd(log)).toBe(0);
    for (const count of [5, 20, 60]) {
      await rig.tell({
        type: 'session:upsert',
        payload: agentMessage('live:0:0', paragraphs(count), { status: 'update' }),
      });
      await rig.frame.getByText(`Paragraph ${count - 1} `).waitFor();
      await rig.settle();
      expect(await fromEnd(log)).toBe(0);
    }
    expect(await rig.frame.getByRole('button', { name: 'Scroll to bottom' }).isVisible()).toBe(false);
  });

  it('mvp/TC-3.6b mvp/TC-3.6c stays where the wheel left it and follows again after the button is clicked', async () => {
    const { rig, log } = await openLong(100);
    await rig.tell(running, {
      type: 'session:upsert',
      payload: agentMessage('live:0:0', paragraphs(30), { status: 'update' }),
    });
    await rig.settle();
    await log.hover();
    await rig.page.mouse.wheel(0, -500);
    const button = rig.frame.getByRole('button', { name: 'Scroll to bottom' });
    await button.waitFor();
    await expect.poll(() => fromEnd(log)).toBe(500);
    const top = await log.evaluate((element) => element.scrollTop);
    await rig.tell({ type: 'session:upsert', payload: agentMessage('live:0:0', paragraphs(60), { status: 'update' }) });
    await rig.settle();
    expect(await log.evaluate((element) => element.scrollTop)).toBe(top);
    await button.click();
    await rig.settle();
    expect(await fromEnd(log)).toBe(0);
    expect(await button.isVisible()).toBe(false);
  });

  it('does not move what is in view while older rows are mounted above', async () => {
    const { rig, log } = await openLong(2_000);
    await log.hover();
    await rig.page.mouse.wheel(0, -600);
    await expect.poll(() => fromEnd(log)).toBeGreaterThan(500);
    const moves = await log.evaluate(async (element) => {
      const rows = () => [...element.querySelectorAll('.chunk > .row')];
      const middle = element.getBoundingClientRect().top + element.clientHeight / 2;
      const row = rows().find((candidate) => candidate.getBoundingClientRect().bottom > middle);
      const start = row?.getBoundingClientRect().top ?? 0;
      const wanted = rows().length + 60;
      let most = 0;
      while (rows().length < wanted) {
        await new Promise(requestAnimationFrame);
        most = Math.max(most, Math.abs((row?.getBoundingClientRect().top ?? 0) - start));
      }
      return most;
    });
    expect(moves).toBeLessThanOrEqual(1);
  });

  it('reaches the first entry, and find in page works for mounted rows', async () => {
    const { rig, log } = await openLong(400);
    await rig.mountAll(480);
    expect(await log.locator('.row.user').first().textContent()).toContain('Question 0:');
    const found = await rig.frame.evaluate(() => Reflect.get(window, 'find').call(window, 'Question 41:'));
    expect(found).toBe(true);
    const selected = await rig.frame.evaluate(() => {
      const rows = document.querySelector('.rows');
      const selection = window.getSelection();
      if (rows !== null) selection?.selectAllChildren(rows);
      return selection?.toString() ?? '';
    });
    expect(selected).toContain('Question 0:');
    expect(selected).toContain('Answer 79.');
  });

  it('keeps its position when something arrives while the tab is hidden', async () => {
    const { rig, log } = await openLong(200);
    await log.hover();
    await rig.page.mouse.wheel(0, -700);
    await expect.poll(() => fromEnd(log)).toBe(700);
    const place = () =>
      log.evaluate((element) => {
        const rows = [...element.querySelectorAll('.chunk > .row')];
        const row = rows.find((candidate) => candidate.getBoundingClientRect().bottom > 300);
        return `${row?.textContent?.slice(0, 30)} at ${Math.round(row?.getBoundingClientRect().top ?? 0)}`;
      });
    const before = await place();
    const show = (isShown: boolean) =>
      rig.page.evaluate((display) => {
        const frame = document.querySelector('iframe');
        if (frame !== null) frame.hidden = !display;
      }, isShown);
    await show(false);
    await rig.tell(running, { type: 'session:upsert', payload: agentMessage('live:0:0', paragraphs(10)) });
    await show(true);
    await rig.tell({ type: 'portlet:shown' });
    await rig.frame.getByText('Paragraph 9 ').waitFor();
    await rig.settle();
    expect(await place()).toBe(before);
  });
});
