import { describe, expect, it } from 'vitest';
import { showcaseEntries, showcaseTurns } from '../../fixtures/conversation/showcase.ts';
import { userMessage } from '../../fixtures/conversation/upserts.ts';
import { violationsIn } from '../rig/axe.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

const states: [string, (rig: SessionPageRig) => Promise<void>][] = [
  ['an empty session', (rig) => rig.open([])],
  ['a loading session', (rig) => rig.frame.locator('.skeleton').waitFor()],
  [
    'a conversation with one of everything, opened',
    async (rig) => {
      await rig.open(showcaseEntries, showcaseTurns);
      await rig.frame.locator('.hljs-keyword').first().waitFor();
      await rig.frame.evaluate(() => {
        for (const summary of document.querySelectorAll('summary')) {
          if (!(summary.parentElement as HTMLDetailsElement).open) summary.click();
        }
      });
    },
  ],
  [
    'a session whose agent was given up, with a message that could not be sent',
    async (rig) => {
      await rig.open([userMessage('t1:user', 'Hi')]);
      await rig.frame.getByRole('textbox', { name: 'Message' }).fill('Try');
      await rig.frame.getByRole('button', { name: 'Send' }).click();
      const sent = (await rig.heard()).find(({ type }) => type === 'session:send');
      const turnId = sent?.type === 'session:send' ? sent.turnId : '';
      await rig.tell(
        { type: 'session:send-failed', turnId, error: { code: 'AGENT_UNAVAILABLE', message: 'It is not there.' } },
        { type: 'agent:status', status: 'disconnected', message: 'It ended five times.' },
      );
    },
  ],
];

describe.each(['dark', 'light'] as const)('axe finds no problems in the %s theme', (colorScheme) => {
  it.each(states)('in %s', async (_, prepare) => {
    const rig = await sessionPage.start({ colorScheme });
    await prepare(rig);
    await rig.settle();
    expect(await violationsIn(rig.frame)).toEqual([]);
  });
});
