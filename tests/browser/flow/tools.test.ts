import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { takeNextTurn } from '../rig/running-turn.ts';
import { type OpenSession, useApp } from '../rig/use-app.ts';

const app = useApp();

async function inTurn(session: OpenSession) {
  const next = takeNextTurn(session.agent, session.id);
  await session.user.send('Use the tools');
  return next();
}

const isOpen = (call: Locator) => call.evaluate((it) => (it as HTMLDetailsElement).open);
const colourOf = (element: Locator) => element.evaluate((it) => getComputedStyle(it).color);

describe('a tool call', () => {
  it.each([
    ['stream/TC-8.1b', 'Claude Code'],
    ['stream/TC-8.2b', 'Codex'],
  ] as const)(
    'mvp/TC-3.3a mvp/TC-3.3b stream/TC-7.2b %s of %s shows name, target and time while it runs, then collapses with its result',
    async (_, label) => {
      const session = await app.newSession(label);
      const { user } = session;
      const turn = await inTurn(session);
      const command = turn.tool({
        name: 'Bash',
        toolKind: 'execute',
        arguments: { command: 'npm test', description: 'Run the tests' },
      });
      const call = user.log().getByRole('group').filter({ hasText: 'npm test' });
      const line = call.locator('summary');
      await expect.poll(() => line.textContent()).toMatch(/^runningBashnpm test(?:< )?\d\.\d s$/);
      await line.locator('.spinning').waitFor();
      expect(await isOpen(call)).toBe(false);
      const early = await line.locator('.tool-time').textContent();
      await expect.poll(() => line.locator('.tool-time').textContent()).not.toBe(early);

      const lines = Array.from({ length: 30 }, (_unused, index) => `line ${index + 1}`);
      command.end(`${lines.join('\n')}\n\u001b[32mall passed\u001b[39m\n`, { exitCode: 0 });
      await expect.poll(() => line.textContent()).toMatch(/^doneBashnpm test/);
      expect(await line.locator('.spinning').count()).toBe(0);
      expect(await isOpen(call)).toBe(false);
      await line.click();
      await call.getByText('Run the tests').waitFor();
      await call.getByText('exit code 0').waitFor();
      const output = call.locator('pre').last();
      expect(await output.evaluate((it) => getComputedStyle(it).fontFamily)).toMatch(/mono/i);
      expect(await colourOf(output.getByText('all passed'))).not.toBe(await colourOf(output));
      // The end of the output is shown, and the rest after one click.
      expect(await output.textContent()).toMatch(/^line 12\n/);
      await call.getByRole('button', { name: 'Show all 31 lines' }).click();
      expect(await output.textContent()).toMatch(/^line 1\n/);
      turn.complete();
      await user.isReady();
    },
  );

  it('mvp/TC-3.3c that fails is open and shows the reason with its exit code', async () => {
    const session = await app.newSession();
    const { user } = session;
    const turn = await inTurn(session);
    turn
      .tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'exit 3' } })
      .end('\u001b[31mno such thing\u001b[39m', { isError: true, exitCode: 3 });
    turn.tool({ name: 'Read', toolKind: 'read', arguments: { file_path: 'gone.ts' } }).end('ENOENT', { isError: true });
    const shell = user.log().getByRole('group').filter({ hasText: 'exit 3' });
    await shell.getByText('no such thing').waitFor();
    await shell.getByText('exit code 3').waitFor();
    await user.log().getByText('ENOENT').waitFor();
    expect(await shell.locator('summary').textContent()).toMatch(/^failedBashexit 3/);
    // A call that the user closed stays closed.
    await shell.locator('summary').click();
    turn.complete();
    await user.isReady();
    expect(await isOpen(shell)).toBe(false);
  });

  it('of an edit shows a diff with a relative path and folded unchanged lines', async () => {
    const session = await app.newSession();
    const { user, rig, page } = session;
    const turn = await inTurn(session);
    const path = `${rig.directory}/api/src/login.ts`;
    const same = Array.from({ length: 30 }, (_, index) => `const line${index} = ${index};`).join('\n');
    const diffs = [{ path, oldText: `old();\n${same}\n`, newText: `fresh();\nmore();\n${same}\n` }];
    turn.tool({ name: 'Edit', toolKind: 'edit', arguments: { file_path: path }, diffs }).end('updated');
    const call = user
      .log()
      .getByRole('group')
      .filter({ has: user.chat().locator('summary', { hasText: 'Edit' }) });
    await expect.poll(() => call.locator('summary').textContent()).toMatch(/^doneEditsrc\/login\.ts/);
    await call.locator('summary').click();
    const changes = call.getByRole('group', { name: `Changes in ${path}` });
    expect(await changes.locator('.removed').allTextContents()).toEqual(['1−old();']);
    expect(await changes.locator('.added').allTextContents()).toEqual(['1+fresh();', '2+more();']);
    expect(await colourOf(changes.locator('.added .diff-sign').first())).not.toBe(
      await colourOf(changes.locator('.removed .diff-sign')),
    );
    const fold = changes.getByRole('button', { name: /unchanged lines$/ });
    await fold.click();
    await changes.getByText('const line29 = 29;').waitFor();
    turn.complete();
    await page.reload();
    await expect.poll(() => call.locator('summary').textContent()).toMatch(/^doneEditsrc\/login\.ts/);
  });

  it('of a sub-agent contains its steps, open while it works and collapsed when it is done', async () => {
    const session = await app.newSession();
    const { user } = session;
    const turn = await inTurn(session);
    const agent = turn.tool({
      name: 'Agent',
      toolKind: 'think',
      arguments: { description: 'Look around', prompt: 'Find it' },
    });
    const inner = turn.tool({
      name: 'Grep',
      toolKind: 'search',
      arguments: { pattern: 'returnTo', path: 'src' },
      parentItemId: agent.itemId,
    });
    const words = turn.begin('message', agent.itemId);
    words.write('Found two.');
    const steps = user
      .log()
      .getByRole('group')
      .filter({ has: user.chat().locator('summary', { hasText: '2 steps' }) });
    await steps.getByText('Found two.').waitFor();
    await steps.getByText('returnTo in src').waitFor();
    const outer = await user.log().locator('summary', { hasText: 'Agent' }).boundingBox();
    const nested = await steps.locator('summary', { hasText: 'Grep' }).boundingBox();
    expect(nested?.x).toBeGreaterThan(outer?.x ?? 0);
    words.end();
    inner.end('src/a.ts\nsrc/b.ts');
    agent.end('There are **two**.');
    turn.complete();
    await user.isReady();
    await user.log().getByText('Found two.').waitFor({ state: 'hidden' });
    await user.log().locator('summary', { hasText: 'Agent' }).click();
    expect(await user.log().locator('strong', { hasText: 'two' }).isVisible()).toBe(true);
    await user.log().locator('summary', { hasText: '2 steps' }).click();
    await user.log().getByText('Found two.').waitFor();
  });

  it('without a result ends with its turn, as stopped if the turn was cancelled', async () => {
    const session = await app.newSession();
    const { user } = session;
    const turn = await inTurn(session);
    turn.tool({ name: 'Bash', toolKind: 'execute', arguments: { command: 'sleep 100' } });
    const line = user.log().locator('summary', { hasText: 'sleep 100' });
    await line.locator('.spinning').waitFor();
    await user.chatButton('Cancel').click();
    await expect.poll(() => line.textContent()).toMatch(/^stoppedBashsleep 100/);
    expect(await line.locator('.spinning').count()).toBe(0);
  });
});
