import { describe, expect, it } from 'vitest';
import { violations } from '../rig/axe.ts';
import { takeNextTurn } from '../rig/running-turn.ts';
import { type OpenSession, useApp } from '../rig/use-app.ts';

const app = useApp();

/** A turn that has ended while a sub-agent and a shell go on. */
async function leaveRunning({ agent, id, user }: OpenSession) {
  const next = takeNextTurn(agent, id);
  await user.send('Go');
  const turn = await next();
  const helper = turn.tool({ name: 'Agent', toolKind: 'think', arguments: { description: 'Look around' } });
  const shell = turn.tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'npm run dev' } });
  helper.moveToBackground();
  shell.moveToBackground();
  shell.show('> dev\nready in 300 ms\n');
  turn.notice('Both go on.');
  turn.complete();
  await user.isReady();
  return { turn, helper, shell };
}

describe('background work', () => {
  it('engine/background-live engine/background-reload page: runs after its turn, with named steps, and is the same after a reload', async () => {
    const session = await app.openSession();
    const { user, page } = session;
    const { turn, helper, shell } = await leaveRunning(session);
    const line = (text: string) => user.log().locator('summary', { hasText: text });
    const lines = () =>
      user
        .log()
        .locator('summary')
        .evaluateAll((all) => all.flatMap((it) => it.textContent?.replace(/(?:< )?[\d.]+ s$/, '') || []));
    const search = turn.tool({
      name: 'Grep',
      toolKind: 'search',
      arguments: { pattern: 'returnTo' },
      parentItemId: helper.itemId,
    });
    await line('returnTo').locator('.spinning').waitFor();
    search.end('src/a.ts');
    const words = turn.begin('message', helper.itemId);
    words.write('Found one.');
    await user.sees('Found one.');
    await user.sees('ready in 300 ms');
    await user.chat().getByText('Claude Code · 2 tasks in the background').waitFor();
    await expect.poll(() => line('Look around').locator('.tool-time').textContent()).toMatch(/^\d/);
    await user.row('One').locator('.status-running').waitFor();
    await user.tab('One').locator('.status-running').waitFor();
    expect(await user.row('One').textContent()).toContain('2 tasks in the background');

    const before = await lines();
    expect(before).toEqual([
      'runningAgentLook aroundbackground',
      '2 steps',
      'doneGrepreturnTo',
      'runningBashnpm run devbackground',
    ]);
    await page.reload();
    await user.sees('Found one.');
    await user.chat().getByText('Claude Code · 2 tasks in the background').waitFor();
    expect(await lines()).toEqual(before);

    // The next message does not have to wait, and the work goes on under it.
    await user.send('Meanwhile');
    await user.sees('You said: Meanwhile');
    words.write(' And another.');
    await user.sees('Found one. And another.');
    words.end();
    helper.end('There are **two**.');
    shell.end('> dev\nbye\n', { exitCode: 0 });
    await expect.poll(() => line('Look around').textContent()).toMatch(/^done/);
    await expect.poll(() => line('npm run dev').textContent()).toMatch(/^done/);
    await user.chat().getByText('Claude Code · ready').waitFor();
    await user.row('One').locator('.status-running').waitFor({ state: 'hidden' });
  });

  it('engine/background-stop page: is stopped one by one with the keyboard, or all at once', async () => {
    const session = await app.openSession();
    const { user, agent, id, page } = session;
    const { helper } = await leaveRunning(session);
    const stops = () => agent.calls.filter(({ method }) => method === 'stop-background');
    const line = (text: string) => user.log().locator('summary', { hasText: text });

    agent.failNext('stop-background', new Error('no'));
    await user.chatButton('Stop Look around').click();
    await user.chat().getByRole('alert').getByText('Unexpected server error').waitFor();
    await line('Look around').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => line('Look around').textContent()).toMatch(/^stopped.*Stopped after/);
    expect(stops()).toEqual([
      { method: 'stop-background', sessionId: id, itemId: helper.itemId },
      { method: 'stop-background', sessionId: id, itemId: helper.itemId },
    ]);
    expect(await line('npm run dev').textContent()).toMatch(/^running/);
    await user.chat().getByText('Claude Code · 1 task in the background').waitFor();

    await user.chatButton('Stop all').click();
    await expect.poll(() => line('npm run dev').textContent()).toMatch(/^stopped/);
    expect(stops().at(-1)).toEqual({ method: 'stop-background', sessionId: id });
    await user.chat().getByText('Claude Code · ready').waitFor();
    await page.reload();
    await expect.poll(() => line('npm run dev').textContent()).toMatch(/^stopped.*Stopped$/);
  });

  it('axe finds no problems while it runs, in both themes and in a narrow window', async () => {
    const session = await app.openSession();
    const { page, user } = session;
    const { turn, helper } = await leaveRunning(session);
    turn.tool({ name: 'Grep', arguments: { pattern: 'x' }, parentItemId: helper.itemId });
    await user.sees('1 step');
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violations(page), `${width} ${colorScheme}`).toEqual([]);
      }
    }
  });
});
