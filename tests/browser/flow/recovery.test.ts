import { describe, expect, it } from 'vitest';
import { createUser } from '../../support/browser/user.ts';
import { takeNextTurn } from '../rig/running-turn.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

const WITHIN = 2_000;

describe('an agent', () => {
  it('mvp/TC-5.2b mvp/TC-5.2d that crashes keeps its text, is reported, and continues after Reconnect', async () => {
    const { user, agent, id, page } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    turn.tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'npm test' } });
    turn.begin('message').write('Half of');
    await user.sees('Half of');
    agent.crash(id);
    const failure = user.log().getByRole('group', { name: 'The agent ended unexpectedly' });
    await failure.getByText('The scripted process crashed.').waitFor();
    await user.isReady();
    await user.chat().getByText('Claude Code · not running').waitFor();
    await page.getByRole('tab', { selected: true }).locator('.status-error').waitFor();
    expect(await user.said()).toEqual(['You: Go', 'Claude Code: Half ofNot finished.']);
    expect(await user.log().locator('summary', { hasText: 'npm test' }).textContent()).toMatch(/^failedBash/);

    await user.chatButton('Reconnect').click();
    await user.chat().getByText('Claude Code · ready').waitFor();
    await user.chatButton('Reconnect').waitFor({ state: 'hidden' });
    expect(agent.calls.at(-1)).toEqual({ method: 'reconnect', sessionId: id });
    await failure.getByRole('button', { name: 'Send again' }).click();
    await user.sees('You said: Go');
    expect((await user.said()).slice(2)).toEqual(['You: Go', 'Claude Code: You said: Go']);
  });

  it('mvp/TC-5.4a mvp/TC-5.2a mvp/TC-5.2c is shown while it starts, while it is retried and after the last attempt, with what to do', async () => {
    const { user, agent, id } = await app.newSession();
    agent.emitStatus({ sessionId: id, status: 'starting' });
    await user.chat().getByText('Claude Code is starting…').waitFor();
    await user.chat().getByText('Claude Code · starting').waitFor();
    agent.emitStatus({ sessionId: id, status: 'connected' });
    await user.chat().getByText('Claude Code · ready').waitFor();
    agent.emitStatus({ sessionId: id, status: 'reconnecting', attempt: 2, maxAttempts: 5, retryInMs: 2_000 });
    await user.chat().getByText('Starting it again, attempt 2 of 5, in 2 s…').waitFor();
    expect(await user.chatButton('Reconnect').isVisible()).toBe(false);
    agent.emitStatus({ sessionId: id, status: 'disconnected', message: 'Claude Code ended five times in a row.' });
    await user.chat().getByText('Claude Code ended five times in a row.').waitFor();
    agent.crash(id);
    await user.chatButton('Reconnect').click();
    await user.chat().getByText('Claude Code · ready').waitFor();
    agent.emitStatus({ sessionId: id, status: 'idle' });
    await user.chat().getByText('Claude Code · asleep, wakes with your next message').waitFor();
    await user.send('Wake up');
    await user.sees('You said: Wake up');
  });

  it('shared by its sessions is shown and reconnected in the status bar', async () => {
    const { agent, page } = await app.newSession('Codex');
    const item = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: 'Codex' });
    agent.emitStatus({ status: 'connected' });
    await expect.poll(() => item.textContent()).toBe('Codex: running');
    agent.emitStatus({ status: 'disconnected', message: 'Codex ended.' });
    await expect.poll(() => item.textContent()).toBe('Codex: disconnectedReconnect');
    // A page that is opened later shows the same.
    await page.reload();
    await expect.poll(() => item.textContent()).toBe('Codex: disconnectedReconnect');
    await item.getByRole('button', { name: 'Reconnect' }).click();
    await expect.poll(() => item.textContent()).toBe('Codex: running');
    expect(agent.calls.at(-1)).toEqual({ method: 'reconnect' });
  });
});

