import { expect, it } from 'vitest';
import { gate, hang, pause, say, startScriptedModel } from '../../../scripted-model/index.ts';
import { allEvents, post } from './post.ts';
import { openAiBody, userItem } from './requests.ts';

/** Servers and sockets that keep this process alive. */
const handles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP'));

it('a server that closes ends every open reply, rejects new ones and keeps nothing alive', async () => {
  const model = await startScriptedModel({
    rules: [
      { when: 'hang', scenario: [[hang()]] },
      { when: 'begun', scenario: [[say('x'), hang()]] },
      { when: 'gate', scenario: [[gate('closed')]] },
      { when: 'pause', scenario: [[pause(60_000)]] },
      { when: 'slow', scenario: [[say('x y', { msBetweenChunks: 60_000 })]] },
    ],
  });
  const prompts = ['hang', 'begun', 'gate', 'pause', 'slow'];
  const replies = prompts.map((prompt) =>
    post(`${model.url}/v1/responses`, openAiBody([userItem(prompt)]))
      .then(allEvents)
      .then(
        () => 'ended',
        () => 'broken',
      ),
  );
  await model.gate('closed');
  await expect.poll(() => model.requests.length).toBe(prompts.length);
  await model.close();
  expect(await Promise.all(replies)).toEqual(prompts.map(() => 'broken'));
  expect(model.requests.map(({ outcome }) => outcome)).toEqual(prompts.map(() => 'hungUp'));
  await expect(post(`${model.url}/v1/messages`, {})).rejects.toThrow('ECONNREFUSED');
  await expect.poll(handles).toEqual([]);
  await model.close();
});
