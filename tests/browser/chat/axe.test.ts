import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { longConversation } from '../../fixtures/conversation/long-conversation.ts';
import { showcaseEntries, showcaseTurns } from '../../fixtures/conversation/showcase.ts';
import { agentMessage, thinking, toolCall, turn, userMessage } from '../../fixtures/conversation/upserts.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();
const require = createRequire(import.meta.url);
const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function violations(frame: Frame): Promise<string[]> {
  await frame.evaluate(source);
  const found = await frame.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as { run(): Promise<{ violations: Violation[] }> };
    return (await axe.run()).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

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
    'a busy session',
    async (rig) => {
      await rig.open(showcaseEntries.slice(0, 4), [
        turn('t1', { status: 'running', startedAt: new Date().toISOString() }),
      ]);
      await rig.tell(
        { type: 'session:upsert', payload: thinking('t1:9:0', 'Hm.', { status: 'update' }) },
        { type: 'session:upsert', payload: toolCall('t1:9:1', 'Bash', { command: 'ls' }, { status: 'update' }) },
        { type: 'session:upsert', payload: agentMessage('t1:9:2', 'It *grows*', { status: 'update' }) },
        { type: 'agent:status', status: 'starting' },
      );
    },
  ],
  [
    'a session whose agent was given up, with a message that could not be sent',
    async (rig) => {
      await rig.open([userMessage('t1:user', 'Hi')]);
      await rig.frame.getByRole('textbox', { name: 'Message' }).fill('Try');
      await rig.frame.getByRole('button', { name: 'Send' }).click();
      const sent = (await rig.heard()).find(({ type }) => type === 'session:send');
      const sendId = sent?.type === 'session:send' ? sent.sendId : '';
      await rig.tell(
        { type: 'session:send-failed', sendId, error: { code: 'AGENT_UNAVAILABLE', message: 'It is not there.' } },
        { type: 'agent:status', status: 'disconnected', message: 'It ended five times.' },
      );
    },
  ],
  [
    'a long session, scrolled up',
    async (rig) => {
      const { entries, turns } = longConversation(400);
      await rig.open(entries, turns);
      await rig.settle();
      await rig.frame.getByRole('log').hover();
      await rig.page.mouse.wheel(0, -2_000);
      await rig.frame.getByRole('button', { name: 'Scroll to bottom' }).waitFor();
    },
  ],
];

describe.each(['dark', 'light'] as const)('axe finds nothing in %s', (colorScheme) => {
  it.each(states)('in %s', async (_, prepare) => {
    const rig = await sessionPage.start({ colorScheme });
    await prepare(rig);
    await rig.settle();
    expect(await violations(rig.frame)).toEqual([]);
  });
});
