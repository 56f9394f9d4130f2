import { describe, expect, it } from 'vitest';
import { AppError } from '../../../shared/errors.ts';
import { createUser } from '../../support/browser/user.ts';
import { useApp } from '../rig/use-app.ts';

const app = useApp();

describe('sessions in the sidebar', () => {
  it('mvp/TC-2.1a mvp/TC-2.1b mvp/TC-2.1c are listed newest first with agent, age and status', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [
      { title: 'Older', minutesAgo: 3 * 60, cliType: 'codex' },
      { title: 'Newer', minutesAgo: 7 },
    ]);
    await rig.seed('web');
    const page = await rig.open();
    const user = createUser(page);
    await expect.poll(() => user.rows('api')).toEqual(['Newer Claude Code 7 m', 'Older Codex 3 h']);
    expect(await user.rows('web')).toEqual(['No sessions yet. Start one with New.']);
    await page.getByRole('heading', { name: 'No session is open' }).waitFor();

    await user.open('Older');
    rig.codex.answerNext([{ hold: true }]);
    await user.send('Go on');
    await expect.poll(() => user.rows('api')).toEqual(['Older Codex, running now', 'Newer Claude Code 7 m']);
    rig.codex.release(sessions[0]?.id ?? '');
    await expect.poll(() => user.rows('api')).toEqual(['Older Codex now', 'Newer Claude Code 7 m']);
  });

  it('mvp/TC-2.4a mvp/TC-2.4b disappear with their tab when archived, after a confirmation if running', async () => {
    const rig = await app.start();
    await rig.seed('api', [
      { title: 'First', minutesAgo: 1 },
      { title: 'Second', minutesAgo: 2 },
      { title: 'Third', minutesAgo: 3 },
    ]);
    const page = await rig.open();
    const user = createUser(page);
    for (const title of ['First', 'Second']) await user.open(title);
    await user.archive('Second');
    await page.getByText('Archived “Second”.').waitFor();
    expect(await user.tabs()).toEqual(['First']);
    expect(await user.activeTab()).toEqual(['First']);
    await user.archive('Third');
    await expect.poll(() => user.rows('api')).toHaveLength(1);

    rig.claude.answerNext([{ hold: true }]);
    await user.send('Work');
    await user.chatButton('Cancel').waitFor();
    await user.archive('First');
    const question = page.getByRole('dialog', { name: 'Archive a running session?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await user.tabs()).toEqual(['First']);
    await user.archive('First');
    await question.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('heading', { name: 'Nothing in api yet' }).waitFor();
    await expect.poll(() => rig.claude.processes.running).toBe(0);

    await page.reload();
    await expect.poll(() => user.rows('api')).toEqual(['No sessions yet. Start one with New.']);
    expect(await user.tabs()).toEqual([]);
  });
});

describe('a new session', () => {
  it('mvp/TC-2.2b mvp/TC-2.2c asks for the agent, shows what is missing, and creates nothing when cancelled', async () => {
    const rig = await app.start();
    await rig.seed('api');
    const page = await rig.open();
    const user = createUser(page);
    const entries = page.getByRole('menu').getByRole('menuitem');
    await user.button('New session in api').click();
    expect(await entries.allTextContents()).toEqual(['Claude Code', 'Codex']);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });

    rig.codex.unavailable = 'Codex is not installed. Run "npm install -g @openai/codex".';
    await user.button('New session').click();
    await page.getByText('Run "npm install -g @openai/codex".').waitFor();
    await entries.filter({ hasText: 'Codex' }).click({ force: true });
    await page.mouse.click(700, 800);
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    rig.claude.unavailable = 'Claude Code is not installed.';
    await user.button('New session in api').click();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'No agent is ready' }).waitFor();

    expect([...rig.claude.calls, ...rig.codex.calls]).toEqual([]);
    expect(await user.tabs()).toEqual([]);
  });

  it.each([
    ['stream/TC-8.1a', 'Claude Code', 'claude'],
    ['stream/TC-8.2a', 'Codex', 'codex'],
  ] as const)(
    'mvp/TC-2.2a mvp/TC-4.5b %s is listed while %s starts and takes its title from the first message',
    async (_, label, name) => {
      const rig = await app.start();
      await rig.seed('api');
      const page = await rig.open();
      const user = createUser(page);
      const agent = rig[name];
      agent.gates.create.close();
      await user.button('New session in api').click();
      await page.getByRole('menuitem', { name: label }).click();
      await expect.poll(() => user.rows('api')).toEqual([`Starting ${label}…`]);
      expect(await user.tabs()).toEqual([]);
      agent.gates.create.open();
      await expect.poll(() => user.tabs()).toEqual(['New Session']);
      expect(await user.rows('api')).toEqual([`New Session ${label} now`]);
      await user
        .chat()
        .getByRole('heading', { name: `Start a conversation with ${label}` })
        .waitFor();

      await user.send('Fix the footer');
      await user.sees('You said: Fix the footer');
      await expect.poll(() => user.said()).toEqual(['You: Fix the footer', `${label}: You said: Fix the footer`]);
      await expect.poll(() => user.tabs()).toEqual(['Fix the footer']);
      expect(await user.rows('api')).toEqual([`Fix the footer ${label} now`]);
      expect(await page.title()).toBe('Fix the footer – Liminal Builder');
    },
  );

  it('mvp/TC-2.2f that cannot be created shows the reason and leaves nothing behind', async () => {
    const rig = await app.start();
    await rig.seed('api');
    const page = await rig.open();
    const user = createUser(page);
    rig.claude.failNext('create', new AppError('AGENT_NOT_SIGNED_IN', 'Not signed in. Run "claude /login".'));
    await user.button('New session in api').click();
    await page.getByRole('menuitem', { name: 'Claude Code' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Could not start a session with Claude Code.' });
    await notice.getByText('Run "claude /login".').waitFor();
    expect(await user.rows('api')).toEqual(['No sessions yet. Start one with New.']);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'hidden' });
  });
});

describe('an old session', () => {
  it('mvp/TC-2.3a stream/TC-7.3a stream/TC-7.3b stream/TC-8.3b shows its history, for both agents', async () => {
    const rig = await app.start();
    await rig.seed('api', [
      { title: 'Of Claude', messages: 2 },
      { title: 'Of Codex', messages: 4, cliType: 'codex' },
    ]);
    const page = await rig.open();
    const user = createUser(page);
    rig.claude.gates.load.close();
    await user.open('Of Claude');
    await user.log().getByText('Loading the conversation').waitFor({ state: 'attached' });
    rig.claude.gates.load.open();
    await expect.poll(() => user.said()).toEqual(['You: Message 1', 'Claude Code: Message 2']);
    await user.open('Of Codex');
    await expect.poll(() => user.said()).toHaveLength(4);
    expect((await user.said()).at(-1)).toBe('Codex: Message 4');
  });

  it('without a transcript says so, and loads once the transcript is back', async () => {
    const rig = await app.start();
    const { sessions } = await rig.seed('api', [{ title: 'Lost' }]);
    const id = sessions[0]?.id ?? '';
    rig.claude.forget(id);
    const page = await rig.open();
    const user = createUser(page);
    await user.row('Lost').click();
    await user
      .chat()
      .getByText(/Session not found/)
      .waitFor();
    await user.message().fill('Still here');
    expect(rig.claude.processes.started).toBe(0);

    rig.claude.remember(id, []);
    await user.chatButton('Try again').click();
    await user.chat().getByRole('heading', { name: 'Start a conversation with Claude Code' }).waitFor();
    await user.message().press('Enter');
    await user.sees('You said: Still here');
  });
});
