import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCanonical } from '../../../shared/ids.ts';
import { textsOf } from '../../support/product/product-scene.ts';
import { claudeSessions, claudeTranscripts, openClaude, runClaude } from '../../support/terminals/claude-terminal.ts';
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

const idOf = (nativeId: string) => toCanonical('claude-code', nativeId);
const fileOf = (nativeId: string) => claudeTranscripts(scene.home).find((path) => path.includes(nativeId));
const shows = (shown: Shown) => saidTexts(shown.items.values());

test('follow/list follow/never-written sessions of a terminal and of -p are listed and open, and no file of Claude Code changes', async () => {
  const terminal = await openClaude(scene.home);
  const first = terminal.sessionId();
  await terminal.ask('say one');
  await terminal.ask('say two');
  await terminal.rewindTo('say two');
  await terminal.ask('say three');
  await terminal.clear();
  const cleared = terminal.sessionId();
  await terminal.ask('say four');
  await terminal.compact();
  await terminal.rename('named in the terminal');
  await terminal.quit();
  await runClaude(scene.home, 'say five');
  const run = claudeSessions(scene.home).find((id) => id !== first && id !== cleared);
  const before = scene.hashes();

  const server = await scene.start();
  expect(await scene.listed(idOf(first))).toMatchObject({ source: 'terminal', title: 'say one' });
  expect(await scene.listed(idOf(cleared))).toMatchObject({ source: 'terminal', title: 'named in the terminal' });
  expect(await scene.listed(idOf(run ?? ''))).toMatchObject({ source: 'terminal', run: true });
  expect(await textsOf(server, idOf(first))).toEqual([
    'say one',
    'Answer to say one.',
    'say three',
    'Answer to say three.',
  ]);
  expect(await textsOf(server, idOf(cleared))).toEqual(expect.arrayContaining(['say four', 'Answer to say four.']));
  expect(await textsOf(server, idOf(run ?? ''))).toEqual(['say five', 'Answer to say five.']);
  await scene.listed(idOf(cleared), ({ context }) => context?.state === 'compacted');
  await server.stop();
  expect(scene.hashes()).toEqual(before);
});

test('follow/live what is said, compacted, rewound and cleared in a terminal is shown within a second', async () => {
  const server = await scene.start();
  const terminal = await openClaude(scene.home);
  const nativeId = terminal.sessionId();
  const sessionId = idOf(nativeId);
  const list = await server.window();
  await terminal.ask('say six');
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

  const said = (prompt: string) =>
    lagOf(
      window,
      () => fileOf(nativeId),
      `Answer to ${prompt}.`,
      () => terminal.ask(prompt),
    );
  const lags = [await said('say seven')];
  await terminal.compact();
  lags.push(await said('say eight'));
  await scene.listed(sessionId, ({ context }) => context?.state === 'compacted');
  await terminal.rewindTo('say eight');
  lags.push(await said('say nine'));
  await within(
    'it is shown',
    window.until((shown) => !shows(shown).includes('say eight')),
  );
  await terminal.clear();
  const cleared = idOf(terminal.sessionId());
  await terminal.ask('say ten');
  await scene.listed(cleared);
  await terminal.quit();
  const run = await lagOf(
    window,
    () => fileOf(nativeId),
    'Answer to say eleven.',
    () => runClaude(scene.home, 'say eleven', { resume: nativeId }),
  );
  lags.push(run);
  await window.close();
  await server.stop();
  expect(Math.max(...lags), `${lags.map(Math.round)}`).toBeLessThan(LIMIT_MS);
});
