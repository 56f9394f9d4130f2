import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import { createUser } from '../../support/browser/user.ts';
import { takeNextTurn } from '../rig/running-turn.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

describe('the message field', () => {
  it('mvp/TC-3.5a grows with its text, starts a new line on Shift+Enter, and sends and empties on Enter', async () => {
    const { user, agent, id, page } = await app.newSession();
    const height = async () => (await user.message().boundingBox())?.height ?? 0;
    const one = await height();
    await user.message().click();
    await page.keyboard.type('First');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    expect(await height()).toBe(one + 24);
    await user.chatButton('Send').waitFor();
    await page.keyboard.press('Enter');
    expect(await user.message().inputValue()).toBe('');
    expect(await height()).toBe(one);
    await user.sees(/^You said/);
    expect(agent.calls.at(-1)).toEqual({ method: 'send', sessionId: id, content: 'First\nsecond' });

    await user.isReady();
    await user.message().fill('By the button');
    await user.chatButton('Send').click();
    await user.sees('You said: By the button');
  });

  it('keeps the draft of each session across tab switches, a refresh and a closed tab', async () => {
    const rig = await app.start();
    await rig.seed('api', [{ title: 'One' }, { title: 'Two' }]);
    const page = await rig.open();
    const user = createUser(page);
    await user.open('One');
    await user.message().fill('Half a thought\nand more');
    await user.open('Two');
    expect(await user.message().inputValue()).toBe('');
    await user.message().fill('Another');
    await user.openTab('One');
    expect(await user.message().inputValue()).toBe('Half a thought\nand more');
    await page.reload();
    await expect.poll(() => user.message().inputValue()).toBe('Half a thought\nand more');
    await user.button('Close One').click();
    await expect.poll(() => user.message().inputValue()).toBe('Another');
    await user.send('Sent');
    await user.sees('You said: Sent');
    await page.reload();
    await user.sees('You said: Sent');
    expect(await user.message().inputValue()).toBe('');
    await user.open('One');
    expect(await user.message().inputValue()).toBe('Half a thought\nand more');
  });
});

describe('a running turn', () => {
  it('mvp/TC-3.5b mvp/TC-3.7a mvp/TC-3.7b mvp/TC-3.7c stream/TC-8.1c blocks sending and is stopped by Cancel and Escape', async () => {
    const { user, agent, id, page } = await app.newSession();
    const cancel = user.chatButton('Cancel');
    expect(await cancel.isVisible()).toBe(false);
    agent.answerNext([{ say: ['It begins.'] }, { hold: true }, { say: ['It ends.'] }]);
    await user.send('First');
    await user.sees('It begins.');
    await cancel.waitFor();
    await user
      .chat()
      .getByText(/^Claude Code · working \d+ s$/)
      .waitFor();
    await user.message().fill('Second');
    expect(await user.chatButton('Send').isDisabled()).toBe(true);
    await user.message().press('Enter');
    expect(await user.message().inputValue()).toBe('Second');
    const sends = () => agent.calls.filter(({ method, sessionId }) => method === 'send' && sessionId === id);
    expect(sends()).toHaveLength(1);

    agent.failNext('cancel', new AppError('INTERRUPT_FAILED'));
    await cancel.click();
    await user.chat().getByText('The turn could not be cancelled. Try again, or end the session.').waitFor();
    await cancel.click();
    await cancel.waitFor({ state: 'hidden' });
    await user.sees(/^Cancelled/);
    await user.chat().getByText('Claude Code · ready').waitFor();
    expect(await user.said()).toEqual(['You: First', 'Claude Code: It begins.']);

    agent.answerNext([{ hold: true }, { say: ['Never said.'] }]);
    await user.message().press('Enter');
    await expect.poll(sends).toHaveLength(2);
    await page.keyboard.press('Escape');
    await cancel.waitFor({ state: 'hidden' });
    await user.send('Third');
    await user.sees('You said: Third');
    expect(await user.said()).toEqual([
      'You: First',
      'Claude Code: It begins.',
      'You: Second',
      'You: Third',
      'Claude Code: You said: Third',
    ]);
  });

  it('shows how long the agent has been working and, after a while, quiet', async () => {
    const { user, agent, id, page } = await app.openSession();
    await page.clock.install();
    const next = takeNextTurn(agent, id);
    await user.send('Think long');
    const turn = await next();
    await user
      .chat()
      .getByText(/^Claude Code · working \d s$/)
      .waitFor();
    await page.clock.fastForward(12_000);
    await user
      .chat()
      .getByText(/^Claude Code · working 1\d s$/)
      .waitFor();
    await page.clock.fastForward(60_000);
    await user
      .chat()
      .getByText(/^Claude Code · working 1 m 1\d s, quiet for 1 m 1\d s$/)
      .waitFor();
    turn.begin('message').write('Still here');
    await user
      .chat()
      .getByText(/^Claude Code · working 1 m 1\d s$/)
      .waitFor();
    await page.clock.fastForward(20_000);
    await user
      .chat()
      .getByText(/^Claude Code · working 1 m 3\d s, quiet for 2\d s$/)
      .waitFor();
    turn.complete();
    await user.chat().getByText('Claude Code · ready').waitFor();
  });
});

describe('a message that cannot be sent', () => {
  it('returns to the field with the reason if it was refused, and waits for a server that does not answer', async () => {
    const { user, agent, rig, page } = await app.openSession();
    const problem = user.chat().getByRole('alert');
    agent.failNext('send', new AppError('AGENT_UNAVAILABLE', 'Claude Code could not be started. Check its setup.'));
    await user.send('Important');
    await expect.poll(() => problem.textContent()).toBe('Claude Code could not be started. Check its setup.');
    expect(await user.message().inputValue()).toBe('Important');
    expect(await user.said()).toEqual([]);
    await expect.poll(() => user.message().evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);

    await rig.halt();
    await user.chat().getByText('The connection to the server is lost. Reconnecting…').waitFor();
    await user.message().press('Enter');
    await user.sees('Not sent yet: waits for the server');
    const isWhole = (mark: Element) => {
      const { left, bottom } = mark.getBoundingClientRect();
      return mark.contains(document.elementFromPoint(left + 10, bottom - 2));
    };
    expect(await user.log().locator('.sent').last().evaluate(isWhole)).toBe(true);
    expect(await user.message().inputValue()).toBe('');
    await rig.restart();
    await page.reload();
    await user.sees('You said: Important');
    expect(await user.message().inputValue()).toBe('');
    expect(await user.said()).toHaveLength(2);
  });
});