describe('a lost connection', () => {
  it('during an answer neither loses nor duplicates anything and recovers within two seconds', async () => {
    const { user, agent, id, rig, page } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    const answer = turn.begin('message');
    answer.write('Before');
    await user.sees('Before');
    const call = turn.tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'npm test' } });

    const lost = user.button('Reconnect').waitFor();
    const told = user.chat().getByText('Connected again. Everything is up to date.').waitFor();
    const again = page.waitForEvent('websocket');
    rig.cutSockets();
    answer.write(' and during');
    call.end('fine', { exitCode: 0 });
    const late = turn.begin('message');
    late.write('Late');
    await lost;
    await again;
    const start = performance.now();
    await user.sees('Before and during');
    await user.sees('Late');
    expect(performance.now() - start).toBeLessThan(WITHIN);
    await told;
    await user.chatButton('Cancel').waitFor();
    answer.write(' and after.');
    late.write(' too');
    answer.end();
    late.end();
    turn.complete();
    await user.isReady();
    await user.sees('Late too');
    expect(await user.said()).toEqual([
      'You: Go',
      'Claude Code: Before and during and after.',
      'Claude Code: Late too',
    ]);
    expect(await user.log().locator('summary', { hasText: 'npm test' }).allTextContents()).toEqual([
      expect.stringMatching(/^doneBashnpm test/),
    ]);
    await page.getByText('Server connected').waitFor();
  });

  it('while a message is being sent shows it once, whichever event arrives first', async () => {
    const { user, agent, rig, page } = await app.newSession();
    agent.gates.send.close();
    await user.send('On its way');
    await agent.gates.send.reached();
    const again = page.waitForEvent('websocket');
    rig.cutSockets();
    await (await again).waitForEvent('framereceived', ({ payload }) => payload.includes('session:resumed'));
    expect(await user.said()).toEqual(['You: On its way']);
    rig.cutSockets();
    agent.gates.send.open();
    await user.sees('You said: On its way');
    await user.isReady();
    expect(await user.said()).toEqual(['You: On its way', 'Claude Code: You said: On its way']);
    expect(await user.message().inputValue()).toBe('');
  });

  it('shows the end of a turn that ended meanwhile', async () => {
    const { user, agent, id, rig } = await app.newSession();
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    const answer = turn.begin('message');
    answer.write('All');
    await user.sees('All');
    rig.cutSockets();
    answer.write(' of it');
    answer.end();
    turn.complete({ usage: { inputTokens: 5, outputTokens: 6 } });
    await user.sees('All of it');
    await user.isReady();
    await user.sees(/11 tokens/);
    expect(await user.said()).toEqual(['You: Go', 'Claude Code: All of it']);
    await user.send('And now');
    await user.sees('You said: And now');
  });
});

describe('a restart of the server', () => {
  it('during an answer is detected automatically or by Reconnect, and stored messages are shown once', async () => {
    const { user, agent, id, rig, page } = await app.openSession({ messages: 2 });
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    const whole = turn.begin('message');
    whole.write('Whole.');
    whole.end();
    turn.begin('message').write('Half');
    await user.sees('Half');
    await user.message().fill('Typed meanwhile');
    await rig.halt();
    await page.getByText('Connection lost').waitFor();
    await user.chat().getByText('The connection to the server is lost. Reconnecting…').waitFor();
    const attempt = page.waitForEvent('websocket');
    await user.button('Reconnect').click();
    await attempt;
    await rig.restart();
    const start = performance.now();
    await page.getByText('Server connected').waitFor();
    await expect.poll(() => rig.claude.loads).toEqual([id]);
    await user.isReady();
    expect(performance.now() - start).toBeLessThan(WITHIN);
    const all = [
      'You: Message 1',
      'Claude Code: Message 2',
      'You: Go',
      'Claude Code: Whole.',
      'Claude Code: HalfNot finished.',
    ];
    await expect.poll(() => user.said()).toEqual(all);
    expect(await user.message().inputValue()).toBe('Typed meanwhile');
    await user.message().press('Enter');
    await user.sees('You said: Typed meanwhile');
    expect(await user.said()).toEqual([...all, 'You: Typed meanwhile', 'Claude Code: You said: Typed meanwhile']);
  });
});

describe('another window', () => {
  it('opened during an answer shows all of it once, and both windows show the rest', async () => {
    const { user, agent, id, rig } = await app.openSession();
    const next = takeNextTurn(agent, id);
    await user.send('Go');
    const turn = await next();
    const answer = turn.begin('message');
    answer.write('One');
    await user.sees('One');
    const other = createUser(await rig.open());
    await other.open('One');
    await other.sees('One');
    answer.write(' two');
    answer.end();
    for (const window of [user, other]) {
      await window.sees('One two');
      expect(await window.said()).toEqual(['You: Go', 'Claude Code: One two']);
    }
    await other.chatButton('Cancel').click();
    for (const window of [user, other]) {
      await window.isReady();
      await window.sees(/^Cancelled/);
    }
    await other.message().fill('From here');
    agent.answerNext([{ hold: true }]);
    await user.send('From there');
    await expect.poll(() => other.chatButton('Send').isDisabled()).toBe(true);
    agent.release(id);
    await other.isReady();
    await other.chatButton('Send').click();
    for (const window of [user, other]) {
      await window.sees('You said: From here');
      expect(await window.said()).toHaveLength(5);
    }
  });
});
