import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gate, type ScriptedModel, say, startScriptedModel } from '../../../scripted-model/index.ts';
import { allEvents, post, readAnswer } from './post.ts';
import { anthropicBody, userMessage } from './requests.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel({ keepRequests: 3 });
});

afterEach(() => model.close());

const ask = (prompt: string) => post(`${model.url}/v1/messages`, anthropicBody([userMessage(prompt)]));

describe('the scripted model server', () => {
  it('listens only on the loopback address, on its own port', async () => {
    const other = await startScriptedModel();
    expect(model.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(other.url).not.toBe(model.url);
    await other.close();
  });

  it('counts tokens for Claude Code', async () => {
    const answer = await readAnswer(await post(`${model.url}/v1/messages/count_tokens?beta=true`, { messages: [] }));
    expect({ ...answer, text: JSON.parse(answer.text) }).toEqual({ status: 200, text: { input_tokens: 10 } });
  });

  it.each(['/', '/v1/models', '/v1/messages/batches', '/constructor', '//', '/%zz'])(
    'answers 404 at %s',
    async (path) => {
      expect((await readAnswer(await post(model.url + path, {}))).status).toBe(404);
    },
  );

  it('answers 404 to methods other than POST', async () => {
    const status = await new Promise((resolve) => {
      get(`${model.url}/v1/messages`, { agent: false }, (response) => resolve(response.resume().statusCode));
    });
    expect(status).toBe(404);
  });

  it.each(['/v1/messages', '/v1/responses'])('answers 400 at %s to a body that is not JSON', async (path) => {
    expect((await readAnswer(await post(model.url + path, '{"messages": ['))).status).toBe(400);
    expect(model.requests).toEqual([]);
  });

  it('keeps the latest requests up to its limit', async () => {
    for (const prompt of ['a', 'b', 'c', 'd']) await allEvents(await ask(prompt));
    expect(model.requests.map(({ conversation }) => conversation.prompt)).toEqual(['b', 'c', 'd']);
  });

  it('prefers a rule that was added later', async () => {
    model.when('go', [[say('old')]]);
    model.when('go', [[say('new')]]);
    expect((await readAnswer(await ask('go'))).text).toContain('"new"');
  });

  it('holds a reply at a gate until the test releases it', async () => {
    model.when('go', [[say('before '), gate('middle'), say('after')]]);
    const events = ask('go').then(allEvents);
    await model.gate('middle');
    expect(model.requests[0]?.outcome).toBe('open');
    model.release('middle');
    const texts = (await events).flatMap(({ delta }) => (delta as { text?: string } | undefined)?.text ?? []);
    expect(texts).toEqual(['before ', 'after']);
  });
});
