import { describe, expect, it, onTestFinished } from 'vitest';
import {
  claudeEnvironment,
  createScratchHome,
  prepareCodexHome,
  say,
  shell,
  startScriptedModel,
  think,
} from '../../../scripted-model/index.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createAcpProvider } from '../../../server/providers/acp/acp-provider.ts';
import { createCodexAgent } from '../../../server/providers/acp/agents/codex-agent.ts';
import { createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { type AgentHome, createAgentHome } from '../../support/contract/subjects.ts';
import { createTestApp } from '../../support/server/test-app.ts';

const rules = [
  { when: 'tool', scenario: [[think('A thought.'), say('Working.'), shell('echo out')], [say('Done.')]] },
  { when: 'word', scenario: [[say('A word.')]] },
];

type Create = (scene: AgentHome, baseUrl: string) => Promise<CliProvider>;

const claude: Create = async ({ host, home }, baseUrl) =>
  createClaudeProvider({ host, env: claudeEnvironment({ baseUrl, home }), spare: false, onProblem: () => {} });

const codex: Create = async ({ host, home }, baseUrl) => {
  const env = await prepareCodexHome({ baseUrl, home });
  const agent = createCodexAgent({ env });
  const decidePermission = async () => ({ allow: true }) as const;
  return createAcpProvider({ agent, host, env, decidePermission, version: '0.0.0-test', onProblem: () => {} });
};

describe.each([
  ['Claude Code', claude],
  ['Codex', codex],
])('turns of our own in %s', (_name, create) => {
  it('follow/two-writers are never taken for those of somebody else, neither while it runs nor when it has ended', async () => {
    const model = await startScriptedModel({ rules });
    const scratch = await createScratchHome();
    onTestFinished(async () => {
      await model.close();
      await scratch.cleanup();
    });
    const scene = createAgentHome(scratch.home);
    const created = await create(scene, model.url);
    const rests: string[] = [];
    let reads = 0;
    const counted = async <T>(read: Promise<T>): Promise<T> => {
      const found = await read;
      reads += 1;
      return found;
    };
    const provider: CliProvider = {
      ...created,
      rest(sessionId, reason) {
        rests.push(reason);
        return created.rest(sessionId, reason);
      },
      readNewest: (...args) => counted(created.readNewest(...args)),
      readHistory: (...args) => counted(created.readHistory(...args)),
    };
    scene.agent(provider);
    const app = await createTestApp({ providers: [provider] });
    const project = await app.stores.projects.addProject(scene.projectDir);
    const window = await app.connect();
    const { sessionId = '' } = await window.ask('session:create', { cliType: provider.cliType, projectId: project.id });
    await window.ask('session:open', { sessionId });
    for (const content of ['word one', 'tool two', 'word three']) {
      const from = window.frames.length;
      await window.ask('session:send', { sessionId, content });
      await window.next((frame) => isTurnEnd(frame) && window.frames.indexOf(frame) >= from);
      const before = reads;
      await expect.poll(() => reads, { timeout: 10_000 }).toBeGreaterThan(before);
    }
    expect(rests).toEqual([]);
    const before = await window.ask('session:open', { sessionId });
    await provider.rest(sessionId, 'test');
    await window.ask('session:send', { sessionId, content: 'word four' });
    expect(rests).toEqual(['test']);
    const after = await window.ask('session:open', { sessionId });
    const shown = ({ entries }: { entries?: unknown }) => entries as readonly UpsertObject[];
    expect(shown(after).filter(({ inContext }) => inContext === false)).toEqual([]);
    expect(shown(after).slice(0, shown(before).length)).toEqual(shown(before));
    expect(window.frames.filter(({ type, requestId }) => type === 'session:history' && !requestId)).toEqual([]);
  });
});

function isTurnEnd({ type, payload }: { type: string; payload?: unknown }): boolean {
  return type === 'session:turn' && JSON.stringify(payload).includes('turn_complete');
}
