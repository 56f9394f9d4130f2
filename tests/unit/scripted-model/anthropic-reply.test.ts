import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  callTool,
  delegate,
  editFile,
  fail,
  readFile,
  runOutOfTokens,
  type ScriptedModel,
  type Step,
  say,
  shell,
  startScriptedModel,
  think,
  writeFile,
} from '../../../scripted-model/index.ts';
import { allEvents, post, readAnswer } from './post.ts';
import { anthropicBody, userMessage } from './requests.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel({ newId: () => 'id' });
});

afterEach(() => model.close());

const USAGE = { input_tokens: 10, output_tokens: 10 };

async function reply(...steps: Step[]) {
  model.when('go', [steps]);
  const system = '# Environment\n - Primary working directory: /project\n';
  return allEvents(await post(`${model.url}/v1/messages?beta=true`, anthropicBody([userMessage('go')], { system })));
}

const starts = async (step: Step) => {
  const events = await reply(step);
  return events.flatMap(({ content_block, delta }) => [content_block, delta].filter((part) => part !== undefined));
};

describe('a reply of the Anthropic Messages API', () => {
  it('streams text word by word inside one message and one block', async () => {
    expect(await reply(say('Hello there'))).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_id',
          type: 'message',
          role: 'assistant',
          model: 'claude-test',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: USAGE,
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'there' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ]);
  });

  it('closes thinking with a signature before text begins', async () => {
    const events = await reply(think('Hm'), say('Yes'));
    expect(events.slice(1, 6)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'scripted' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ]);
  });

  it('calls several tools at once, each with its own id, and stops for them', async () => {
    const events = await reply(shell('echo one'), shell('echo two'));
    expect(events.filter(({ type }) => type === 'content_block_start')).toMatchObject([
      { index: 0, content_block: { type: 'tool_use', id: 'toolu_id_0', name: 'Bash', input: {} } },
      { index: 1, content_block: { type: 'tool_use', id: 'toolu_id_1', name: 'Bash', input: {} } },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  it.each([
    [shell('ls', 'List files'), 'Bash', { command: 'ls', description: 'List files' }],
    [readFile('a.txt'), 'Read', { file_path: '/project/a.txt' }],
    [writeFile('/else/a.txt', 'x'), 'Write', { file_path: '/else/a.txt', content: 'x' }],
    [editFile('a.txt', 'x', 'y'), 'Edit', { file_path: '/project/a.txt', old_string: 'x', new_string: 'y' }],
    [callTool('Glob', { pattern: '*' }), 'Glob', { pattern: '*' }],
    [
      delegate('look', 'Look around'),
      'Agent',
      { description: 'Look around', prompt: 'look', subagent_type: 'general-purpose', run_in_background: false },
    ],
  ])('maps a call to the tool of Claude Code (%#)', async (step, name, input) => {
    const [block, delta] = await starts(step);
    expect(block).toMatchObject({ type: 'tool_use', name });
    expect(JSON.parse(String((delta as { partial_json: string }).partial_json))).toEqual(input);
  });

  it('stops with max_tokens when the model runs out of them', async () => {
    const events = await reply(say('Half'), runOutOfTokens(), say('never said'));
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
    expect(JSON.stringify(events)).not.toContain('never said');
  });

  it('ends with an error event when it fails after it has begun', async () => {
    const events = await reply(say('Half'), fail(529, 'too much'));
    expect(events.at(-1)).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'too much' } });
  });

  it('is one message when the request does not stream', async () => {
    model.when('go', [[think('Hm'), say('On it'), shell('ls', 'List')]]);
    const body = anthropicBody([userMessage('go')], { stream: false });
    const answer = await readAnswer(await post(`${model.url}/v1/messages`, body));
    expect(JSON.parse(answer.text)).toMatchObject({
      type: 'message',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'scripted' },
        { type: 'text', text: 'On it' },
        { type: 'tool_use', name: 'Bash', input: { command: 'ls', description: 'List' } },
      ],
    });
  });
});
