import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ScriptedModel, startScriptedModel } from '../../../../scripted-model/index.ts';
import { createProcessHost, createProcessLedger } from '../../../../server/processes/index.ts';
import { createClaudeProvider } from '../../../../server/providers/claude/claude-provider.ts';
import { claudeProgram, claudeTranscripts } from '../../../support/terminals/claude-terminal.ts';
import { startProgram } from '../../../support/terminals/run-program.ts';
import { createTerminalHome } from '../../../support/terminals/terminal-home.ts';
import { sentMessages } from '../sent-messages.ts';
import { makeClaudeBases, rules } from './claude-bases.ts';
import { claudeFaults } from './claude-faults.ts';
import { predictClaude } from './predicted.ts';
import type { Subject } from './subject.ts';

export async function createClaudeSubject(): Promise<Subject> {
  const model = await startScriptedModel({ rules });
  const home = await createTerminalHome(model);
  const provider = createClaudeProvider({
    host: createProcessHost({ ledger: createProcessLedger(join(home.home, 'ledger')) }),
    env: home.env,
    promptTimeoutMs: 60_000,
    spare: false,
    onProblem: () => {},
  });
  const close = async () => {
    await provider.close();
    await home.close();
    await model.close();
  };
  const bases = await makeClaudeBases(home).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    provider,
    projectDir: home.projectDir,
    bases,
    faults: claudeFaults,
    newId: () => randomUUID(),
    async killWhileItWrites(nativeId, random) {
      const args = ['-p', `work ${nativeId}`, '--resume', nativeId];
      const running = startProgram(claudeProgram(), args, { cwd: home.projectDir, env: home.env });
      await delay(400 + random.below(3_000));
      kill(running.pid);
      await running.ended;
    },
    async predict(nativeId) {
      const path = claudeTranscripts(home).find((each) => each.includes(nativeId));
      return path === undefined ? undefined : predictClaude(path);
    },
    sent: (prompt) => lastSent(model, prompt),
    close,
  };
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function lastSent(model: ScriptedModel, prompt: string) {
  const request = model.requests.findLast(({ conversation }) => conversation.prompt === prompt);
  if (request === undefined) return undefined;
  const messages = sentMessages(request.body);
  const { role, parts } = messages.pop() ?? { role: 'user', parts: [] };
  const before = parts.filter(({ text }) => text !== prompt);
  return {
    messages: before.length > 0 ? [...messages, { role, parts: before }] : messages,
    before: [messages.length],
  };
}
