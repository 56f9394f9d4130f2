import { describe, expect, it } from 'vitest';
import { createUser } from '../../support/browser/user.ts';
import { violations } from '../rig/axe.ts';
import { takeNextTurn } from '../rig/running-turn.ts';
import { type OpenSession, useApp } from '../rig/use-app.ts';

const app = useApp();

const OUTSIDE = 'The model does not have this part.';

const footers = ({ user }: Pick<OpenSession, 'user'>): Promise<string[]> =>
  user.log().locator('.turn-line').allTextContents();

describe('a killed server', () => {
  it('keep/send-again keep/not-in-context keep/journal leaves the half answer, an error card with Send again, and a line about the model', async () => {
    const opened = await app.openSession({ messages: 2 });
    const { user, agent, id, rig, page } = opened;
    const first = takeNextTurn(agent, id);
    await user.send('First');
    const done = await first();
    const answer = done.begin('message');
    answer.write('Fine.');
    answer.end();
    done.complete({ usage: { inputTokens: 5, outputTokens: 6 } });
    await user.sees(/11 tokens/);
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    const whole = turn.begin('message');
    whole.write('Whole.');
    whole.end();
    turn.begin('message').write('Half of it');
    await user.sees('Half of it');
    const shown = await footers(opened);
    await rig.kill();
    await page.getByText('Connection lost').waitFor();
    await rig.restart();

    const failure = user.log().getByRole('group', { name: 'The server stopped in the middle of this turn' });
    await failure.waitFor();
    const banner = user.chat().locator('.banner');
    await banner.getByText('Connected again. The server stopped before the turn was finished.').waitFor();
    const all = [
      ...['You: Message 1', 'Claude Code: Message 2', 'You: First', 'Claude Code: Fine.'],
      ...['You: Go', 'Claude Code: Whole.', 'Claude Code: Half of itNot finished.'],
    ];
    expect(await user.said()).toEqual(all);
    expect((await footers(opened)).slice(0, shown.length)).toEqual(shown);
    await user.log().getByText(OUTSIDE).waitFor();

    const before = await user.text();
    await page.reload();
    await failure.waitFor();
    expect(await user.text()).toBe(before);

    await failure.getByRole('button', { name: 'Send again' }).click();
    await user.sees('You said: Go');
    await user.isReady();
    expect(await user.said()).toEqual([...all, 'You: Go', 'Claude Code: You said: Go']);
  });
});

describe('a transcript that the agent has deleted', () => {
  it('keep/put-back keep/size is kept here, and put back by a button, after which the conversation goes on', async () => {
    const { user, rig, page } = await app.openSession({}, { keep: true });
    await user.send('Remember the blue door');
    await user.sees('You said: Remember the blue door');
    await user.isReady();
    await page.getByText(/^Kept: 1 KB, 1 session$/).waitFor();
    await rig.halt();
    rig.deleteTranscripts();
    await rig.restart();

    const putBack = user.chatButton('Put back and continue');
    await putBack.waitFor();
    const banner = user.chat().locator('.banner');
    await banner.getByText('Claude Code has deleted its transcript of this conversation.').waitFor();
    await user.sees('You said: Remember the blue door');
    await user.send('Which door?');
    await expect.poll(() => user.message().inputValue()).toBe('Which door?');
    await putBack.click();
    await banner.waitFor({ state: 'hidden' });
    await user.message().press('Enter');
    await user.sees('You said: Which door?');
    expect(await user.said()).toHaveLength(4);
  });
});

describe('copies that have reached their limit', () => {
  it('keep/size are told in a notice and in the sidebar, with what to do', async () => {
    const rig = await app.start({ keep: true, keepLimitBytes: 1 });
    await rig.seed('api', [{ title: 'One' }]);
    const page = await rig.open();
    const line = page.getByText('Kept: nothing (limit reached)');
    const advice = page.locator('.kept').getByText('Start the server with a higher LIMINAL_KEEP_LIMIT_MB.');
    const user = createUser(page);
    await user.open('One');
    await user.send('Hello');
    await page.getByRole('alert').getByText('nothing more is copied').waitFor();
    await line.waitFor();
    expect(await advice.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.reload();
    await page.locator('.kept > summary').click();
    await advice.waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
  });
});

describe('a keyboard user', () => {
  it('keep/rename keep/archive-undo keep/delete renames, archives, undoes and deletes a session, and never loses the focus', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [
      { title: 'One', minutesAgo: 1 },
      { title: 'Two', minutesAgo: 2 },
    ]);
    const page = await rig.open();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement;
        return at?.getAttribute('aria-label') ?? at?.querySelector('.row-title')?.textContent ?? at?.textContent;
      });
    const rows = () => page.locator('.session:not(.is-archived) .row-title').allTextContents();
    await expect.poll(rows).toEqual(['One', 'Two']);

    await press('Control+k', 'ArrowDown', 'ArrowDown', 'F2');
    expect(await focused()).toBe('Session title');
    await page.keyboard.type('Not this');
    await press('Escape');
    expect(await focused()).toBe('One');
    await press('F2');
    await page.keyboard.type('First');
    await press('Enter');
    await expect.poll(rows).toEqual(['First', 'Two']);
    await expect.poll(focused).toBe('First');

    await press('Delete');
    await expect.poll(rows).toEqual(['Two']);
    await expect.poll(focused).toBe('Two');
    await press('Control+z');
    await expect.poll(rows).toEqual(['First', 'Two']);

    await press('Delete');
    await expect.poll(rows).toEqual(['First']);
    await page.getByText('Archived “Two”.').waitFor();
    await press('End');
    expect(await focused()).toBe('Archived');
    await press('ArrowRight');
    await page.locator('.is-archived').waitFor();
    await press('ArrowDown');
    expect(await focused()).toBe('Two');
    await press('Delete');
    await page.getByRole('dialog', { name: 'Delete “Two”?' }).waitFor();
    await press('Escape');
    await expect.poll(focused).toBe('Two');
    await press('Delete');
    expect(await focused()).toBe('Cancel');
    await press('Tab', 'Enter');
    await page.getByText('Deleted “Two”.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await expect.poll(focused).toBe('First');
    expect(rig.claude.calls.filter(({ method }) => method === 'delete')).toEqual([
      { method: 'delete', sessionId: sessions[1]?.id },
    ]);
    await page.reload();
    await expect.poll(rows).toEqual(['First']);
    expect(await page.getByText('Archived', { exact: true }).isVisible()).toBe(false);
  });
});
