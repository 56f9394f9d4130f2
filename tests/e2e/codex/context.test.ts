import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { say, shell, think } from '../../../scripted-model/index.ts';
import { readModelMessages } from '../../../server/providers/acp/rollout/codex-context.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { watchSession } from '../../support/agents/acp-rig.ts';
import { type CodexRig, startCodex } from './codex-rig.ts';
import { startAppServer } from './outside-programs.ts';

let rig: CodexRig;

beforeAll(async () => {
  rig = await startCodex({
    rules: [
      { when: 'work', scenario: [[think('Hm.'), say('Working.'), shell('echo out')], [say('Worked.')]] },
      { when: 'hello', scenario: [[say('Hello.')]] },
    ],
  });
});

afterAll(() => rig.close());

const nativeIdOf = (sessionId: string) => fromCanonical(sessionId).nativeId;

function rolloutsOf(sessionId: string): string[] {
  const sessions = join(rig.codexHome, 'sessions');
  return readdirSync(sessions, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes(nativeIdOf(sessionId)))
    .map((name) => join(sessions, name))
    .sort();
}

async function sessionWith(...prompts: string[]): Promise<string> {
  const { sessionId, watch } = await rig.open();
  for (const prompt of prompts) await watch.turn(prompt);
  return sessionId;
}

/** What Codex adds in the name of the user, and the summary of a compaction, which is a message. */
const ADDED = /^<environment_context>/;

/** The texts of the messages in the last request, without the prompt. */
function requested(): string[] {
  const body = rig.model.requests.findLast(({ conversation }) => !conversation.isSideQuestion)?.body;
  const items = (body?.input ?? []) as { type: string; role?: string; content?: { text?: string }[] }[];
  const texts = items
    .filter(({ type, role }) => type === 'message' && (role === 'user' || role === 'assistant'))
    .map(({ content = [] }) => content.map(({ text = '' }) => text).join('\n'))
    .filter((text) => !ADDED.test(text));
  return texts.slice(0, -1);
}

/** Opens the conversation from its files and compares what the model gets with what we say. */
async function compare(sessionId: string) {
  const provider = rig.provider();
  const { projectDir } = rig;
  await provider.loadSession(sessionId, { projectDir });
  const known = await provider.readContext(sessionId, projectDir);
  const messages = await readModelMessages(rig.env, nativeIdOf(sessionId));
  await watchSession(provider, sessionId).turn('next');
  expect(messages?.map(({ text }) => text)).toEqual(requested());
  expect(known?.context.messages).toBe(requested().length);
  return known?.context;
}

describe('the context of the real Codex', { timeout: 60_000 }, () => {
  it('follow/context is that of its next request, also after compactions, rollbacks and damage', async () => {
    const plain = await sessionWith('hello one', 'work', 'hello two');
    const compacted = await sessionWith('hello', 'work', '/compact', 'hello after');
    const rolledBack = await sessionWith('hello one', 'hello two', '/compact', 'hello three');
    const torn = await sessionWith('hello one', 'hello two');
    const damaged = await sessionWith('hello one', 'hello two');
    await rig.provider().close();

    const edit = (sessionId: string, change: (rows: string[]) => string) => {
      const [path = ''] = rolloutsOf(sessionId);
      writeFileSync(path, change(readFileSync(path, 'utf8').trimEnd().split('\n')));
    };
    const [path = ''] = rolloutsOf(rolledBack);
    const { ordinal } = JSON.parse(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? '') as {
      ordinal: number;
    };
    const payload = { type: 'thread_rolled_back', num_turns: 2 };
    const row = { timestamp: new Date().toISOString(), ordinal: ordinal + 1, type: 'event_msg', payload };
    appendFileSync(path, `${JSON.stringify(row)}\n`);
    edit(torn, (rows) => rows.join('\n').slice(0, -60));
    edit(damaged, (rows) => `${[...rows.slice(0, 12), 'garbage {{{', ...rows.slice(12), '{"type":"x"'].join('\n')}\n`);

    await rig.restart();
    expect(await compare(plain)).toMatchObject({ state: 'resumed', messages: 7 });
    expect(await compare(compacted)).toMatchObject({ state: 'compacted' });
    expect(await compare(rolledBack)).toMatchObject({ state: 'compacted', messages: 1 });
    expect(await compare(torn)).toMatchObject({ state: 'resumed', messages: 4 });
    expect(await compare(damaged)).toMatchObject({ state: 'resumed', messages: 4 });
  });

  it('follow/context a fork and a conversation that was taken back continue in another file', async () => {
    const sessionId = await sessionWith('hello one', 'hello two', 'hello three');
    await rig.provider().close();
    const threadId = nativeIdOf(sessionId);
    const turnIds = [
      ...readFileSync(rolloutsOf(sessionId)[0] ?? '', 'utf8').matchAll(/"task_started".*?"turn_id":"([^"]+)"/g),
    ];
    const terminal = await startAppServer(rig);
    await terminal.request('thread/resume', { threadId });
    const forked = (await terminal.request('thread/fork', { threadId })) as { thread: { id: string } };
    await terminal.request('thread/revert', { threadId, beforeTurnId: turnIds[1]?.[1] });
    await terminal.end();
    await rig.restart();

    expect(rolloutsOf(sessionId)).toHaveLength(2);
    expect(await compare(sessionId)).toMatchObject({ state: 'resumed', messages: 2 });
    expect(await compare(`codex:${forked.thread.id}`)).toMatchObject({ state: 'forked', messages: 6, from: sessionId });
    const { history } = (await rig.provider().readHistory(sessionId, { projectDir: rig.projectDir })) ?? {};
    const shown = history?.flatMap((item) => (item.type === 'message' && item.origin === 'user' ? [item.content] : []));
    expect(shown).toEqual(['hello one', 'next']);
  });

  it('follow/context is not known where Codex refuses to open the conversation; a fork can be continued', async () => {
    const headless = await sessionWith('hello');
    const oldEnd = await sessionWith('hello');
    await rig.restart();
    const [first = ''] = rolloutsOf(headless);
    writeFileSync(first, readFileSync(first, 'utf8').split('\n').slice(1).join('\n'));
    const row = {
      timestamp: new Date().toISOString(),
      type: 'event_msg',
      payload: { type: 'user_message', message: 'old' },
    };
    appendFileSync(rolloutsOf(oldEnd)[0] ?? '', `${JSON.stringify(row)}\n`);
    const { projectDir } = rig;
    for (const sessionId of [headless, oldEnd]) {
      await rig.provider().loadSession(sessionId, { projectDir });
      const known = await rig.provider().readContext(sessionId, projectDir);
      expect(known?.context).toMatchObject({ state: 'unknown', reason: expect.any(String) });
      await expect(rig.provider().sendMessage(sessionId, 'next')).rejects.toMatchObject({
        code: 'AGENT_PROTOCOL_ERROR',
      });
    }
    const fork = await rig.provider().fork(oldEnd, { projectDir });
    await rig.provider().loadSession(fork, { projectDir });
    expect((await watchSession(rig.provider(), fork).turn('context')).text).toMatch(/^I know 2 user messages/);
  });
});
