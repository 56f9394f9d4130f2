import { describe, expect, it } from 'vitest';
import type { Branch, Context, Holder } from '../../../shared/entities.ts';
import { longConversation } from '../../fixtures/conversation/long-conversation.ts';
import { userMessage } from '../../fixtures/conversation/upserts.ts';
import type { Told } from '../../support/browser/told.ts';
import { violationsIn } from '../rig/axe.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

const heldBy: Holder = {
  label: 'Claude Code',
  pid: 1234,
  tty: 'pts/3',
  since: '2030-01-01T09:03:00.000Z',
  certain: true,
};

const info = (facts: { heldBy?: Holder; context?: Context; branches?: Branch[] } = {}): Told => ({
  type: 'session:info',
  title: 'Fix the login redirect',
  agentLabel: 'Claude Code',
  cliType: 'claude-code',
  projectPath: '/home/dev/project',
  demo: false,
  access: 'normal',
  ...facts,
});

const button = (rig: SessionPageRig, name: string) => rig.frame.getByRole('button', { name, exact: true });
const field = (rig: SessionPageRig) => rig.frame.getByRole('textbox', { name: 'Message' });
const sends = async (rig: SessionPageRig) => (await rig.heard()).filter(({ type }) => type === 'session:send');
const focused = (rig: SessionPageRig) =>
  rig.frame.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);

async function refuse(rig: SessionPageRig, context: Context): Promise<void> {
  await expect.poll(async () => (await sends(rig)).length).toBe(1);
  const [sent] = await sends(rig);
  const turnId = sent?.type === 'session:send' ? sent.turnId : '';
  const error = { code: 'CONTEXT_UNCERTAIN' as const, message: 'It may not know.', details: { context } };
  await rig.tell({ type: 'session:send-failed', turnId, error });
}

