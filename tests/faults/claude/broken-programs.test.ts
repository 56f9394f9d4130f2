import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ProviderStatus } from '../../../server/engine/provider-types.ts';
import { createProcessHost, createProcessLedger } from '../../../server/processes/index.ts';
import { type ClaudeProviderDeps, createClaudeProvider } from '../../../server/providers/claude/claude-provider.ts';
import { followSession } from '../../support/agents/follow-session.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';

/** The provider with the real SDK and a program that is anything but Claude Code. */
function prepare(name: string, options: Partial<ClaudeProviderDeps> = {}) {
  const scratch = scratchDirectory();
  const claudePath = join(import.meta.dirname, 'programs', `${name}.mjs`);
  const ledger = createProcessLedger(join(scratch, 'ledger'));
  const provider = createClaudeProvider({
    host: createProcessHost({ ledger, graceMs: 200 }),
    claudePath,
    env: { PATH: process.env.PATH, HOME: scratch },
    promptTimeoutMs: 60_000,
    spare: false,
    onProblem: () => {},
    ...options,
  });
  onTestFinished(async () => {
    await provider.close();
    expect(ledger.entries()).toEqual([]);
  });
  const status = (wanted: ProviderStatus['status']) =>
    new Promise<ProviderStatus>((resolve) => {
      provider.onStatus((each) => {
        if (each.status === wanted) resolve(each);
      });
    });
  return { provider, projectDir: scratch, ledger, status };
}

async function create({ provider, projectDir }: ReturnType<typeof prepare>) {
  const { sessionId } = await provider.createSession({ projectDir });
  return followSession(provider, sessionId);
}

test('a program that dies at once shows as disconnected with its last words', async () => {
  const rig = prepare('dies-at-once');
  const down = rig.status('disconnected');
  const session = await create(rig);
  expect((await down).message).toMatch(/exit code 9.*The license has expired/s);
  expect(rig.provider.isAlive(session.sessionId)).toBe(false);
  await expect(session.send('hello')).rejects.toMatchObject({
    code: 'PROCESS_CRASH',
    message: expect.stringContaining('The license has expired'),
  });
});

test('stream/TC-3.2c a message is refused by a program that dies on it, and no turn is left', async () => {
  const session = await create(prepare('dies-on-message'));
  await expect(session.send('hello')).rejects.toMatchObject({ code: 'PROCESS_CRASH' });
  expect(session.upserts).toEqual([]);
  expect(session.turns).toEqual([]);
});

test('a program that is killed in its turn fails it, every time anew', async () => {
  const session = await create(prepare('dies-in-turn'));
  for (const text of ['one', 'two']) {
    expect(await session.turn(text)).toMatchObject({
      type: 'turn_error',
      errorCode: 'PROCESS_CRASH',
      errorMessage: expect.stringContaining('SIGKILL'),
    });
  }
});

test('a program that says nothing is given up after a while', async () => {
  const rig = prepare('is-silent', { promptTimeoutMs: 2_000 });
  const ready = rig.status('connected');
  const session = await create(rig);
  await ready;
  const asleep = rig.status('idle');
  expect(await session.turn('hello')).toMatchObject({ type: 'turn_error', errorCode: 'TURN_TIMEOUT' });
  await asleep;
  expect(rig.provider.isAlive(session.sessionId)).toBe(false);
});

test('engine/start-cancel claude: cancelling a start that hangs is answered at once and leaves nothing', async () => {
  const rig = prepare('never-ready');
  const session = await create(rig);
  const refused = expect(session.send('hello')).rejects.toMatchObject({ code: 'CANCELLED' });
  const start = performance.now();
  await rig.provider.cancelTurn(session.sessionId);
  await refused;
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(session.turns).toEqual([]);
  expect(rig.provider.isAlive(session.sessionId)).toBe(false);
  expect(rig.ledger.entries()).toEqual([]);
});

test('engine/start-cancel claude: killing a session whose start hangs leaves nothing', async () => {
  const rig = prepare('never-ready');
  const session = await create(rig);
  const refused = expect(session.send('hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await rig.provider.killSession(session.sessionId);
  await refused;
  expect(rig.ledger.entries()).toEqual([]);
});

test('engine/start-deadline claude: a start that hangs is ended after the timeout and says so', async () => {
  const rig = prepare('never-ready', { startTimeoutMs: 500 });
  const session = await create(rig);
  const start = performance.now();
  await expect(session.send('hello')).rejects.toMatchObject({
    code: 'AGENT_UNAVAILABLE',
    message: expect.stringContaining('Claude Code did not get ready within 0.5 s'),
  });
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(rig.ledger.entries()).toEqual([]);
  expect(rig.provider.statuses()).toMatchObject([
    { status: 'disconnected', message: expect.stringContaining('did not get ready') },
  ]);
});

test('a busy program that answers no request any more is killed, and its turn is cancelled', async () => {
  const rig = prepare('ignores-requests');
  const session = await create(rig);
  const turnId = await session.send('hello');
  await rig.provider.killSession(session.sessionId);
  expect(await session.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
  expect(rig.ledger.entries()).toEqual([]);
});

test('lines that are no messages are passed over', async () => {
  const session = await create(prepare('prints-garbage'));
  expect(await session.turn('hello')).toMatchObject({ type: 'turn_complete', status: 'completed' });
});

test('a line that the SDK cannot bear ends the process, not the server', async () => {
  const session = await create(prepare('prints-null'));
  expect(await session.turn('hello')).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
});

test('a line of 40 MB comes through whole', async () => {
  const session = await create(prepare('prints-long-line'));
  const { turnId } = await session.turn('hello');
  const item = session.itemsOf(turnId).at(-1);
  expect(item?.type === 'message' && item.content.length).toBe(40 * 1024 * 1024);
});

test('a program that falls silent for good by closing its output is ended', async () => {
  const session = await create(prepare('closes-stdout'));
  expect(await session.turn('hello')).toMatchObject({ type: 'turn_error', errorCode: 'PROCESS_CRASH' });
});

test('stream/TC-3.1c a program that cannot be executed fails the creation and leaves nothing', async () => {
  const file = join(scratchDirectory(), 'claude');
  writeFileSync(file, '#!/nowhere/interpreter\n');
  chmodSync(file, 0o755);
  const rig = prepare('is-silent', { claudePath: file });
  await expect(create(rig)).rejects.toMatchObject({ name: 'ProviderError', code: 'SESSION_CREATE_FAILED' });
  expect(rig.ledger.entries()).toEqual([]);
});
