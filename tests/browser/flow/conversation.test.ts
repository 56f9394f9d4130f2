import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { takeNextTurn } from '../rig/running-turn.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const fromEnd = (log: Locator): Promise<number> =>
  log.evaluate((element) => Math.round(element.scrollHeight - element.clientHeight - element.scrollTop));

/** Marks the current elements, to check later whether they are still the same. */
const mark = (element: Locator) => element.evaluate((it) => Reflect.set(it, 'marked', true));
const isMarked = (element: Locator) => element.evaluate((it) => Reflect.get(it, 'marked') === true);

describe('a message', () => {
  it('mvp/TC-3.1a mvp/TC-3.1b is shown at once, exactly as typed, and is not sent if empty', async () => {
    const { user, agent, id } = await app.newSession();
    await expect.poll(() => user.chatButton('Send').isDisabled()).toBe(true);
    await user.message().fill('  \n ');
    expect(await user.chatButton('Send').isDisabled()).toBe(true);
    await user.message().press('Enter');

    agent.gates.send.close();
    await user.send('Is <b>this</b> *kept*?\n  yes');
    await user.log().getByRole('article', { name: 'You' }).waitFor();
    await agent.gates.send.reached();
    expect(await user.said()).toEqual(['You: Is <b>this</b> *kept*?\n  yes']);
    agent.gates.send.open();
    await user.sees(/^You said/);
    await user.isReady();
    expect(await user.said()).toHaveLength(2);
    expect(agent.calls.filter(({ method, sessionId }) => method === 'send' && sessionId === id)).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('mvp/TC-3.2a mvp/TC-3.2b stream/TC-7.2a stream/TC-8.1a grows as Markdown without touching finished blocks', async () => {
    const { user, agent, id, page } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Explain');
    const turn = await next();
    const answer = turn.begin('message');
    const article = user.log().getByRole('article', { name: 'Claude Code' });

    answer.write('# Plan\n\nFirst **bold** and `code`');
    await article.getByRole('heading', { name: 'Plan' }).waitFor();
    expect(await article.locator('strong').textContent()).toBe('bold');
    await mark(article.getByRole('heading'));
    answer.write('.\n\n- [x] done\n- [ ] to do\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;');
    await article.getByText('const a = 1;').waitFor();
    expect(await article.getByRole('listitem').allTextContents()).toEqual(['☑ done', '☐ to do']);
    expect(await article.getByRole('cell').allTextContents()).toEqual(['1', '2']);
    await mark(article.getByRole('table'));
    answer.write('\nconst b = 2;\n```\n\nThe end.');
    await article.getByText('The end.').waitFor();
    answer.end();
    turn.complete();
    await user.isReady();

    expect(await article.count()).toBe(1);
    expect([await isMarked(article.getByRole('heading')), await isMarked(article.getByRole('table'))]).toEqual([
      true,
      true,
    ]);
    await article.locator('code .hljs-keyword').first().waitFor();
    const copied = article.getByText('Copied').waitFor();
    await article.getByRole('button', { name: 'Copy code' }).click();
    await copied;
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const a = 1;\nconst b = 2;');
  });

  it('stream/TC-7.2c mvp/TC-3.4a draws interleaved thinking, text and tool calls each in their own place', async () => {
    const { user, agent, id } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Think');
    const turn = await next();
    const thought = turn.begin('thinking');
    thought.write('I wonder');
    const thinking = user
      .log()
      .getByRole('group')
      .filter({ hasText: /Think|Thought/ });
    await thinking.getByText('I wonder').waitFor();
    expect(await thinking.locator('summary').textContent()).toBe('Thinking');

    const call = turn.tool({ name: 'Read', arguments: { file_path: 'src/a.ts' }, toolKind: 'read' });
    const one = turn.begin('message');
    const two = turn.begin('message');
    one.write('One');
    two.write('Two');
    thought.write(' about it');
    one.write(' and more');
    await user.sees('One and more');
    await user.sees('I wonder about it');
    expect(await user.said()).toEqual(['You: Think', 'Claude Code: One and more', 'Claude Code: Two']);
    two.write(' as well');
    thought.end();
    call.end('export {};');
    one.end();
    two.end();
    turn.complete();
    await user.isReady();
    expect(await user.said()).toEqual(['You: Think', 'Claude Code: One and more', 'Claude Code: Two as well']);

    // Finished thinking is a muted line that can be opened.
    const line = thinking.locator('summary');
    await expect.poll(() => line.textContent()).toMatch(/^Thought/);
    expect(await user.log().getByText('I wonder about it').isVisible()).toBe(false);
    const colour = (element: Locator) => element.evaluate((it) => getComputedStyle(it).color);
    expect(await colour(line)).not.toBe(await colour(user.log().getByText('One and more')));
    await line.click();
    await user.log().getByText('I wonder about it').waitFor();
  });

  it('mvp/TC-3.6a mvp/TC-3.6b mvp/TC-3.6c is followed to its end until the user scrolls up, and again after the button is clicked', async () => {
    const { user, agent, id, page } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Write');
    const turn = await next();
    const answer = turn.begin('message');
    const paragraphs = (from: number) =>
      Array.from({ length: 60 }, (_, index) => `Paragraph ${from + index} of it.\n\n`).join('');
    answer.write(paragraphs(0));
    await user.sees('Paragraph 59 of it.');
    await expect.poll(() => fromEnd(user.log())).toBe(0);

    const down = user.chatButton('Scroll to bottom');
    expect(await down.isVisible()).toBe(false);
    await user.log().hover();
    await page.mouse.wheel(0, -500);
    await down.waitFor();
    await expect.poll(() => fromEnd(user.log())).toBeGreaterThan(400);
    const top = () => user.log().evaluate(({ scrollTop }) => scrollTop);
    // Wheel scrolling is smooth and takes a moment.
    let place = -1;
    await expect
      .poll(async () => {
        const last = place;
        place = await top();
        return place === last;
      })
      .toBe(true);
    answer.write(paragraphs(60));
    await user.sees('Paragraph 119 of it.');
    expect(await top()).toBe(place);

    await down.click();
    await down.waitFor({ state: 'hidden' });
    await expect.poll(() => fromEnd(user.log())).toBe(0);
    answer.write(paragraphs(120));
    await user.sees('Paragraph 179 of it.');
    await expect.poll(() => fromEnd(user.log())).toBe(0);
  });
});

describe('the end of a turn', () => {
  it('shows duration and tokens, and notices appear between the messages', async () => {
    const { user, agent, id } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Count');
    const turn = await next();
    turn.notice('The model is overloaded. Trying again, attempt 2 of 10, in 4 s.');
    await user.sees('Trying again, attempt 2 of 10, in 4 s.');
    const answer = turn.begin('message');
    answer.write('Counted');
    answer.end();
    turn.complete({
      usage: { inputTokens: 1_200, outputTokens: 34, cacheReadInputTokens: 100 },
      stopReason: 'end_turn',
    });
    await user.isReady();
    const line = user.log().getByRole('button', { name: /1,334 tokens$/ });
    expect(await line.textContent()).toMatch(/^(?:< )?\d\.\d s · 1,334 tokens$/);
    await line.hover();
    const details = user.log().getByRole('tooltip');
    await details.waitFor();
    expect(await details.textContent()).toMatch(/Modelscripted-modelInput1,200Output34From cache100Ended byend_turn/);
    // Only the end is announced, once.
    expect(await user.chat().getByRole('status').filter({ hasText: 'Claude Code has finished.' }).count()).toBe(1);
    expect(await user.said()).toEqual(['You: Count', 'Claude Code: Counted']);
  });

  it('with an error shows what happened and a remedy that works', async () => {
    const { user, agent, page, id } = await app.newSession();
    agent.answerNext([
      { say: ['Half'] },
      { fail: { code: 'AGENT_NOT_SIGNED_IN', message: 'Not signed in. Run "claude /login" in a terminal.' } },
    ]);
    await user.send('Try');
    const signIn = user.log().getByRole('group', { name: 'The agent is not signed in' });
    await signIn.getByText('Run "claude /login" in a terminal.').waitFor();
    await signIn.getByRole('button', { name: 'Copy command' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('claude /login');
    await user.sees('Half');

    agent.answerNext([{ fail: { code: 'MODEL_ERROR', message: 'The prompt is too long.' } }]);
    await signIn.getByRole('button', { name: 'Send again' }).click();
    const failed = user.log().getByRole('group', { name: 'The turn failed' });
    await failed.getByText('The prompt is too long.').waitFor();
    // Only the last failure offers a remedy.
    expect(await signIn.getByRole('button').count()).toBe(0);
    await failed.getByRole('button', { name: 'Send again' }).click();
    await user.sees('You said: Try');
    expect(agent.calls.filter(({ method, sessionId }) => method === 'send' && sessionId === id)).toEqual(
      Array.from({ length: 3 }, () => ({ method: 'send', sessionId: id, content: 'Try' })),
    );
    expect(await user.said()).toEqual([
      'You: Try',
      'Claude Code: Half',
      'You: Try',
      'You: Try',
      'Claude Code: You said: Try',
    ]);
  });
});
