import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodexAgent } from '../../../../../server/providers/acp/agents/codex-agent.ts';
import type { UpsertObject } from '../../../../../shared/stream-contracts.ts';
import { scratchDirectory } from '../../../../support/scratch-directory.ts';

const fixtures = join(import.meta.dirname, '../../../../fixtures/rollouts');

export const NATIVE_ID = '01a1e544-760f-79e0-b50c-aa826db088b0';

export function recorded(name: string): string {
  return readFileSync(join(fixtures, `${name}.jsonl`), 'utf8');
}

export function idOf(rollout: string): string {
  return /"id":"([\w-]+)"/.exec(rollout)?.[1] ?? NATIVE_ID;
}

/** A row that shows an item. */
export function itemRow(item: object): string {
  const payload = { type: 'item_completed', thread_id: NATIVE_ID, turn_id: 't', item };
  return JSON.stringify({ timestamp: '2026-11-16T16:50:31.654Z', type: 'event_msg', payload });
}

export function eventRow(payload: object): string {
  return JSON.stringify({ timestamp: '2026-11-16T16:50:31.654Z', type: 'event_msg', payload });
}

export const question = (text: string, id = `question ${text}`) =>
  itemRow({ type: 'UserMessage', id, content: [{ type: 'text', text, text_elements: [] }] });
export const reply = (text: string) =>
  itemRow({ type: 'AgentMessage', id: `m ${text}`, content: [{ type: 'Text', text }] });

/** The files of Codex in a directory of their own. */
export function createCodexFiles() {
  const home = scratchDirectory();
  const agent = createCodexAgent({ env: { CODEX_HOME: home } });
  return {
    home,
    write(rollout: string, nativeId = idOf(rollout), folder = 'sessions/2026/11/16'): string {
      mkdirSync(join(home, folder), { recursive: true });
      const path = join(home, folder, `rollout-2026-11-16T16-50-31-${nativeId}.jsonl`);
      writeFileSync(path, rollout);
      return path;
    },
    async read(nativeId = NATIVE_ID, storedId = nativeId): Promise<readonly UpsertObject[] | undefined> {
      const sessionId = `codex:${nativeId}`;
      const now = '2026-11-17T00:00:00.000Z';
      return agent.readHistory?.({ sessionId, nativeId, storedId, projectDir: '/home/dev/project', now });
    },
    async newest(nativeId = NATIVE_ID, storedId = nativeId) {
      const sessionId = `codex:${nativeId}`;
      const now = '2026-11-17T00:00:00.000Z';
      return agent.readNewest?.({ sessionId, nativeId, storedId, projectDir: '/home/dev/project', now });
    },
  };
}

export function texts(history: readonly UpsertObject[] | undefined): (string | undefined)[] | undefined {
  return history?.map((item) => (item.type === 'tool_call' ? item.toolName : item.content));
}
