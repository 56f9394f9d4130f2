import { randomUUID } from 'node:crypto';
import { type Options, type Query, query, type SDKUserMessage, startup } from '@anthropic-ai/claude-agent-sdk';
import { createInputQueue, type InputQueue } from '../../server/providers/claude/process/input-queue.ts';
import type { Samples } from './samples.ts';
import { type Scene, sinceModelAnswered, type WarmSession } from './scene.ts';

const toMessage = (text: string): SDKUserMessage => ({
  type: 'user',
  uuid: randomUUID(),
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
});

/** With the same options as our provider, so that both do the same work. */
function toOptions({ env, projectDir, executable }: Scene): Options {
  return {
    cwd: projectDir,
    env,
    pathToClaudeCodeExecutable: executable,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    includePartialMessages: true,
    forwardSubagentText: true,
    disallowedTools: ['AskUserQuestion'],
    canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }),
  };
}

export async function measureBareCold(scene: Scene, samples: Samples): Promise<void> {
  const input = createInputQueue<SDKUserMessage>();
  const start = performance.now();
  input.push(toMessage('first'));
  const output = query({ prompt: input, options: toOptions(scene) });
  await readTurn(output, () => samples.add('bare cold', performance.now() - start));
  await end(input, output);
}

/** A session whose process is ready. */
export async function openBare(scene: Scene): Promise<WarmSession> {
  const warm = await startup({ options: toOptions(scene) });
  const input = createInputQueue<SDKUserMessage>();
  const output = warm.query(input);
  return {
    async turn() {
      const start = performance.now();
      const measured = { firstToken: Number.NaN, delivery: Number.NaN };
      input.push(toMessage('hello'));
      await readTurn(output, () => {
        measured.firstToken = performance.now() - start;
        measured.delivery = sinceModelAnswered(scene);
      });
      return measured;
    },
    close: () => end(input, output),
  };
}

async function readTurn(output: Query, onFirstToken: () => void): Promise<void> {
  let hasBegun = false;
  for (;;) {
    const { value, done } = await output.next();
    if (done) throw new Error('Claude Code ended before its turn did.');
    if (!hasBegun && value.type === 'stream_event' && value.event.type === 'content_block_delta') {
      hasBegun = true;
      onFirstToken();
    }
    if (value.type === 'result') return;
  }
}

/** Until the exit, so that it does not disturb the next measurement. */
async function end(input: InputQueue<SDKUserMessage>, output: Query): Promise<void> {
  input.end();
  for await (const _ of output);
}
