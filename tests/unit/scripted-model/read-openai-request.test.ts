import { describe, expect, it } from 'vitest';
import { readOpenAiRequest } from '../../../scripted-model/openai/read-request.ts';
import { openAiBody, userItem } from './requests.ts';

const read = (...input: unknown[]) => readOpenAiRequest(openAiBody(input), {});

const ENVIRONMENT = userItem('<environment_context>\n  <cwd>/home/dev/project</cwd>\n</environment_context>');

const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const thought = { type: 'reasoning', summary: [] };
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'exec_command', arguments: '{}' });
const patched = (id: string) => ({ type: 'custom_tool_call', call_id: id, name: 'apply_patch', input: '' });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: `output of ${id}` });
const patchOutput = (id: string) => ({ type: 'custom_tool_call_output', call_id: id, output: [{ text: 'Success' }] });
const aborted = {
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text: '<turn_aborted>x</turn_aborted>' }],
};

describe('a request of Codex', () => {
  it('is answered by what the user wrote, not by what Codex writes as the user', () => {
    const instructions = userItem('# AGENTS.md instructions for /home/dev/project\n\nBe brief.');
    expect(read(instructions, ENVIRONMENT, userItem('please run it'))).toMatchObject({
      prompt: 'please run it',
      userMessages: ['please run it'],
      position: 0,
      cwd: '/home/dev/project',
    });
  });

  it('treats adjacent reasoning, text and calls as one reply', () => {
    const conversation = read(
      ENVIRONMENT,
      userItem('first'),
      said('done'),
      userItem('second'),
      thought,
      said('working'),
      call('a'),
      patched('b'),
      output('a'),
      patchOutput('b'),
    );
    expect(conversation).toMatchObject({
      prompt: 'second',
      userMessages: ['first', 'second'],
      position: 1,
      results: [
        { callId: 'a', output: 'output of a' },
        { callId: 'b', output: 'Success' },
      ],
    });
  });

  it('advances by one reply with every round of tool outputs', () => {
    const conversation = read(userItem('go'), call('a'), output('a'), call('b'), output('b'));
    expect(conversation).toMatchObject({ position: 2, results: [{ callId: 'b' }] });
  });

  it('starts over with the message after a cancelled turn', () => {
    const conversation = read(userItem('first'), call('a'), output('a'), aborted, userItem('next'));
    expect(conversation).toMatchObject({ prompt: 'next', userMessages: ['first', 'next'], position: 0 });
  });

  it('is answered by the task if a sub-agent sends it', () => {
    const task = {
      type: 'agent_message',
      content: [
        { type: 'input_text', text: 'Message Type: NEW_TASK\nTask name: /root/look\nSender: /root\nPayload:\n' },
        { type: 'encrypted_content', encrypted_content: 'look around' },
      ],
    };
    expect(read(ENVIRONMENT, task)).toMatchObject({ prompt: 'look around', position: 0 });
  });

  it('does not treat a message from a sub-agent as one of the user', () => {
    const news = {
      type: 'agent_message',
      content: [
        { type: 'input_text', text: 'Message Type: FINAL_ANSWER\nPayload:\n' },
        { type: 'encrypted_content', encrypted_content: 'I looked around' },
      ],
    };
    expect(read(userItem('go'), call('a'), output('a'), news)).toMatchObject({ prompt: 'go', position: 1 });
  });

  it('contains its thread, or at least its cache key', () => {
    const body = openAiBody([userItem('x')], { prompt_cache_key: 'key' });
    expect(readOpenAiRequest(body, { 'thread-id': 't1' })).toMatchObject({ api: 'openai', sessionId: 't1' });
    expect(readOpenAiRequest(body, {})).toMatchObject({ sessionId: 'key', model: 'gpt-test' });
  });

  it.each([[{}], [{ input: 'no' }], [{ input: [null, 7, { type: 'message', role: 'user' }] }]])(
    'is read as an empty conversation if it is invalid (%#)',
    (body) => {
      expect(readOpenAiRequest(body, {})).toMatchObject({ prompt: '', userMessages: [], position: 0 });
    },
  );
});
