import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCanonical } from '../../../shared/ids.ts';
import { textsOf } from '../../support/product/product-scene.ts';
import { codexRollouts, codexSessions, openCodex, runCodex } from '../../support/terminals/codex-terminal.ts';
import { type Shown, showSession } from '../keep/shown-window.ts';
import { type FollowScene, openFollowScene, saidTexts } from './follow-scene.ts';
import { lagOf } from './lag.ts';
import { within } from './within.ts';

const LIMIT_MS = 1_000;

let scene: FollowScene;
beforeAll(async () => {
  scene = await openFollowScene();
});
afterAll(() => scene.close());

const idOf = (nativeId: string) => toCanonical('codex', nativeId);
const shows = (shown: Shown) => saidTexts(shown.items.values());
/** A rewound session goes on in another file. */
const fileWith = (text: string) => () =>
  codexRollouts(scene.home).find((path) => readFileSync(path, 'utf8').includes(text));

test('follow/list follow/never-written sessions of a terminal and of exec are listed and open, and no rollout changes', async () => {
  const terminal = await openCodex(scene.home);
  await terminal.ask('say one');
  const [named = ''] = codexSessions(scene.home);
  await terminal.rename('named in the terminal');
  await terminal.ask('say two');
  await terminal.rewindLast('say two');
  await terminal.ask('say three');
  await terminal.startNew();
  await terminal.ask('say four');
  const compacted = codexSessions(scene.home).find((id) => id !== named) ?? '';
  await terminal.compact();
  await terminal.quit();
  await runCodex(scene.home, 'say five');
  const run = codexSessions(scene.home).find((id) => id !== named && id !== compacted) ?? '';
  const before = scene.hashes();

  const server = await scene.start();
  expect(await scene.listed(idOf(named))).toMatchObject({ source: 'terminal' });
  expect(await scene.listed(idOf(compacted))).toMatchObject({ source: 'terminal' });
  expect(await scene.listed(idOf(run))).toMatchObject({ source: 'terminal', run: true });
  expect((await scene.list()).filter(({ cliType }) => cliType === 'codex')).toHaveLength(3);
  expect(await textsOf(server, idOf(named))).toEqual([
    'say one',
    'Answer to say one.',
    'say three',
    'Answer to say three.',
  ]);
  expect(await textsOf(server, idOf(compacted))).toEqual(expect.arrayContaining(['say four', 'Answer to say four.']));
  expect(await textsOf(server, idOf(run))).toEqual(['say five', 'Answer to say five.']);
  await scene.listed(idOf(compacted), ({ context }) => context?.state === 'compacted');
  await server.stop();
  expect(scene.hashes()).toEqual(before);
});

test('follow/live what is said, compacted and rewound in a terminal is shown within a second', async () => {
  const server = await scene.start();
  const known = codexSessions(scene.home);
  const terminal = await openCodex(scene.home);
  const list = await server.window();
  await terminal.ask('say six');
  const sessionId = idOf(codexSessions(scene.home).find((id) => !known.includes(id)) ?? '');
  await within(
    'the session is found',
    list.next((frame) => frame.type === 'session:found' && (frame.sessions ?? []).some(({ id }) => id === sessionId)),
  );
  const before = scene.hashes();
  const window = await showSession(server, sessionId);
  await within(
    'it is shown',
    window.until((shown) => shows(shown).includes('Answer to say six.')),
  );
  expect(scene.hashes()).toEqual(before);

  const said = (prompt: string) => {
    const answer = `Answer to ${prompt}.`;
    return lagOf(window, fileWith(answer), answer, () => terminal.ask(prompt));
  };
  const lags = [await said('say seven')];
  await terminal.compact();
  lags.push(await said('say eight'));
  await scene.listed(sessionId, ({ context }) => context?.state === 'compacted');
  await terminal.rewindLast('say eight');
  lags.push(await said('say nine'));
  await within(
    'it is shown',
    window.until((shown) => !shows(shown).includes('say eight')),
  );
  await window.close();
  await server.stop();
  expect(Math.max(...lags), `${lags.map(Math.round)}`).toBeLessThan(LIMIT_MS);
});
