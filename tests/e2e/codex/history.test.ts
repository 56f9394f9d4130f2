import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callTool,
  cut,
  delegate,
  editFile,
  fail,
  gate,
  type Rule,
  say,
  shell,
  think,
  writeFile,
} from '../../../scripted-model/index.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { SessionWatch } from '../../support/agents/acp-rig.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';

const PATCH = `*** Begin Patch
*** Update File: greeting.txt
*** Move to: moved.txt
@@
-Goodbye
+Bye
*** Delete File: notes/new.txt
*** Add File: fresh.txt
+a
*** End Patch`;
const until = (file: string) => `until [ -f ${file} ]; do sleep 0.05; done`;
const inBackground = (cmd: string) => callTool('exec_command', { cmd, yield_time_ms: 500 });

const rules: readonly Rule[] = [
  { when: 'think', scenario: [[think('**Plan**\n\nfirst look'), say('Thought about it.')]] },
  {
    when: 'tools',
    scenario: [[say('Both.'), shell('echo one'), shell('echo "it\'s" >&2; exit 3')], [say('Both ran.')]],
  },
  {
    when: 'read',
    scenario: [
      [
        shell('cat greeting.txt'),
        shell('rg Hello .'),
        shell('ls -la notes'),
        shell('cat greeting.txt && ls && echo $x'),
      ],
      [say('Read it.')],
    ],
  },
  {
    when: 'edit',
    scenario: [
      [editFile('greeting.txt', 'Hello\n', 'Goodbye\n'), writeFile('notes/new.txt', 'first\nsecond\n')],
      [callTool('apply_patch', PATCH)],
      [callTool('apply_patch', '*** Begin Patch\n*** Delete File: none.txt\n*** End Patch')],
      [say('Edited.')],
    ],
  },
  { when: 'picture', scenario: [[callTool('view_image', { path: 'dot.png' })], [say('Seen.')]] },
  { when: 'refuse', scenario: [[fail(400, 'scripted refusal')]] },
  { when: 'cut', scenario: [[say('Half '), cut({ times: 1 }), say('and whole.')]] },
  { when: 'broken', scenario: [[say('Half '), cut()]] },
  { when: 'long', scenario: [[say('one two three '), gate('never'), say('four')]] },
  { when: 'wait', scenario: [[say('Before.'), shell('echo started; sleep 600')], [say('never')]] },
  { when: 'count', scenario: [[inBackground(`echo one; ${until('counted')}; exit 3`)], [say('It counts.')]] },
  { when: 'again', scenario: [[say('Once more.')]] },
  { when: 'inspect', scenario: [[say('I look.'), shell('echo looked')], [say('It greets.')]] },
  { when: 'inner', scenario: [[delegate('inspect the file', 'Inspect the file')], [say('Delegated.')]] },
  {
    when: 'outer',
    scenario: [
      [delegate('inner task', 'Outer task')],
      [callTool('collaboration.wait_agent', { timeout_ms: 10_000 })],
      [say('Waited.')],
    ],
  },
];

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const cancelled = async (codex: CodexRig, watch: SessionWatch, sessionId: string, text: string, shown: string) => {
  const { turnId } = await codex.provider().sendMessage(sessionId, text);
  await watch.shown((item) => JSON.stringify(item).includes(shown));
  await codex.provider().cancelTurn(sessionId);
  await watch.ended(turnId);
};

const conversations: Record<string, (codex: CodexRig, watch: SessionWatch, sessionId: string) => Promise<unknown>> = {
  async 'text and thoughts'(_codex, watch) {
    await watch.turn('think about it');
    await watch.turn('and again');
  },
  'commands that work and fail': (_codex, watch) => watch.turn('run the tools'),
  'commands that read': (_codex, watch) => watch.turn('read it'),
  'patches and an image': async (codex, watch) => {
    writeFileSync(join(codex.projectDir, 'dot.png'), Buffer.from(DOT, 'base64'));
    await watch.turn('edit the files');
    await watch.turn('look at the picture');
  },
  async 'turns that failed'(_codex, watch) {
    for (const text of ['refuse this', 'cut it', 'broken', 'and again']) await watch.turn(text);
  },
  async 'turns that were cancelled'(codex, watch, sessionId) {
    await cancelled(codex, watch, sessionId, 'a long one', 'three');
    await watch.turn('and again');
    await cancelled(codex, watch, sessionId, 'wait for it', 'sleep 600');
    await watch.turn('and again');
  },
  async 'a command that outlived its turn'(codex, watch) {
    await watch.turn('count it');
    await watch.turn('and again');
    writeFileSync(join(codex.projectDir, 'counted'), '');
    await watch.shown((item) => item.type === 'tool_call' && item.exitCode === 3);
  },
  async 'sub-agents of sub-agents'(_codex, watch) {
    await watch.turn('the outer task');
    await watch.shown((item) => item.type === 'message' && item.content === 'It greets.');
    await watch.turn('and again');
  },
  async 'a compaction'(_codex, watch) {
    await watch.turn('and again');
    await watch.turn('/compact');
    await watch.turn('and again');
  },
};

describe('the history of the real Codex', () => {
  let codex: CodexRig;
  const sessions = new Map<string, string>();
  let replays: readonly (readonly UpsertObject[])[];

  beforeAll(async () => {
    codex = await startCodex({ rules, streamRetries: 1 });
    for (const [name, talk] of Object.entries(conversations)) {
      const { sessionId, watch } = await codex.open();
      sessions.set(name, sessionId);
      await talk(codex, watch, sessionId);
    }
    replays = await codex.replays([...sessions.values()]);
  }, 90_000);

  afterAll(() => codex?.close());

  it.each(Object.keys(conversations))('safe/no-process is read from its files as it replays it: %s', async (name) => {
    const { projectDir } = codex;
    const sessionId = sessions.get(name) ?? '';
    const started = codex.pids.length;
    const { history } = await codex.provider().loadSession(sessionId, { projectDir });
    expect(history.length).toBeGreaterThan(1);
    const replayed = replays[[...sessions.keys()].indexOf(name)] ?? [];
    expect(history.map(withoutLoad)).toEqual(replayed.map(withoutLoad));
    const again = await codex.provider().loadSession(sessionId, { projectDir });
    expect(again.history.map(({ itemId }) => itemId)).toEqual(history.map(({ itemId }) => itemId));
    expect(codex.pids).toHaveLength(started);
  });

  it('safe/no-process continues with the context that was shown', async () => {
    const sessionId = sessions.get('text and thoughts') ?? '';
    await codex.provider().loadSession(sessionId, { projectDir: codex.projectDir });
    const started = codex.pids.length;
    codex.provider().warmUp(sessionId);
    await codex.provider().sendMessage(sessionId, 'context');
    expect(codex.pids).toHaveLength(started + 1);
    await expect
      .poll(() => codex.model.requests.at(-1)?.conversation.userMessages)
      .toEqual(expect.arrayContaining(['think about it', 'and again', 'context']));
    expect(existsSync(codex.codexHome)).toBe(true);
  });
});

/** Without the time of the load. */
function withoutLoad({ emittedAt: _emittedAt, ...item }: UpsertObject): object {
  return item;
}
