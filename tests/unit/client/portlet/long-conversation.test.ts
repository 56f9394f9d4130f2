import { describe, expect, it } from 'vitest';
import { agentMessage, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

function giveHeight(log: HTMLElement): void {
  Object.defineProperties(log, {
    clientHeight: { value: 500 },
    scrollHeight: { value: 100_000 },
    scrollTop: { value: 90_000, writable: true },
  });
}

/** Only user messages, because they are quick to draw. */
const questions = (count: number) =>
  Array.from({ length: count }, (_, index) => userMessage(`turn-${index}:user`, `Question ${index}`));

function openLong(count: number) {
  const page = startPage();
  page.open(questions(count));
  giveHeight(page.find('[role="log"]'));
  return {
    ...page,
    /** Runs everything that waits for a timer, a frame or idle time. */
    settle(): void {
      for (let round = 0; round < 20; round += 1) {
        page.env.pass(0);
        page.env.frame();
      }
      page.env.idle();
    },
    texts: () => page.rows().map((row) => row.textContent),
  };
}

/** Answers with a heading and a list of so many items each. */
const longAnswers = (count: number, items: number) =>
  Array.from({ length: count }, (_, index) =>
    agentMessage(`t${items}:0:${index}`, `# Answer ${index}\n\n${'- a\n'.repeat(items)}`),
  );

/** A conversation whose user has scrolled to the top. */
function openTop(entries: Parameters<ReturnType<typeof startPage>['open']>[0]) {
  const page = startPage();
  page.open(entries);
  const log = page.find('[role="log"]');
  giveHeight(log);
  log.scrollTop = 0;
  log.dispatchEvent(new Event('scroll'));
  return { ...page, log, elements: () => log.querySelectorAll('.chunk *').length };
}

describe('a long conversation', () => {
  it('mounts its newest rows first', () => {
    const page = openLong(400);
    expect(page.rows().length).toBeLessThanOrEqual(50);
    expect(page.texts().at(-1)).toBe('Question 399');
  });

  it('mounts all older rows once and in order while the browser is idle', () => {
    const page = openLong(1_000);
    page.settle();
    expect(page.texts()).toEqual(questions(1_000).map(({ content }) => content));
  });

  it('does not use idle time while a turn is running', () => {
    const page = openLong(400);
    page.start('next');
    page.settle();
    expect(page.rows().length).toBeLessThanOrEqual(50);
  });

  it('mounts at most 2,000 rows in idle time', () => {
    const page = openLong(2_600);
    page.settle();
    expect(page.rows().length).toBeGreaterThan(1_990);
    expect(page.rows().length).toBeLessThan(2_100);
  });

  it('mounts older rows when the user scrolls near them', () => {
    const page = openLong(400);
    const before = page.rows().length;
    const log = page.find('[role="log"]');
    log.scrollTop = 300;
    log.dispatchEvent(new Event('scroll'));
    page.env.frame();
    expect(page.rows().length).toBeGreaterThan(before);
    expect(page.texts().at(0)).toBe(`Question ${400 - page.rows().length}`);
  });

  it('safe/frozen-text shows no more than 1,000 older elements per frame, however often the user scrolls', () => {
    const page = openTop(longAnswers(40, 150));
    const counts: number[] = [];
    for (let before = page.elements(); page.rows().length < 40; before = page.elements()) {
      for (let event = 0; event < 3; event += 1) page.log.dispatchEvent(new Event('scroll'));
      page.env.frame();
      counts.push(page.elements() - before);
    }
    expect(Math.max(...counts)).toBeGreaterThan(500);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1_000);
    expect(page.rows().map((row) => row.querySelector('h2')?.textContent)).toEqual(
      Array.from({ length: 40 }, (_, index) => `Answer ${index}`),
    );
  });

  it('safe/frozen-text shows a row alone that has too many elements to be laid out with others', () => {
    const page = openTop([...longAnswers(1, 700), ...longAnswers(20, 100)]);
    while (page.rows().length < 21) page.env.frame();
    expect(page.rows()[0]?.parentElement?.childElementCount).toBe(1);
  });

  it('keeps all mounted rows when its history is repeated', () => {
    const page = openLong(400);
    page.settle();
    const before = page.rows();
    expect(before).toHaveLength(400);
    page.tell({ type: 'session:history', entries: questions(400), turns: [] });
    expect(page.rows()).toEqual(before);
    expect(before.every((row) => row.isConnected)).toBe(true);
  });

  it('keeps items that are newer than a late part of the history', () => {
    const page = startPage();
    page.tell({ type: 'session:history', entries: questions(300), turns: [] });
    giveHeight(page.find('[role="log"]'));
    page.upsert(userMessage('turn-1:user', 'Changed meanwhile'));
    for (let round = 0; round < 20; round += 1) {
      page.env.pass(0);
      page.env.frame();
    }
    page.env.idle();
    const texts = page.rows().map((row) => row.textContent);
    expect(texts).toHaveLength(300);
    expect(texts[1]).toBe('Changed meanwhile');
  });
});
