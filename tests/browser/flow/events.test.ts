import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { takeNextTurn } from '../rig/running-turn.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const KIB = 1024;

/** Frames of one type that a page got, by the words in them. */
async function watchFrames(page: Page): Promise<{ count(words: string): number; bytes(): number }> {
  const frames: string[] = [];
  page.on('websocket', (socket) => {
    socket.on('framereceived', ({ payload }) => frames.push(String(payload)));
  });
  await page.reload();
  return {
    count: (words) => frames.filter((frame) => frame.includes(words)).length,
    bytes: () => frames.reduce((sum, frame) => sum + frame.length, 0),
  };
}

it('engine/append engine/from 64 KiB of text arrive as appends, all of them, although the socket is cut in the middle', async () => {
  const { rig, user, agent, id, page } = await app.openSession();
  const frames = await watchFrames(page);
  await user.log().waitFor();
  const next = takeNextTurn(agent, id);
  await user.send('Write a long text');
  const turn = await next();
  const answer = turn.begin('message');
  const name = (index: number) => `word-${String(index).padStart(26, '0')}`;
  const words = Array.from(
    { length: (64 * KIB) / 32 },
    (_, index) => `${name(index)}${index % 64 === 63 ? '\n\n' : ' '}`,
  );
  const before = frames.bytes();

  const half = words.length / 2;
  for (const word of words.slice(0, half)) answer.write(word);
  await user.sees(name(half - 1));
  rig.cutSockets();
  for (const word of words.slice(half)) answer.write(word);
  answer.end();
  turn.complete();
  await user.sees(name(words.length - 1));
  await user.isReady();

  const withoutSpace = (text: string) => text.replace(/\s/g, '');
  const paragraphs = user.log().locator('.agent .markdown').last();
  await expect
    .poll(async () => withoutSpace((await paragraphs.textContent()) ?? ''))
    .toBe(withoutSpace(words.join('')));
  expect(frames.count('"session:append"')).toBeGreaterThan(10);
  // The conversation came once, when the page was opened; after the cut it went on from where it was.
  expect(frames.count('"session:history"')).toBe(1);
  expect(frames.count('"session:resumed"')).toBe(1);
  expect(frames.bytes() - before).toBeLessThan(64 * KIB * 8);
});

it('engine/pages a long conversation is read to its beginning through three pages, in order, keeping the place', async () => {
  const { user, page } = await app.openSession({ messages: 2_500 });
  await user.sees('Message 2500');
  const log = user.log();
  const texts = () => log.locator('.chunk > .row').allTextContents();
  expect((await texts()).length).toBeLessThan(1_100);

  // What is in view stays where it is while older rows come in above.
  await log.evaluate((element) => {
    element.scrollTop = 0;
    element.dispatchEvent(new Event('scroll'));
  });
  const jumps = await log.evaluate(async (element) => {
    const drawn = () => new Promise(requestAnimationFrame);
    const found: number[] = [];
    const started = performance.now();
    while (element.querySelectorAll('.chunk > .row').length < 2_500 && performance.now() - started < 20_000) {
      const row = [...element.querySelectorAll('.row')].find((candidate) => candidate.getBoundingClientRect().top >= 0);
      const top = row?.getBoundingClientRect().top ?? 0;
      await drawn();
      const moved = (row?.getBoundingClientRect().top ?? 0) - top;
      if (Math.abs(moved) > 2) found.push(moved);
      element.scrollTop = Math.min(element.scrollTop, 400);
    }
    return found;
  });

  expect(jumps.filter((moved) => Math.abs(moved) > 50)).toEqual([]);
  const shown = (await texts()).map((text) => /Message (\d+)/.exec(text)?.[1]);
  expect(shown).toEqual(Array.from({ length: 2_500 }, (_, index) => String(index + 1)));
  await page.close();
});
