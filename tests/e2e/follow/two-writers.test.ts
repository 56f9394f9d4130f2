import { afterAll, beforeAll, expect, test } from 'vitest';
import { gate, say } from '../../../scripted-model/index.ts';
import { toCanonical } from '../../../shared/ids.ts';
import { processesWithHome } from '../../support/processes/with-home.ts';
import { codexSessions, openCodex, runCodex } from '../../support/terminals/codex-terminal.ts';
import { type FollowScene, openFollowScene } from './follow-scene.ts';
import { sayHere } from './say-here.ts';
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

/** In `npm test` every third one; all of them by `npm run two-writers`. */
const taken = Object.entries(ORDERS).filter((_, number) => process.env.LIMINAL_ORDERS === 'all' || number % 3 === 1);

let scene: FollowScene;
beforeAll(async () => {
  scene = await openFollowScene([
    { when: /^slow /, scenario: ({ prompt }) => [[gate(prompt), say(`Answer to ${prompt}.`)]] },
  ]);
  await scene.start();
});
afterAll(() => scene.close());

test.each(taken)(
  'follow/two-writers follow/branches %s: the model gets what the page shows, and nothing is lost',
  async (name, order) => {
    const writers = createWriters(scene, `o${Object.keys(ORDERS).indexOf(name)}`);
    for (const step of order.split(', ')) await writers.take(step);
    await expect.poll(writers.found).toEqual(writers.typed());
    await writers.sayInForks();
    await writers.close();
  },
);

test('follow/two-writers Codex, a terminal, ours and exec in turns: the model gets what the page shows', async () => {
  const terminal = await openCodex(scene.home);
  await terminal.ask('say c-1');
  await terminal.ask('say c-2');
  await terminal.rewindLast('say c-2');
  await terminal.ask('say c-3');
  await terminal.quit();
  // The daemon of the terminal keeps the session to itself for a minute.
  for (const { pid, command } of processesWithHome(scene.home.home)) {
    if (/--managed-daemon|pid-update-loop/.test(command)) process.kill(pid, 'SIGKILL');
  }
  const [nativeId = ''] = codexSessions(scene.home);
  const sessionId = toCanonical('codex', nativeId);
  await scene.listed(sessionId, ({ heldBy }) => heldBy === undefined);
  await sayHere(scene, sessionId, 'say c-4');
  await scene.server.stop();
  await runCodex(scene.home, 'say c-5', { resume: nativeId });
  await scene.start();
  await sayHere(scene, sessionId, 'say c-6');
  expect(scene.model.requests.at(-1)?.conversation.userMessages).toEqual([1, 3, 4, 5, 6].map((n) => `say c-${n}`));
});
