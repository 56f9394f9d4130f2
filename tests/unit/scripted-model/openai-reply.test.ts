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
import { openAiBody, userItem } from './requests.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel({ newId: () => 'id' });
});

afterEach(() => model.close());

async function reply(...steps: Step[]) {
  model.when('go', [steps]);
  return allEvents(await post(`${model.url}/v1/responses`, openAiBody([userItem('go')])));
}

const doneItems = async (...steps: Step[]) =>
  (await reply(...steps)).filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

describe('a reply of the OpenAI Responses API', () => {
  it('streams text word by word inside one output item', async () => {
    const item = {
      type: 'message',
      id: 'msg_id_0',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello there', annotations: [] }],
    };
    const place = { item_id: 'msg_id_0', output_index: 0, content_index: 0 };
    expect(await reply(say('Hello there'))).toEqual([
      { type: 'response.created', response: { id: 'resp_id' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.output_text.delta', ...place, delta: 'Hello ' },
      { type: 'response.output_text.delta', ...place, delta: 'there' },
      { type: 'response.output_item.done', output_index: 0, item },
      {
        type: 'response.completed',
        response: {
          id: 'resp_id',
          status: 'completed',
          output: [item],
          usage: expect.objectContaining({ input_tokens: 10, output_tokens: 10, total_tokens: 20 }),
        },
      },
    ]);
  });

  it('streams thinking as a reasoning summary in its own item', async () => {
    const events = await reply(think('Hm'), say('Yes'));
    const place = { item_id: 'rs_id_0', output_index: 0, summary_index: 0 };
    expect(events.slice(1, 5)).toMatchObject([
      { type: 'response.output_item.added', item: { type: 'reasoning', id: 'rs_id_0', summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...place },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: 'Hm' },
      { type: 'response.output_item.done', item: { summary: [{ type: 'summary_text', text: 'Hm' }] } },
    ]);
    expect(events[5]).toMatchObject({ output_index: 1, item: { type: 'message' } });
  });

  it('calls several tools at once, each with its own id', async () => {
    expect(await doneItems(shell('echo one'), shell('echo two'))).toMatchObject([
      { type: 'function_call', name: 'exec_command', call_id: 'call_id_0', arguments: '{"cmd":"echo one"}' },
      { type: 'function_call', name: 'exec_command', call_id: 'call_id_1', arguments: '{"cmd":"echo two"}' },
    ]);
  });

  it.each([
    [readFile("it's.txt"), { name: 'exec_command', arguments: JSON.stringify({ cmd: `cat -- 'it'\\''s.txt'` }) }],
    [writeFile('a.txt', 'x\ny\n'), { name: 'apply_patch', input: patch('*** Add File: a.txt', '+x', '+y') }],
    [
      editFile('a.txt', 'x\n', 'y\nz'),
      { name: 'apply_patch', input: patch('*** Update File: a.txt', '@@', '-x', '+y', '+z') },
    ],
    [callTool('update_plan', { plan: [] }), { type: 'function_call', name: 'update_plan', arguments: '{"plan":[]}' }],
    [callTool('exec', 'text(1)'), { type: 'custom_tool_call', name: 'exec', input: 'text(1)' }],
    [callTool('collaboration.wait_agent', {}), { namespace: 'collaboration', name: 'wait_agent', arguments: '{}' }],
    [
      delegate('look', 'Look around'),
      {
        namespace: 'collaboration',
        name: 'spawn_agent',
        arguments: JSON.stringify({ task_name: 'look_around', message: 'look', fork_turns: 'none' }),
      },
    ],
  ])('maps a call to the tool of Codex (%#)', async (step, item) => {
    expect(await doneItems(step)).toMatchObject([item]);
  });

  it('ends incomplete when the model runs out of tokens', async () => {
    const events = await reply(say('Half'), runOutOfTokens());
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' } },
    });
  });

  it('ends failed when it fails after it has begun', async () => {
    const events = await reply(say('Half'), fail(429, 'too much'));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'rate_limit_exceeded', message: 'too much' } },
    });
  });

  it('is one response when the request does not stream', async () => {
    model.when('go', [[say('On it')]]);
    const answer = await readAnswer(
      await post(`${model.url}/v1/responses`, openAiBody([userItem('go')], { stream: false })),
    );
    expect(JSON.parse(answer.text)).toMatchObject({ output: [{ content: [{ text: 'On it' }] }] });
  });

  it('names a thread without advancing any scenario', async () => {
    model.when('go', [[shell('ls')]]);
    const format = { type: 'json_schema', schema: { properties: { title: { type: 'string' } } } };
    const ask = openAiBody([userItem('Give a title for: go')], { text: { format } });
    const events = await allEvents(await post(`${model.url}/v1/responses`, ask));
    const text = events.map(({ delta }) => delta ?? '').join('');
    expect(JSON.parse(text)).toEqual({ title: expect.any(String) });
    expect(model.requests[0]?.conversation.isSideQuestion).toBe(true);
  });
});
