import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedModel } from '../../../../scripted-model/index.ts';
import { userText } from '../../../../scripted-model/wire/user-text.ts';
import { systemClock } from '../../../../server/clock.ts';
import { createProcessHost, createProcessLedger } from '../../../../server/processes/index.ts';
import { createAcpProvider } from '../../../../server/providers/acp/acp-provider.ts';
import { createCodexAgent } from '../../../../server/providers/acp/agents/codex-agent.ts';
import { createMemoryAliases } from '../../../../server/providers/acp/session/session-aliases.ts';
import { codexProgram } from '../../../support/terminals/codex-terminal.ts';
import { startProgram } from '../../../support/terminals/run-program.ts';
import { createTerminalHome } from '../../../support/terminals/terminal-home.ts';
import { rules } from './claude-bases.ts';
import { kill } from './claude-subject.ts';
import { makeCodexBases } from './codex-bases.ts';
import { codexFaults } from './codex-faults.ts';
import { predictCodex } from './predicted.ts';
import type { Message, Subject } from './subject.ts';

export async function createCodexSubject(): Promise<Subject> {
  const model = await startScriptedModel({ rules });
  const home = await createTerminalHome(model);
  const host = createProcessHost({ ledger: createProcessLedger(join(home.home, 'ledger')) });
  const provider = createAcpProvider({
    agent: createCodexAgent({ env: home.env }),
    host,
    env: home.env,
    clock: systemClock,
    decidePermission: async () => ({ allow: true }),
    startTimeoutMs: 30_000,
    promptTimeoutMs: 60_000,
    version: '0.0.0-test',
    onProblem: () => {},
    aliases: createMemoryAliases(),
  });
  const close = async () => {
    host.killAll('the tests are over');
    await provider.close();
    await home.close();
    await model.close();
  };
  const bases = await makeCodexBases(home).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    provider,
    projectDir: home.projectDir,
    bases,
    faults: codexFaults,
    newId: (like) => `${like.slice(0, 15)}${randomUUID().slice(15)}`,
    async killWhileItWrites(nativeId, random) {
      const args = ['exec', '--skip-git-repo-check', 'resume', nativeId, `work ${nativeId}`];
      const running = startProgram(codexProgram(), args, { cwd: home.projectDir, env: home.env });
      await delay(200 + random.below(2_500));
      kill(running.pid);
      await running.ended;
    },
    predict: (nativeId) => predictCodex(home.env, nativeId),
    sent(prompt) {
      const request = model.requests.findLast(({ conversation }) => conversation.prompt === prompt);
      const messages = readInput(request?.body.input ?? []).slice(0, -1);
      return request === undefined ? undefined : { messages, before: [messages.length] };
    },
    close,
  };
}

interface InputItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
}

/** The messages of the user and the model, without what Codex adds. */
function readInput(input: unknown): Message[] {
  return (input as readonly InputItem[]).flatMap(({ type, role, content = [] }) => {
    if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
    const text = content.map((part) => part.text ?? '').join('\n');
    return role === 'user' && userText(text) === '' ? [] : [{ role, text }];
  });
}
