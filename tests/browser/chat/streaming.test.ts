import { describe, expect, it } from 'vitest';
import { longConversation } from '../../fixtures/conversation/long-conversation.ts';
import { streamedAnswer } from '../../fixtures/conversation/streamed-answer.ts';
import { agentMessage } from '../../fixtures/conversation/upserts.ts';
import { traceTasks } from '../rig/cpu-trace.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

const item = agentMessage('live:0:0', '', { status: 'update' });
const started = {
  type: 'session:turn',
  payload: { type: 'turn_started', turnId: 'live', sessionId: item.sessionId, modelId: 'm', providerId: 'p' },
} as const;

/** Streams an answer at 500 tokens/s, one upsert per token, and waits until the last word is drawn. */
async function stream500(rig: SessionPageRig, tokenCount: number): Promise<void> {
  const answer = streamedAnswer(tokenCount);
  await rig.page.evaluate(
    async ({ text, ends, item: payload }) => {
      const start = performance.now();
      for (let sent = 0; sent < ends.length; ) {
        const due = Math.min(ends.length, Math.floor((performance.now() - start) / 2) + 1);
        const messages = ends
          .slice(sent, due)
          .map((end) => ({ type: 'session:upsert', payload: { ...payload, content: text.slice(0, end) } }));
        Reflect.get(window, 'tell')(messages);
        sent = due;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    { ...answer, item },
  );
  // Checked inside the page: a locator would search the whole page on the thread that is being measured.
  await rig.settle();
  const last = await rig.frame.evaluate(() => document.querySelector('.agent.is-streaming')?.textContent?.slice(-20));
  expect(last).toContain(`w${tokenCount - 1}`);
}

describe('streaming at 500 tokens/s into 2,000 entries', () => {
  it('never blocks the page for more than 50 ms', async () => {
    const rig = await sessionPage.start();
    const { entries, turns } = longConversation(2_000);
    await rig.open(entries, turns);
    // All older rows are mounted before the answer starts, which is the worst case.
    await rig.mountAll(2_400);
    await rig.tell(started);
    const tasks = await traceTasks(sessionPage.browser(), rig.page, () => stream500(rig, 1_000));
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks.filter((ms) => ms > 50)).toEqual([]);
  });

  it('changes only the growing row', async () => {
    const rig = await sessionPage.start();
    const { entries, turns } = longConversation(2_000);
    await rig.open(entries, turns);
    await rig.tell(started, { type: 'session:upsert', payload: { ...item, content: 'A' } });
    await rig.frame.locator('.agent.is-streaming').waitFor();
    // Wait for highlighting, which also changes rows.
    await rig.frame.locator('.hljs-keyword').last().waitFor();
    await rig.settle();
    await rig.frame.evaluate(() => {
      const elsewhere: string[] = [];
      const growing = document.querySelector('.agent.is-streaming');
      const observer = new MutationObserver((records) => {
        for (const { target } of records) if (!growing?.contains(target)) elsewhere.push(target.nodeName);
      });
      const rows = document.querySelector('.rows');
      if (rows) observer.observe(rows, { subtree: true, childList: true, characterData: true, attributes: true });
      Reflect.set(window, 'elsewhere', elsewhere);
    });
    await stream500(rig, 300);
    expect(await rig.frame.evaluate(() => Reflect.get(window, 'elsewhere'))).toEqual([]);
  });
});

describe('opening a conversation', () => {
  it('draws the newest of a full page of 1,000 entries quickly', async () => {
    const rig = await sessionPage.start();
    const { entries, turns } = longConversation(1_000);
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await rig.open(entries, turns);
      await rig.frame.getByText(`Answer ${turns.length - 1}.`).waitFor();
    });
    // CPU time, because the machine may be busy. The benchmark measures the elapsed time.
    expect(Math.max(...tasks)).toBeLessThan(200);
    expect(await rig.frame.locator('.chunk > .row').count()).toBeLessThan(200);
  });
});

describe('a selection', () => {
  const select = (rig: SessionPageRig, selector: string) =>
    rig.frame.evaluate((target) => {
      const element = document.querySelector(target);
      if (element) window.getSelection()?.selectAllChildren(element);
      return window.getSelection()?.toString();
    }, selector);
  const selected = (rig: SessionPageRig) => rig.frame.evaluate(() => window.getSelection()?.toString());

  it('survives while the answer streams, in finished blocks and in the growing one', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    const texts = ['First **finished** paragraph.\n\nSecond one', ' that grows', ' and grows.\n\n- then', ' a list'];
    const show = async (count: number) => {
      const content = texts.slice(0, count).join('');
      await rig.tell({ type: 'session:upsert', payload: { ...item, content } });
      await rig.settle();
    };
    await show(1);
    expect(await select(rig, '.markdown .block:first-child p')).toBe('First finished paragraph.');
    await show(2);
    expect(await selected(rig)).toBe('First finished paragraph.');
    await select(rig, '.markdown .block:last-child p');
    const before = await selected(rig);
    await show(3);
    await show(4);
    expect(await selected(rig)).toContain(before);
  });

  it('survives a repeated history', async () => {
    const rig = await sessionPage.start();
    const { entries, turns } = longConversation(50);
    await rig.open(entries, turns);
    await rig.settle();
    const before = await select(rig, '.row.agent:nth-last-child(2) .block:nth-child(2)');
    expect(before).toContain('readReturnTo');
    const top = await rig.frame.getByRole('log').evaluate((element) => element.scrollTop);
    await rig.tell({ type: 'connection', state: 'reconnecting' }, { type: 'connection', state: 'connected' });
    await rig.open(entries, turns);
    await rig.settle();
    expect(await selected(rig)).toBe(before);
    expect(await rig.frame.getByRole('log').evaluate((element) => element.scrollTop)).toBeGreaterThanOrEqual(top);
  });
});
