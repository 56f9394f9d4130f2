import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { say } from '../../../scripted-model/index.ts';
import { type ModelMessage, readModelContext } from '../../../server/providers/claude/transcript/model-messages.ts';
import type { TranscriptEntry } from '../../../server/providers/claude/transcript/transcript-entry.ts';
import { readEntries } from '../../../server/providers/claude/transcript/transcript-lines.ts';
import { growTree } from '../../../server/providers/claude/transcript/transcript-tree.ts';
import { doAtOnce } from '../../../server/time-slice.ts';
import { fromCanonical, toCanonical } from '../../../shared/ids.ts';
import { followSession } from '../../support/agents/follow-session.ts';
import { changeTranscript } from './changed-transcripts.ts';
import { createRig, type Rig } from './rig.ts';

const ROUNDS = Number(process.env.LIMINAL_CONTEXTS ?? 8);
const FIRST_SEED = Number(process.env.LIMINAL_CONTEXTS_SEED ?? 1);
/** Where transcripts of cases that failed are put, for a closer look. */
const KEEP = process.env.LIMINAL_CONTEXTS_KEEP;
const PROMPT = 'What comes next?';

let rig: Rig;
let folder: string;

beforeAll(async () => {
  rig = await createRig([{ when: /./, scenario: [[say('Hello from the model.')]] }]);
  folder = join(rig.env.CLAUDE_CONFIG_DIR ?? '', 'projects', rig.projectDir.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
});

afterAll(async () => {
  expect(await rig.close()).toEqual({ failures: [], left: [] });
});

const fileOf = (sessionId: string) => join(folder, `${fromCanonical(sessionId).nativeId}.jsonl`);

/** The messages of the next request before that with the prompt, without those that only have reminders. */
async function ask(sessionId: string): Promise<Message[] | undefined> {
  const before = rig.model.requests.length;
  const session = followSession(rig.provider, sessionId);
  await rig.provider.loadSession(sessionId, { projectDir: rig.projectDir });
  // Claude Code says so of a transcript that it does not open.
  await session.turn(PROMPT).catch((error) => expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' }));
  const request = rig.model.requests.slice(before).find(({ body }) => JSON.stringify(body.messages).includes(PROMPT));
  await rig.provider.killSession(sessionId);
  const messages = (request?.body.messages as Message[] | undefined)?.filter(({ role }) => role !== 'system');
  return messages?.slice(0, -1).filter((message) => message.role !== 'user' || partsOf(message).length > 0);
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { type: string; text?: string; id?: string; tool_use_id?: string }[];
}

const isReminder = (text: string) =>
  text.startsWith('<system-reminder>') && !text.includes('The user named this session');

const sent = (message: Message) => `${message.role}: ${partsOf(message).sort().join(' | ')}`;

function partsOf({ content }: Message): string[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.flatMap(({ type, ...block }) => {
    if (type === 'text') return isReminder(block.text ?? '') ? [] : [(block.text ?? '').trim()];
    return [`${type} ${'id' in block ? block.id : 'tool_use_id' in block ? block.tool_use_id : ''}`];
  });
}

function expected({ role, parts }: ModelMessage): string {
  const texts = parts.flatMap(({ kind, id, text }) => {
    if (kind === 'call') return [`tool_use ${id}`];
    return kind === 'result' ? [`tool_result ${id}`] : [text.trim()];
  });
  return `${role}: ${texts.sort().join(' | ')}`;
}

async function predict(sessionId: string): Promise<string[]> {
  const entries: TranscriptEntry[] = [];
  await readEntries(fileOf(sessionId), (entry) => entries.push(entry));
  return doAtOnce(readModelContext(doAtOnce(growTree(entries)), { resumes: true })).messages.map(expected);
}

describe('follow/context what the transcript says the model is given is what Claude Code sends', () => {
  test.each(Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round))(
    'seed %i',
    { timeout: 60_000 },
    async (seed) => {
      const sessionId = toCanonical('claude-code', randomUUID());
      const { text, description } = changeTranscript(seed, fromCanonical(sessionId).nativeId);
      writeFileSync(fileOf(sessionId), text);
      const predicted = await predict(sessionId);
      const { context } = (await rig.provider.readContext(sessionId, rig.projectDir)) ?? {};
      const got = await ask(sessionId);
      const right = { context: { ...context, messages: got?.length }, messages: got?.map(sent) };
      // Claude Code does not open it, so that nothing is sent and only that can be said.
      const isRefused = got === undefined && context?.state === 'unknown';
      const said = isRefused ? right : { context, messages: predicted };
      if (KEEP !== undefined && !isDeepStrictEqual(said, right)) {
        const path = join(KEEP, String(seed));
        writeFileSync(`${path}.jsonl`, text);
        writeFileSync(`${path}.json`, JSON.stringify({ description, said, right }, null, 1));
      }
      expect(said, description).toEqual(right);
    },
  );
});

test('follow/fork a copy of the other branch goes on with what that branch had, and the conversation stays as it is', async () => {
  const sessionId = toCanonical('claude-code', randomUUID());
  const { nativeId } = fromCanonical(sessionId);
  const recording = join(import.meta.dirname, '../../fixtures/traces/continuity/claude-two-writers-p.jsonl');
  writeFileSync(
    fileOf(sessionId),
    readFileSync(recording, 'utf8').replaceAll(/"sessionId":"[^"]*"/g, `"sessionId":"${nativeId}"`),
  );
  const before = readFileSync(fileOf(sessionId), 'utf8');
  const known = await rig.provider.readContext(sessionId, rig.projectDir);
  const branch = known?.branches[0]?.id;

  const copy = await rig.provider.fork(sessionId, { projectDir: rig.projectDir, branch });

  expect(readFileSync(fileOf(sessionId), 'utf8')).toBe(before);
  expect(await rig.provider.readContext(copy, rig.projectDir)).toEqual({
    context: { state: 'forked', messages: 6, from: sessionId, at: expect.any(String) },
    branches: [],
  });
  const { history } = await rig.provider.loadSession(copy, { projectDir: rig.projectDir });
  expect(history.map((item) => (item.type === 'message' ? item.content : ''))).toEqual([
    'echo:X',
    'ANSWER(X)',
    'echo:Y',
    'ANSWER(Y)',
    'echo:V',
    'ANSWER(V)',
  ]);
  expect((await ask(copy))?.map(sent)).toEqual([
    'user: echo:X',
    'assistant: ANSWER(X)',
    'user: echo:Y',
    'assistant: ANSWER(Y)',
    'user: echo:V',
    'assistant: ANSWER(V)',
  ]);
});

test('follow/fork a copy up to an entry has nothing that came later', async () => {
  const session = await rig.create();
  await session.turn('one');
  await session.turn('two');
  const [, answer] = session.items();
  const copy = await rig.provider.fork(session.sessionId, { projectDir: rig.projectDir, itemId: answer?.itemId });
  expect((await ask(copy))?.map(sent)).toEqual(['user: one', 'assistant: Hello from the model.']);
  await rig.provider.killSession(session.sessionId);
  await expect(
    rig.provider.fork(session.sessionId, { projectDir: rig.projectDir, itemId: 'gone:1:0' }),
  ).rejects.toMatchObject({
    code: 'SESSION_CREATE_FAILED',
    message: expect.stringContaining('Open the session again'),
  });
  expect(readdirSync(folder).filter((name) => !name.endsWith('.jsonl') && !name.includes('-'))).toEqual([]);
});

test('follow/context after /clear the next message goes on with the conversation that is shown', async () => {
  const session = await rig.create();
  await session.turn('one');
  await session.turn('/clear');
  const { context } = (await rig.provider.readContext(session.sessionId, rig.projectDir)) ?? {};
  const got = await ask(session.sessionId);
  expect(got?.map(sent)).toEqual(['user: one', 'assistant: Hello from the model.']);
  expect(context).toEqual({ state: 'resumed', messages: 2 });
});
