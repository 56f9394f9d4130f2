import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool, delegate, pause, type Rule, say, shell } from '../../../scripted-model/index.ts';
import type { ToolCallUpsert, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { SessionWatch } from '../../support/agents/acp-rig.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';

/** A command that the model does not wait for. */
const inBackground = (cmd: string) => callTool('exec_command', { cmd, yield_time_ms: 500 });
const until = (file: string) => `until [ -f ${file} ]; do sleep 0.05; done`;
const beat = (file: string) => `while true; do date +%N > ${file}; sleep 0.05; done`;

let goalTurns = 0;

const rules: readonly Rule[] = [
  // First, because the words that Codex puts around a goal match nearly everything.
  {
    when: /make it green/,
    scenario({ position }) {
      if (position === 0) goalTurns += 1;
      if (goalTurns < 3) return [[pause(100), say(`Step ${goalTurns}.`)]];
      return [[callTool('update_goal', { status: 'complete' })], [say('It is green.')]];
    },
  },
  { when: /make it blue/, scenario: [[pause(300), say('One step.')]] },
  { when: 'count', scenario: [[inBackground(`echo one; ${until('counted')}; echo two; exit 3`)], [say('It counts.')]] },
  { when: 'serve', scenario: [[inBackground(`echo serving; ${beat('serving')}`)], [say('It serves.')]] },
  { when: 'wait', scenario: [[shell(beat('waiting'))], [say('never')]] },
  { when: 'another', scenario: [[say('Another turn.')]] },
  { when: 'inspect', scenario: [[say('I look.'), shell(`${until('looked')}; cat greeting.txt`)], [say('It greets.')]] },
  { when: 'delegate', scenario: [[delegate('inspect the file', 'Inspect the file')], [say('It works beside me.')]] },
  { when: 'watch', scenario: [[say('I watch.'), shell(beat('watching'))], [say('never')]] },
  { when: 'guard', scenario: [[delegate('watch the file', 'Watch the file')], [say('It watches.')]] },
];

const isCall = (item: UpsertObject): item is ToolCallUpsert => item.type === 'tool_call';
const call = (watch: SessionWatch, name: string) =>
  watch
    .items()
    .filter(isCall)
    .find(({ toolName }) => toolName === name);
const isOver = ({ status }: UpsertObject) => status === 'complete' || status === 'error';

/** Whether a command still writes into its file. */
async function isBeating(codex: CodexRig, file: string): Promise<boolean> {
  const path = join(codex.projectDir, file);
  const before = existsSync(path) ? statSync(path).mtimeMs : 0;
  await new Promise((resolve) => setTimeout(resolve, 400));
  return existsSync(path) && statSync(path).mtimeMs !== before;
}

describe('background work of the real Codex', () => {
  let codex: CodexRig;

  beforeAll(async () => {
    codex = await startCodex({ rules });
  });

  afterAll(async () => {
    const problems = codex?.problems;
    await codex?.close();
    expect(problems).toEqual([]);
  });

  it('engine/background-live codex: a command runs on after its turn and ends with its output and exit code', async () => {
    const { watch } = await codex.open();
    const { end } = await watch.turn('count it');
    expect(end).toMatchObject({ status: 'completed' });
    expect(call(watch, 'exec_command')).toMatchObject({ status: 'update', background: true });
    await watch.turn('another one');
    expect(call(watch, 'exec_command')).toMatchObject({ status: 'update' });
    writeFileSync(join(codex.projectDir, 'counted'), '');
    const ended = await watch.shown((item) => isCall(item) && isOver(item));
    expect(ended).toMatchObject({
      status: 'complete',
      toolOutput: expect.stringMatching(/two\n$/),
      toolOutputIsError: true,
      exitCode: 3,
    });
    expect(watch.turns).toHaveLength(4);
  });

  it('engine/background-stop codex: a command is stopped, and nothing of it runs on', async () => {
    const { watch, sessionId } = await codex.open();
    await watch.turn('serve it');
    expect(await isBeating(codex, 'serving')).toBe(true);
    await codex.provider().stopBackground(sessionId, call(watch, 'exec_command')?.itemId);
    const ended = await watch.shown((item) => isCall(item) && isOver(item));
    expect(ended).toMatchObject({
      status: 'error',
      errorCode: 'STOPPED',
      toolOutput: expect.stringContaining('serving'),
    });
    expect(await isBeating(codex, 'serving')).toBe(false);
    expect((await watch.turn('another one')).text).toBe('Another turn.');
  });

  it('engine/background-stop codex: a command that a cancelled turn waited for ends with it', async () => {
    const { watch, sessionId } = await codex.open();
    const { turnId } = await codex.provider().sendMessage(sessionId, 'wait for it');
    await watch.shown(isCall);
    await expect.poll(() => isBeating(codex, 'waiting')).toBe(true);
    await codex.provider().cancelTurn(sessionId);
    expect(await watch.ended(turnId)).toMatchObject({ status: 'cancelled' });
    await expect.poll(() => isBeating(codex, 'waiting')).toBe(false);
  });

  it('engine/background-live codex: a sub-agent works on after the turn, step by step, and reports', async () => {
    const { watch, sessionId } = await codex.open();
    await watch.turn('delegate it');
    expect(call(watch, 'Agent')).toMatchObject({
      status: 'update',
      background: true,
      toolKind: 'think',
      toolArguments: { name: 'Inspect the file' },
    });
    await watch.shown((item) => isCall(item) && item.toolName === 'exec_command');
    writeFileSync(join(codex.projectDir, 'looked'), '');
    await watch.shown((item) => isCall(item) && item.toolName === 'Agent' && isOver(item));
    const agent = call(watch, 'Agent');
    expect(agent).toMatchObject({ status: 'complete', toolOutput: 'It greets.' });
    const steps = watch.items().filter(({ parentItemId }) => parentItemId === agent?.itemId);
    expect(steps).toMatchObject([
      { type: 'message', content: 'I look.' },
      { toolName: 'exec_command', status: 'complete', toolOutput: expect.stringContaining('Hello'), exitCode: 0 },
      { type: 'message', content: 'It greets.' },
    ]);
    expect(watch.turns).toHaveLength(2);

    await codex.restart();
    const { history } = await codex.provider().loadSession(sessionId, { projectDir: codex.projectDir });
    const reloaded = history.filter(isCall).find(({ toolName }) => toolName === 'Agent');
    expect(reloaded).toMatchObject({
      status: 'complete',
      toolOutput: 'It greets.',
      toolArguments: agent?.toolArguments,
    });
    expect(history.filter(({ parentItemId }) => parentItemId === reloaded?.itemId)).toMatchObject([
      { content: 'I look.' },
      { toolName: 'exec_command', toolOutput: expect.stringContaining('Hello') },
      { content: 'It greets.' },
    ]);
  });

  it('engine/background-stop codex: a sub-agent is stopped with the command that it waits for', async () => {
    const { watch, sessionId } = await codex.open();
    await watch.turn('guard it');
    await watch.shown((item) => isCall(item) && item.toolName === 'exec_command');
    await expect.poll(() => isBeating(codex, 'watching')).toBe(true);
    await codex.provider().stopBackground(sessionId);
    const ended = await watch.shown((item) => isCall(item) && item.toolName === 'Agent' && isOver(item));
    expect(ended).toMatchObject({ status: 'error', errorCode: 'STOPPED', toolOutput: 'I watch.' });
    expect(await isBeating(codex, 'watching')).toBe(false);
  });

  it('engine/own-turn codex: a goal of three turns shows as three turns', async () => {
    const { watch } = await codex.open();
    await watch.turn('/goal make it green');
    await watch.shown((item) => item.type === 'message' && item.content === 'It is green.' && isOver(item));
    await expect
      .poll(() => watch.turns.map(({ type }) => type))
      .toEqual([1, 2, 3].flatMap(() => ['turn_started', 'turn_complete']));
    expect(new Set(watch.turns.map(({ turnId }) => turnId)).size).toBe(3);
    const said = watch.items().flatMap((item) => (item.type === 'message' ? [item.content] : []));
    expect(said).toEqual(['/goal make it green', 'Step 1.', 'Step 2.', 'It is green.']);
  });

  it('engine/own-turn codex: a goal is cancelled like any other turn', async () => {
    const { watch, sessionId } = await codex.open();
    await watch.turn('/goal make it blue');
    await expect.poll(() => watch.turns.at(-1)?.type).toBe('turn_started');
    await expect
      .poll(async () => {
        await codex.provider().cancelTurn(sessionId);
        return watch.turns.at(-1);
      })
      .toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    const turns = watch.turns.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(watch.turns).toHaveLength(turns);
  });
});

it('engine/sleep codex: a session sleeps when its background work has ended, not before', async () => {
  const codex = await startCodex({ rules, sleepAfterMs: 300 });
  try {
    const { watch, sessionId } = await codex.open();
    await watch.turn('count it');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(codex.provider().isAlive(sessionId)).toBe(true);
    writeFileSync(join(codex.projectDir, 'counted'), '');
    await watch.shown((item) => isCall(item) && isOver(item));
    await expect.poll(() => codex.provider().isAlive(sessionId)).toBe(false);
  } finally {
    await codex.close();
  }
});