describe('a session that is open in a terminal', () => {
  it('follow/take-over keeps a message over a reload and sends it when the terminal ends, by keyboard only', async () => {
    const rig = await sessionPage.start();
    await rig.open([userMessage('t1:user', 'Hi')]);
    await rig.tell(info({ heldBy }));
    await rig.frame.locator('.holder-text', { hasText: 'Open in a terminal (Claude Code, pts/3' }).waitFor();
    await field(rig).focus();
    await rig.page.keyboard.type('Go on');
    await rig.page.keyboard.press('Enter');
    await rig.frame.getByText('Not sent: the terminal has this session open.').waitFor();
    expect(await field(rig).inputValue()).toBe('Go on');
    await rig.page.keyboard.press('Shift+Tab');
    expect(await focused(rig)).toBe('Take over when it ends');
    await rig.page.keyboard.press('Space');
    expect(await focused(rig)).toBe('Message');
    await rig.page.keyboard.press('Enter');
    await rig.frame.getByText('Waits until the terminal ends: Go on').waitFor();
    expect(await sends(rig)).toEqual([]);

    await rig.page.reload();
    const frame = rig.page.frameLocator('iframe');
    await frame.getByRole('textbox', { name: 'Message' }).waitFor();
    const held = [{ type: 'connection', state: 'connected' }, info({ heldBy })] as const;
    await rig.tell(...held, { type: 'session:history', entries: [], turns: [] });
    await frame.getByText('Waits until the terminal ends: Go on').waitFor();
    await rig.tell(info());
    await expect.poll(() => sends(rig)).toMatchObject([{ content: 'Go on' }]);
  });

  it('follow/live scrolls to the end with Follow and stays there', async () => {
    const rig = await sessionPage.start();
    await rig.open(longConversation(200).entries);
    await rig.tell(info({ heldBy }));
    const log = rig.frame.getByRole('log');
    await log.hover();
    await rig.page.mouse.wheel(0, -3_000);
    await button(rig, 'Scroll to bottom').waitFor();
    await button(rig, 'Follow').click();
    await button(rig, 'Scroll to bottom').waitFor({ state: 'hidden' });
    await rig.tell({ type: 'session:upsert', payload: userMessage('new:user', 'From the terminal') });
    await rig.frame.getByText('From the terminal').waitFor();
    const left = () => log.evaluate((it) => Math.round(it.scrollHeight - it.clientHeight - it.scrollTop));
    await expect.poll(left).toBeLessThanOrEqual(1);
  });

  it.each([1000, 390])('follow/held at %d px fits, and so does the context', async (width) => {
    const rig = await sessionPage.start({ viewport: { width, height: 800 }, hasTouch: width < 500 });
    await rig.open([userMessage('t1:user', 'Hi')]);
    await rig.tell(info({ heldBy, context: { state: 'resumed', messages: 1_400 } }));
    await button(rig, 'Fork here').waitFor();
    const line = rig.frame.locator('.status-line');
    expect(await line.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThanOrEqual(0);
    expect(await rig.frame.evaluate(() => document.body.scrollWidth - document.body.clientWidth)).toBe(0);
    const tops = await rig.frame
      .locator('.holder-buttons > button')
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });
});

describe('the context receipt', () => {
  it('follow/context is explained with the keyboard', async () => {
    const rig = await sessionPage.start();
    await rig.open([userMessage('t1:user', 'Hi')]);
    await rig.tell(info({ context: { state: 'compacted', at: '2030-01-01T09:03:00.000Z', messages: 5 } }));
    const receipt = rig.frame.getByRole('button', { name: /^What the model has: Compacted / });
    await receipt.focus();
    await rig.page.keyboard.press('Enter');
    await rig.frame.getByText('the model is given a summary and what came after it, 5 messages in all').waitFor();
    expect(await receipt.getAttribute('aria-expanded')).toBe('true');
    // There is room for it.
    const label = rig.frame.locator('.context-label');
    expect(await label.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  });
});

describe('the question before a message that the model may not understand', () => {
  it('follow/ask is answered with the keyboard: first keep writing, then send anyway', async () => {
    const rig = await sessionPage.start();
    await rig.open([userMessage('t1:user', 'Hi')]);
    await field(rig).focus();
    await rig.page.keyboard.type('Go on');
    await rig.page.keyboard.press('Enter');
    await refuse(rig, { state: 'reset', reason: 'The transcript was deleted.' });
    const question = rig.frame.getByRole('alertdialog', { name: 'The model does not have this conversation' });
    await question.waitFor();
    expect(await focused(rig)).toBe('Keep writing');
    await rig.page.keyboard.press('Tab');
    expect(await focused(rig)).toBe('Send anyway');
    await rig.page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await rig.page.keyboard.type('!');
    expect(await field(rig).inputValue()).toBe('Go on!');
  });

  it('follow/ask sends with what was accepted', async () => {
    const rig = await sessionPage.start();
    await rig.open([userMessage('t1:user', 'Hi')]);
    await field(rig).fill('Go on');
    await button(rig, 'Send').click();
    await refuse(rig, { state: 'unknown' });
    await button(rig, 'Send anyway').click();
    await expect.poll(() => sends(rig)).toMatchObject([{ content: 'Go on' }, { content: 'Go on', accept: 'unknown' }]);
    expect(await field(rig).inputValue()).toBe('');
    expect(await focused(rig)).toBe('Message');
  });
});

const branches = [
  { id: 'a', turns: 3, text: 'Try a queue', at: '2030-01-01T09:03:00.000Z' },
  { id: 'b', turns: 1, text: 'Stop' },
];

describe.each(['dark', 'light'] as const)('axe finds no problems in the %s theme', (colorScheme) => {
  it('follow/held in a held session, with a message that waits, an uncertain context and branches', async () => {
    const rig = await sessionPage.start({ colorScheme });
    await rig.open([userMessage('t1:user', 'Hi')]);
    await rig.tell(
      { type: 'session:history', entries: [userMessage('t1:user', 'Hi')], turns: [], branches },
      info({ heldBy, branches, context: { state: 'reset', reason: 'It was deleted.' } }),
    );
    await button(rig, 'Take over when it ends').click();
    await field(rig).fill('Go on');
    await field(rig).press('Enter');
    await rig.frame.getByText('2 other branches').click();
    await rig.frame.getByRole('button', { name: /^What the model has/ }).click();
    expect(await violationsIn(rig.frame)).toEqual([]);
  });

  it('follow/ask while it asks', async () => {
    const rig = await sessionPage.start({ colorScheme });
    await rig.open([userMessage('t1:user', 'Hi')]);
    await field(rig).fill('Go on');
    await field(rig).press('Enter');
    await refuse(rig, { state: 'reset', reason: 'It was deleted.' });
    await rig.frame.getByRole('alertdialog').waitFor();
    expect(await violationsIn(rig.frame)).toEqual([]);
  });
});
