import type { SessionUpdate } from '../translate/session-update.ts';
import { updatesOfItem } from './item-updates.ts';
import { reportOldCall, reportOldResult } from './old-call.ts';
import type { ItemOf, RolloutItem } from './rollout-item.ts';
import type { RolloutRow } from './rollout-row.ts';

export type StoredEntry =
  | { readonly kind: 'update'; readonly update: SessionUpdate }
  /** Something was heard of a sub-agent, whose conversation is in a file of its own. */
  | { readonly kind: 'subagent'; readonly threadId: string; readonly title: string };

/** What a rollout tells of a conversation, collected row by row. */
export interface StoredConversation {
  add(row: RolloutRow): void;
  entries(): readonly StoredEntry[];
  /** How its last turn ended. Undefined if it did not. */
  end(): 'done' | 'cancelled' | undefined;
}

export function createStoredConversation(projectDir: string): StoredConversation {
  const entries: StoredEntry[] = [];
  /** Where each of the user's messages stands. */
  const questions: number[] = [];
  let turnId = '';
  let oldCount = 0;
  /** The turn has messages of the old kind, so its calls are stored in the old way too. */
  let isOld = false;
  let end: 'done' | 'cancelled' | undefined;
  /** Messages of the current turn and how they were stored. Some versions store them in both ways. */
  let messages = new Map<string, 'old' | 'new'>();

  function push(updates: readonly SessionUpdate[]): void {
    for (const update of updates) {
      if (update.sessionUpdate === 'user_message_chunk') questions.push(entries.length);
      entries.push({ kind: 'update', update });
    }
  }

  function isStoredTwice(by: string, text: string, how: 'old' | 'new'): boolean {
    const key = `${by}\n${text}`;
    const before = messages.get(key);
    messages.set(key, before ?? how);
    return before !== undefined && before !== how;
  }

  function addItem(item: RolloutItem): void {
    if (item.type === 'SubAgentActivity') {
      const title = titleOf(item);
      if (title !== undefined) entries.push({ kind: 'subagent', threadId: item.agent_thread_id, title });
      return;
    }
    push(
      updatesOfItem(item, projectDir).filter(
        (update) => !('content' in update && isMessage(update)) || !isStoredTwice(byOf(update), update.content, 'new'),
      ),
    );
  }

  function addOldMessage(by: 'user' | 'agent' | 'thought', content: string): void {
    if (by === 'user') isOld = true;
    if (content === '' || isStoredTwice(by, content, 'old')) return;
    oldCount += 1;
    // The id of the turn tells when it began.
    const messageId = by === 'user' ? turnId || `old-${oldCount}` : `${turnId}:${oldCount}`;
    push([{ sessionUpdate: CHUNKS[by], messageId, content }]);
  }

  return {
    add(row) {
      switch (row.row) {
        case 'turn-started':
          turnId = row.turnId;
          isOld = false;
          end = undefined;
          messages = new Map();
          return;
        case 'turn-ended':
          end = row.isCancelled ? 'cancelled' : 'done';
          return;
        case 'item':
          addItem(row.item);
          return;
        case 'rolled-back': {
          const [first] = questions.splice(Math.max(0, questions.length - row.turns));
          if (first !== undefined) entries.splice(first);
          return;
        }
        case 'old-message':
          addOldMessage(row.by, row.text);
          return;
        case 'old-call':
          if (isOld) push([{ sessionUpdate: 'tool_call', ...reportOldCall(row.callId, row.name, row.input) }]);
          return;
        case 'old-result':
          if (isOld) push([{ sessionUpdate: 'tool_call_update', ...reportOldResult(row.callId, row.output) }]);
          return;
        case 'oversized':
          push([{ sessionUpdate: 'agent_message_chunk', messageId: undefined, content: oversizedText(row.bytes) }]);
          return;
        default:
          row satisfies never;
      }
    },
    entries: () => entries,
    end: () => end,
  };
}

function oversizedText(bytes: number): string {
  return `A part of ${Math.ceil(bytes / 1024 / 1024)} MB stands here in the transcript. It is too large to be shown.`;
}

const CHUNKS = {
  user: 'user_message_chunk',
  agent: 'agent_message_chunk',
  thought: 'agent_thought_chunk',
} as const;

type MessageUpdate = Extract<SessionUpdate, { sessionUpdate: (typeof CHUNKS)[keyof typeof CHUNKS] }>;

function isMessage(update: SessionUpdate): update is MessageUpdate {
  return byOf(update) !== '';
}

function byOf({ sessionUpdate }: SessionUpdate): string {
  return Object.entries(CHUNKS).find(([, name]) => name === sessionUpdate)?.[0] ?? '';
}

/** The last part of its path, as words. The path of the conversation itself is not that of a sub-agent. */
function titleOf({ agent_path }: ItemOf<'SubAgentActivity'>): string | undefined {
  const parts = agent_path.split('/').filter((part) => part.trim() !== '');
  if (parts.length === 1 && parts[0] === 'root') return undefined;
  const words = (parts.at(-1) ?? '').replaceAll(/[_\s-]+/g, ' ').trim();
  return words === '' ? 'Agent' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
