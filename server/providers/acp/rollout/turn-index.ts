import { timeOfId } from '../translate/replay.ts';
import { updatesOfItem } from './item-updates.ts';
import type { Segment } from './lineage.ts';
import { type RolloutRow, readRow } from './rollout-row.ts';
import type { MayMatter, ScannedLine } from './scan-lines.ts';

/** Where a turn begins: with a message of the user. */
export interface TurnStart {
  readonly path: string;
  readonly offset: number;
  /** Where Codex began to work on it: before its message. */
  readonly began: number;
  /** Codex's own id of the turn. */
  readonly turnId: string;
  /** When it began, or the last one before it of which that is known. */
  readonly time: string | undefined;
}

/** Finds the turns of a conversation without reading what is in them. Gives the same turns as the whole history. */
export interface TurnIndex {
  add(line: ScannedLine, segment: Segment): void;
  readonly mayMatter: MayMatter;
  /** Undefined if they cannot be told without reading everything. */
  turns(): readonly TurnStart[] | undefined;
  /** There is something before the first message, which counts as a turn. */
  hasPrologue(): boolean;
  /** The sub-agents that were heard of before a turn, by its place among the turns. */
  subagentsBefore(turn: number): readonly string[];
}

/** Most rows say at their beginning that they are about something else. */
const MATTERS =
  /"type":"(?:task_started|thread_rolled_back|user_message)"|"item":\{"type":"(?:UserMessage|SubAgentActivity)"/;
const IS_EVENT = /"type":"event_msg","payload":\{"type":"/;

export function createTurnIndex(): TurnIndex {
  const starts: TurnStart[] = [];
  const subagents: { readonly id: string; readonly turn: number }[] = [];
  const messageIds = new Set<string>();
  let turnId = '';
  let begun: { readonly path: string; readonly offset: number } | undefined;
  let time: string | undefined;
  /** Messages of the current turn and how they were stored: some versions store them in both ways. */
  let stored = new Map<string, 'old' | 'new'>();
  let hasPrologue = false;
  let wasRolledBack = false;
  let isClear = true;

  function begin(
    text: string,
    messageId: string,
    how: 'old' | 'new',
    { path }: Segment,
    { offset }: ScannedLine,
  ): void {
    const before = stored.get(text);
    stored.set(text, before ?? how);
    if (text === '' || (before !== undefined && before !== how)) return;
    isClear &&= !messageIds.has(messageId);
    messageIds.add(messageId);
    time = timeOfId(messageId) ?? time;
    const isFirst = starts.at(-1)?.turnId !== turnId;
    starts.push({ path, offset, began: isFirst && begun?.path === path ? begun.offset : offset, turnId, time });
  }

  function addRow(row: RolloutRow, line: ScannedLine, segment: Segment): void {
    switch (row.row) {
      case 'turn-started':
        turnId = row.turnId;
        begun = { path: segment.path, offset: line.offset };
        stored = new Map();
        return;
      case 'rolled-back': {
        starts.splice(Math.max(0, starts.length - row.turns));
        while ((subagents.at(-1)?.turn ?? -1) > starts.length) subagents.pop();
        wasRolledBack = true;
        return;
      }
      case 'old-message':
        if (row.by === 'user') begin(row.text, turnId || `${segment.path}:${line.offset}`, 'old', segment, line);
        else addProlog(row.text !== '');
        return;
      case 'item': {
        const { item } = row;
        const [update] = updatesOfItem(item, '');
        if (item.type === 'UserMessage') {
          const text = update !== undefined && 'content' in update ? String(update.content) : '';
          begin(text, item.id, 'new', segment, line);
        } else if (item.type === 'SubAgentActivity') subagents.push({ id: item.agent_thread_id, turn: starts.length });
        else addProlog(update !== undefined);
        return;
      }
      case 'oversized':
      case 'old-call':
      case 'old-result':
        addProlog(true);
        return;
      case 'turn-ended':
        return;
      default:
        row satisfies never;
    }
  }

  function addProlog(isShown: boolean): void {
    if (starts.length > 0 || !isShown) return;
    hasPrologue = true;
    isClear &&= !wasRolledBack;
  }

  return {
    add(line, segment) {
      const { head } = line;
      const isRelevant = starts.length === 0 || !IS_EVENT.test(head) ? starts.length === 0 : MATTERS.test(head);
      if (!isRelevant) return;
      const row = readRow(line);
      if (row !== undefined) addRow(row, line, segment);
    },
    mayMatter: (bytes, start) => starts.length === 0 || !isAboutOther(bytes, start),
    turns: () => (isClear ? starts : undefined),
    hasPrologue: () => hasPrologue,
    subagentsBefore: (turn) => subagents.filter((each) => each.turn <= turn).map(({ id }) => id),
  };
}

const TYPE_AT = '{"timestamp":"2026-11-16T02:30:20.171Z","'.length;
const ORDINAL = 'ordinal":'.length;
const TYPE = '"type":"'.length;
const EVENT_KIND = 'event_msg","payload":{"type":"'.length;
const ID = '01a1e230-e275-75f1-ba37-29084fc12318';
const ITEM_KIND = `item_completed","thread_id":"${ID}","turn_id":"${ID}","item":{"type":"`.length;
const LETTERS = { a: 97, e: 101, i: 105, o: 111, t: 116, S: 83, U: 85, quote: 34, colon: 58 } as const;

/** Tells most rows that do not matter by a few bytes, because files are large and turns few. False if in doubt. */
function isAboutOther(bytes: Buffer, start: number): boolean {
  let at = start + TYPE_AT;
  if (bytes[at] === LETTERS.o) {
    at += ORDINAL;
    while (isDigit(bytes[at])) at += 1;
    at += 1 + TYPE;
  } else if (bytes[at] === LETTERS.t) at += TYPE - 1;
  else return false;
  if (bytes[at - 1] !== LETTERS.quote || bytes[at - 2] !== LETTERS.colon) return false;
  if (bytes[at] !== LETTERS.e) return true;
  at += EVENT_KIND;
  if (bytes[at] !== LETTERS.i) return bytes[at] === LETTERS.a;
  at += ITEM_KIND;
  if (bytes[at - 1] !== LETTERS.quote || bytes[at - 2] !== LETTERS.colon) return false;
  return bytes[at] !== LETTERS.U && bytes[at] !== LETTERS.S;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
