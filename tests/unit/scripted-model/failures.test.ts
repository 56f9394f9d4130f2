import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cut,
  fail,
  gate,
  hang,
  overloaded,
  pause,
  type ScriptedModel,
  say,
  shell,
  startScriptedModel,
} from '../../../scripted-model/index.ts';
import { allEvents, eventsOf, post, readAnswer } from './post.ts';
import { anthropicBody, openAiBody, userItem, userMessage } from './requests.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel();
});

afterEach(() => model.close());

const askClaude = (prompt: string, session = 's', signal?: AbortSignal) =>
  post(`${model.url}/v1/messages?beta=true`, anthropicBody([userMessage(prompt)]), {
    headers: { 'x-claude-code-session-id': session },
    ...(signal ? { signal } : {}),
  });

const askCodex = (prompt: string) => post(`${model.url}/v1/responses`, openAiBody([userItem(prompt)]));

const outcome = () => model.requests.at(-1)?.outcome;

describe('a model that fails', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('answers Claude Code with status %i and %s', async (status, type) => {
    model.when('go', [[fail(status, 'no')]]);
    const answer = await readAnswer(await askClaude('go'));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toEqual({ type: 'error', error: { type, message: 'no' } });
  });

  it.each([
    [400, 400, 'invalid_request_error', 'invalid_prompt'],
    [401, 401, 'invalid_request_error', 'invalid_api_key'],
    [500, 500, 'server_error', 'server_error'],
    [529, 503, 'server_error', 'server_is_overloaded'],
  ])('answers Codex, told %i, with status %i and %s', async (status, sent, type, code) => {
    model.when('go', [[fail(status, 'no')]]);
    const answer = await readAnswer(await askCodex('go'));
    expect(answer.status).toBe(sent);
    expect(JSON.parse(answer.text)).toEqual({ error: { message: 'no', type, code } });
  });

  it('always fails if no number of times is given', async () => {
    model.when('go', [[fail(500)]]);
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await readAnswer(await askClaude('go'))).status).toBe(500);
  });

  it('is overloaded for the given number of attempts in each session', async () => {
    model.when('go', [[overloaded(2), say('at last')]]);
    const statuses: number[] = [];
    for (const session of ['a', 'b', 'a', 'a', 'b', 'b']) {
      statuses.push((await readAnswer(await askClaude('go', session))).status);
    }
    expect(statuses).toEqual([529, 529, 529, 200, 529, 200]);
    expect(model.requests.map(({ attempt }) => attempt)).toEqual([0, 0, 1, 2, 1, 2]);
  });

  it('cuts the connection after everything it sent has arrived', async () => {
    model.when('go', [[say('half of it '), cut({ times: 1 }), say('and the rest')]]);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { delta } of eventsOf(await askClaude('go'))) if (delta) seen.push(delta);
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(seen).toEqual(['half ', 'of ', 'it '].map((text) => ({ type: 'text_delta', text })));
    expect(outcome()).toBe('cut');

    const again = await readAnswer(await askClaude('go'));
    expect(again.text).toContain('rest');
  });

  it('cuts the connection only after a call has arrived', async () => {
    model.when('go', [[shell('ls'), cut()]]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { type } of eventsOf(await askClaude('go'))) seen.push(type);
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(seen).toEqual(['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop']);
  });

  it('reports a scenario that throws and continues to serve', async () => {
    model.when('go', () => {
      throw new Error('no such thing');
    });
    const answer = await readAnswer(await askClaude('go'));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The scenario threw: Error: no such thing');
    expect(outcome()).toBe('scenarioThrew');
    expect((await readAnswer(await askClaude('hello'))).status).toBe(200);
  });

  it('drops the connection when the scenario throws during a reply', async () => {
    const broken = function* () {
      yield 'half ';
      throw new Error('no such thing');
    };
    model.when('go', [[say(broken)]]);
    await expect(askClaude('go').then(allEvents)).rejects.toThrow('aborted');
    expect(outcome()).toBe('scenarioThrew');
  });
});

describe('an agent that closes the connection', () => {
  it.each([
    ['at a gate', [say('x'), gate('closed')]],
    ['during a pause', [say('x'), pause(60_000)]],
    ['while the model hangs', [say('x'), hang()]],
    ['in mid-text', [say('x y', { msBetweenChunks: 60_000 })]],
  ])('ends the reply %s', async (_, reply) => {
    model.when('go', [reply]);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { type } of eventsOf(await askClaude('go', 's', controller.signal))) {
        if (type === 'content_block_delta') controller.abort();
      }
    })();
    await expect(reading).rejects.toThrow();
    await expect.poll(outcome).toBe('hungUp');
  });
});
