import { describe, expect, it } from 'vitest';
import { agentMessage, SESSION_ID } from '../../fixtures/conversation/upserts.ts';
import { useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

describe('the message field', () => {
  it('grows with its text from one line to twelve and then scrolls', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    const field = rig.frame.getByRole('textbox', { name: 'Message' });
    const height = async () => (await field.boundingBox())?.height ?? 0;
    const one = await height();
    await field.fill('one\ntwo\nthree');
    expect(await height()).toBe(one + 2 * 24);
    await field.fill('line\n'.repeat(40));
    expect(await height()).toBe(one + 11 * 24);
    expect(await field.evaluate((element) => getComputedStyle(element).overflowY)).toBe('auto');
    await field.fill('');
    expect(await height()).toBe(one);
  });

  it('sends with the keyboard only and keeps the focus', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    await rig.page.locator('iframe').focus();
    await rig.tell({ type: 'portlet:focus' });
    await rig.settle();
    await rig.page.keyboard.type('Hello');
    await rig.page.keyboard.press('Shift+Enter');
    await rig.page.keyboard.type('there');
    await rig.page.keyboard.press('Enter');
    await rig.frame.getByText('Hello there').waitFor();
    expect((await rig.heard()).at(-1)).toMatchObject({ type: 'session:send', content: 'Hello\nthere' });
    expect(await rig.frame.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message');
  });

  it('forwards shell shortcuts, wherever the focus is', async () => {
    const rig = await sessionPage.start();
    await rig.open([agentMessage('t1:0:0', 'Text')]);
    await rig.frame.getByRole('log').focus();
    await rig.page.keyboard.press('Control+k');
    await rig.page.keyboard.press('Alt+3');
    await rig.settle();
    expect((await rig.heard()).slice(-2)).toEqual([
      { type: 'shell:key', key: 'filter' },
      { type: 'shell:key', key: 'tab-3' },
    ]);
  });
});

describe('a code block', () => {
  it('is copied with its button', async () => {
    const rig = await sessionPage.start({ permissions: ['clipboard-read', 'clipboard-write'] });
    await rig.open([agentMessage('t1:0:0', '```ts\nconst a = 1;\nconst b = 2;\n```')]);
    await rig.frame.getByRole('button', { name: 'Copy code' }).click();
    await rig.frame.getByText('Copied').waitFor();
    expect(await rig.page.evaluate(() => navigator.clipboard.readText())).toBe('const a = 1;\nconst b = 2;');
  });

  it('is highlighted when it is finished, and its grammar is not loaded before that', async () => {
    const rig = await sessionPage.start();
    const fetched: string[] = [];
    rig.context.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await rig.open([agentMessage('t1:0:0', 'No code yet.')]);
    await rig.settle();
    expect(fetched).toEqual([]);
    const code = '```ts\nconst a = 1;\n';
    await rig.tell({ type: 'session:upsert', payload: agentMessage('t1:0:1', code, { status: 'update' }) });
    await rig.settle();
    expect(fetched).toEqual([]);
    await rig.tell({ type: 'session:upsert', payload: agentMessage('t1:0:1', `${code}\`\`\``) });
    await rig.frame.locator('.hljs-keyword').waitFor();
    expect(fetched.length).toBeGreaterThan(0);
    expect(rig.watched.foreignRequests).toEqual([]);
    expect((await rig.watched.caught()).violations).toEqual([]);
  });
});

describe('the page', () => {
  it('keeps a draft after a reload', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    await rig.frame.getByRole('textbox', { name: 'Message' }).fill('Half a thought');
    await rig.page.reload();
    const field = rig.page.frameLocator('iframe').getByRole('textbox', { name: 'Message' });
    await field.waitFor();
    expect(await field.inputValue()).toBe('Half a thought');
    expect(await rig.page.evaluate((key) => localStorage.getItem(key), `liminal:draft:${SESSION_ID}`)).toBe(
      'Half a thought',
    );
  });

  it('explains where it belongs if it is opened directly', async () => {
    const rig = await sessionPage.start();
    await rig.page.goto(`${rig.origin}/portlet/index.html?sessionId=${SESSION_ID}`);
    await rig.page.getByText('This page belongs inside Liminal Builder').waitFor();
  });
});
