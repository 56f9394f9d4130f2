import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, say } from '../../../scripted-model/index.ts';
import { type FollowScene, openFollowScene } from './follow-scene.ts';
import { createWriters } from './writers.ts';

/**
 * Who writes when into one conversation. `we` is the product, `T1` and `T2` are terminals, `p` is `claude -p`. Whatever we
 * say, the model has to get what the page showed.
 */
const ORDERS: Readonly<Record<string, string>> = {
  'ours, then a terminal that quits': 'we say, T1 opens, T1 says, T1 quits, we say',
  'ours, then a terminal that is killed': 'we say, T1 opens, T1 says, T1 dies, we say, we say',
  'a terminal that quits, then ours': 'T1 begins, T1 says, T1 quits, we say, we say',
  'a terminal that is killed, then ours': 'T1 begins, T1 says, T1 dies, we say',
  'in turns': 'T1 begins, T1 says, T1 quits, we say, T1 opens, T1 says, T1 quits, we say',
  'ours, with -p in between': 'we say, p says, we say, p says, p says, we say',
  'a terminal that opens during our turn and quits':
    'we say, we begin, T1 opens, T1 says, we end, T1 says, T1 quits, we say',
  'a terminal that opens during our turn and is killed':
    'we say, we begin, T1 opens, T1 says, we end, T1 says, T1 dies, we say',
  'two terminals, the first one quits last':
    'T1 begins, T1 says, T2 opens, T2 says, T1 says, T2 quits, T1 quits, we say',
  'two terminals, both are killed': 'T1 begins, T1 says, T2 opens, T2 says, T1 says, T1 dies, T2 dies, we say',
  'a terminal that goes back': 'we say, T1 opens, T1 says, T1 says, T1 goes back, T1 says, T1 quits, we say',
  'a terminal that compacts': 'we say, T1 opens, T1 says, T1 compacts, T1 says, T1 quits, we say',
  'our server is killed, then a terminal': 'we say, server dies, T1 opens, T1 says, server starts, T1 quits, we say',
};

let scene: FollowScene;
beforeAll(async () => {
  scene = await openFollowScene([
    { when: /^slow /, scenario: ({ prompt }) => [[gate(prompt), say(`Answer to ${prompt}.`)]] },
  ]);
  await scene.start();
});
afterAll(() => scene.close());

test.each(Object.entries(ORDERS))(
  'follow/two-writers follow/branches %s: the model gets what the page shows, and nothing is lost',
  async (name, order) => {
    const writers = createWriters(scene, `o${Object.keys(ORDERS).indexOf(name)}`);
    for (const step of order.split(', ')) await writers.take(step);
    await expect.poll(writers.found).toEqual(writers.typed());
    await writers.close();
  },
);
