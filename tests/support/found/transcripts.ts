import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a written conversation differs in. */
export interface Written {
  readonly cwd: string;
  readonly id?: string;
  readonly prompt?: string;
  /** When it began. Its last message comes a second later. */
  readonly at?: string;
  /** Made by `claude -p` or `codex exec`. */
  readonly isRun?: boolean;
  /** Rows before the last message make the file this long, about. */
  readonly bytes?: number;
  /** Rows at the end. */
  readonly last?: readonly object[];
}

export const AT = '2026-11-01T10:00:00.000Z';

export function recording(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../fixtures/continuity/${name}.jsonl`, import.meta.url)), 'utf8');
}

/** Writes a transcript as Claude Code does. Returns its path. */
export function writeTranscript(claudeHome: string, written: Written): string {
  const { cwd, id = randomUUID() } = written;
  const folder = join(claudeHome, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, transcriptOf({ ...written, id }));
  return path;
}

export function transcriptOf({
  cwd,
  id = randomUUID(),
  prompt = 'hello',
  at = AT,
  isRun,
  bytes = 0,
  last = [],
}: Written): string {
  const facts = {
    userType: 'external',
    entrypoint: isRun ? 'sdk-cli' : 'cli',
    cwd,
    sessionId: id,
    version: '2.1.325',
    gitBranch: 'main',
  };
  const [asked, answered] = [randomUUID(), randomUUID()];
  const snapshot = (length: number) => ({
    parentUuid: asked,
    isSidechain: false,
    attachment: { type: 'prompt_snapshot', content: 'The vendor writes a lot. '.repeat(Math.ceil(length / 25)) },
    type: 'attachment',
    uuid: randomUUID(),
    timestamp: at,
    ...facts,
  });
  const message = { role: 'assistant', content: [{ type: 'text', text: `ANSWER(${prompt.slice(0, 100)})` }] };
  return toLines([
    { type: 'mode', mode: 'normal', sessionId: id },
    { type: 'permission-mode', permissionMode: 'auto', sessionId: id },
    {
      parentUuid: null,
      isSidechain: false,
      type: 'user',
      message: { role: 'user', content: prompt },
      uuid: asked,
      timestamp: at,
      ...facts,
    },
    snapshot(200),
    ...(bytes > 0 ? [snapshot(bytes)] : []),
    {
      parentUuid: asked,
      isSidechain: false,
      message,
      type: 'assistant',
      uuid: answered,
      timestamp: secondAfter(at),
      ...facts,
    },
    { type: 'last-prompt', lastPrompt: prompt.slice(0, 100), leafUuid: answered, sessionId: id },
    ...last,
  ]);
}

/** Writes a rollout as Codex does. Returns its path. */
export function writeRollout(codexHome: string, written: Written): string {
  const { id = randomUUID(), at = AT } = written;
  const folder = join(codexHome, 'sessions', at.slice(0, 4), at.slice(5, 7), at.slice(8, 10));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `rollout-${at.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`);
  writeFileSync(path, rolloutOf({ ...written, id, at }));
  return path;
}

export function rolloutOf({
  cwd,
  id = randomUUID(),
  prompt = 'hello',
  at = AT,
  isRun,
  bytes = 0,
  last = [],
}: Written): string {
  const turn_id = randomUUID();
  const row = (timestamp: string, type: string, payload: object) => ({ timestamp, type, payload });
  const item = (timestamp: string, one: object) =>
    row(timestamp, 'event_msg', { type: 'item_completed', thread_id: id, turn_id, item: one });
  const later = secondAfter(at);
  return toLines([
    row(at, 'session_meta', {
      id,
      timestamp: at,
      cwd,
      originator: isRun ? 'codex_exec' : 'codex-tui',
      cli_version: '0.166.0',
      source: isRun ? 'exec' : 'vscode',
      base_instructions: { text: 'The vendor writes a lot. '.repeat(Math.ceil(bytes / 50)) },
    }),
    row(at, 'event_msg', { type: 'task_started', turn_id }),
    row(at, 'response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>` }],
    }),
    row(at, 'response_item', {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'More words. '.repeat(Math.ceil(bytes / 24)) }],
    }),
    item(at, { type: 'UserMessage', id: randomUUID(), content: [{ type: 'text', text: prompt }] }),
    item(later, { type: 'AgentMessage', id: randomUUID(), content: [{ type: 'Text', text: 'ANSWER' }] }),
    row(later, 'event_msg', { type: 'task_complete', turn_id }),
    ...last,
  ]);
}

export function secondAfter(at: string): string {
  return new Date(Date.parse(at) + 1_000).toISOString();
}

function toLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
