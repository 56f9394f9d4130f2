import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromCanonical } from '../../shared/ids.ts';
import type { Scratch } from './rig.ts';

const TEXT = 'A paragraph of the usual length, so that a conversation weighs what conversations weigh. '.repeat(4);
const START = Date.UTC(2026, 0, 1);
const at = (index: number) => new Date(START + index * 1000).toISOString();
const textOf = (index: number) => `${index % 2 === 0 ? 'Question' : 'Answer'} ${index}. ${TEXT}`;

/** Writes a conversation of a configured agent in the server's own format. */
export function writeEnvelopeConversation(scratch: Scratch, sessionId: string, entries: number): void {
  const { cliType, nativeId } = fromCanonical(sessionId);
  const lines = Array.from({ length: entries }, (_, order) => {
    const turnId = `turn-${Math.floor(order / 2)}`;
    const isUser = order % 2 === 0;
    return {
      order,
      item: {
        type: 'message',
        turnId,
        sessionId,
        itemId: isUser ? `${turnId}:user` : `${turnId}:agent:answer`,
        sourceTimestamp: at(order),
        emittedAt: at(order),
        status: 'complete',
        content: textOf(order),
        origin: isUser ? 'user' : 'agent',
      },
    };
  });
  writeLines(join(scratch.dataDir, 'envelope', cliType), nativeId, lines);
}

/** Writes a conversation in Claude Code's format. */
export function writeClaudeConversation(scratch: Scratch, sessionId: string, entries: number): void {
  const { nativeId } = fromCanonical(sessionId);
  let parentUuid: string | null = null;
  const lines = Array.from({ length: entries }, (_, index) => {
    const uuid = randomUUID();
    const common = { parentUuid, isSidechain: false, cwd: scratch.projectDir, sessionId: nativeId, version: '2.1.0' };
    parentUuid = uuid;
    const entry = { ...common, uuid, timestamp: at(index) };
    if (index % 2 === 0) return { ...entry, type: 'user', message: { role: 'user', content: textOf(index) } };
    const message = {
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [{ type: 'text', text: textOf(index) }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    return { ...entry, type: 'assistant', message };
  });
  const folder = scratch.projectDir.replace(/[^a-zA-Z0-9]/g, '-');
  writeLines(join(scratch.home, '.claude', 'projects', folder), nativeId, lines);
}

function writeLines(directory: string, name: string, lines: readonly object[]): void {
  mkdirSync(directory, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(directory, `${name}.jsonl`), text);
}
