import type { Steps } from '../../../time-slice.ts';
import { contentText, readContent } from '../content/content-blocks.ts';
import { type Boundary, isBoundary, isMessage } from './entry-kinds.ts';
import { recall } from './remembered-entries.ts';
import { addParallelCalls } from './transcript-branch.ts';
import { followChain } from './transcript-chain.ts';
import type { TranscriptEntry } from './transcript-entry.ts';
import type { TranscriptTree } from './transcript-tree.ts';

/** A part of a message as the model gets it. Calls and results are named by the id of the call. */
export interface MessagePart {
  readonly kind: 'text' | 'call' | 'result' | 'thinking' | 'other';
  readonly id?: string;
  /** Empty for all but texts, calls and results. */
  readonly text: string;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly MessagePart[];
}

export interface ModelContext {
  /**
   * The messages of the user and the assistant in the next request, before the one with the new prompt. Claude Code adds
   * reminders: to these messages, as messages of the user that have nothing else, or as messages with the role `system`,
   * whatever the model takes that is chosen then. Messages that are nothing but reminders are not counted.
   */
  readonly messages: readonly ModelMessage[];
  /** What the message with the new prompt begins with, if the conversation does not end with an answer. */
  readonly beforePrompt: readonly MessagePart[];
  /** The last compaction, if the model gets its summary. */
  readonly boundary: Boundary | undefined;
  /** The oldest entry that the model is given, besides those that a compaction preserved. */
  readonly first: TranscriptEntry | undefined;
  /** Something came before that entry and is no longer there. */
  readonly isBroken: boolean;
}

/** In place of an answer and of the results of calls that were cut short. */
const NO_RESPONSE = 'No response requested.';
const CUT_SHORT = '[Tool call interrupted:';

/**
 * Works out what Claude Code sends to the model with the next message. `resumes` is false for a process that runs: it has
 * not looked for work that was cut short.
 */
export function* readModelContext(
  tree: TranscriptTree,
  { resumes }: { readonly resumes: boolean },
): Steps<ModelContext> {
  const chain = yield* followChain(tree);
  const [first] = chain.entries;
  const rows = yield* toRows(yield* selectEntries(tree, chain.entries));
  const cutShort = yield* callsAtTheEnd(rows);
  const messages = yield* toMessages(rows, resumes ? cutShort : new Set());
  if (resumes && (yield* endsUnanswered(rows, cutShort.size > 0))) {
    messages.push({ role: 'assistant', parts: [{ kind: 'text', text: NO_RESPONSE }] });
  }
  const last = messages.at(-1);
  const isOpen = last?.role === 'user';
  return {
    messages: isOpen ? messages.slice(0, -1) : messages,
    beforePrompt: isOpen ? last.parts : [],
    boundary: first !== undefined && isBoundary(first) ? first : undefined,
    first,
    isBroken: chain.isBroken,
  };
}

/** The chain with the calls that were made at once. */
function* selectEntries(
  { entries, cut, find }: TranscriptTree,
  chain: readonly TranscriptEntry[],
): Steps<readonly TranscriptEntry[]> {
  const all = new Set(chain);
  const remembered = (yield* recall({ entries, find, cut })).entries;
  yield* addParallelCalls(remembered, all);
  const besides = all.size === chain.length ? [] : [...all].slice(chain.length);
  return besides.length === 0 ? chain : withParallelCalls(chain, besides);
}

/** Puts blocks and results right after the blocks of the same message that are on the chain. */
function withParallelCalls(chain: readonly TranscriptEntry[], besides: readonly TranscriptEntry[]): TranscriptEntry[] {
  const owners = new Map<string | undefined, string | undefined>();
  for (const entry of [...chain, ...besides]) {
    for (const { kind, id } of entry.type === 'assistant' ? partsOf(entry) : [])
      if (kind === 'call') owners.set(id, idOf(entry));
  }
  const groups = new Map<string | undefined, TranscriptEntry[]>();
  for (const entry of besides) {
    const id = idOf(entry) ?? owners.get(partsOf(entry).find(({ kind }) => kind === 'result')?.id);
    groups.set(id, [...(groups.get(id) ?? []), entry]);
  }
  const lastOf = new Map(chain.map((entry, place) => [idOf(entry), place]));
  return chain.flatMap((entry, place) => {
    const id = idOf(entry);
    return id !== undefined && lastOf.get(id) === place ? [entry, ...(groups.get(id) ?? [])] : [entry];
  });
}

/** An entry with what the model would get of it. */
interface Row {
  readonly entry: TranscriptEntry;
  readonly parts: readonly MessagePart[];
  /** Undefined if the model gets nothing of it. */
  readonly role: ModelMessage['role'] | undefined;
  /** Of the message that the entry is a part of. */
  readonly id: string | undefined;
}

function* toRows(entries: readonly TranscriptEntry[]): Steps<readonly Row[]> {
  const rows: Row[] = [];
  for (const entry of entries) {
    yield;
    rows.push({ entry, parts: partsOf(entry), role: roleOf(entry), id: idOf(entry) });
  }
  // An answer that was cut short while the model was thinking is left out.
  const said = new Set<string | undefined>();
  for (const { parts, id } of rows) {
    yield;
    if (parts.length === 0 || !parts.every(isThought)) said.add(id);
  }
  const kept: Row[] = [];
  for (const row of rows) {
    yield;
    if (row.role !== 'assistant' || said.has(row.id)) kept.push(row);
  }
  return kept;
}

const isThought = ({ kind }: MessagePart) => kind === 'thinking';

interface OpenMessage extends ModelMessage {
  readonly id: string | undefined;
  readonly parts: MessagePart[];
}

function* toMessages(rows: readonly Row[], cutShort: ReadonlySet<string | undefined>): Steps<ModelMessage[]> {
  const calls = new Set<string | undefined>();
  const done = new Set<string | undefined>();
  for (const { entry, parts } of rows) {
    yield;
    if (isError(entry)) continue;
    for (const { kind, id } of parts) {
      if (kind === 'call') calls.add(id);
      if (kind === 'result') done.add(id);
    }
  }
  const isKept = ({ kind, id }: MessagePart) =>
    kind === 'call' ? done.has(id) || cutShort.has(id) : kind !== 'result' || calls.has(id);
  const messages: OpenMessage[] = [];
  for (const { entry, role, id, parts } of rows) {
    yield;
    const kept = parts.filter(isKept);
    const isEmptied = kept.length === 0 && (parts.length > 0 || role === 'user');
    if (role !== undefined && !isEmptied && !isLeftOut(entry, parts)) addTo(messages, role, id, kept);
  }
  const missing = [...cutShort].filter((id) => !done.has(id));
  const results = missing.map((id): MessagePart => ({ kind: 'result', ...(id && { id }), text: CUT_SHORT }));
  if (results.length > 0) addTo(messages, 'user', undefined, results);
  return messages;
}

/** The blocks of an answer are one message, and so is everything between two answers. */
function addTo(
  messages: OpenMessage[],
  role: ModelMessage['role'],
  id: string | undefined,
  parts: readonly MessagePart[],
): void {
  const last = messages.at(-1);
  // The result of a first call may stand between the blocks of an answer.
  const isSame = (message: OpenMessage | undefined) => message?.role === 'assistant' && message.id === id;
  const open =
    role === 'user' ? (last?.role === 'user' ? last : undefined) : [last, messages.at(-2)].find((one) => isSame(one));
  if (open === undefined) messages.push({ role, id, parts: [...parts] });
  else open.parts.push(...parts);
}

/** The calls of the last answer, if nothing but results came after it. */
function* callsAtTheEnd(rows: readonly Row[]): Steps<ReadonlySet<string | undefined>> {
  const last = rows.findLast(
    ({ entry, parts, role }) =>
      role === 'assistant' || (entry.type === 'user' && !parts.some(({ kind }) => kind === 'result')),
  );
  if (last?.role !== 'assistant') return new Set();
  const calls = new Set<string | undefined>();
  for (const row of rows) {
    yield;
    if (row.id !== last.id) continue;
    for (const { kind, id } of row.parts) if (kind === 'call') calls.add(id);
  }
  return calls;
}

const CAVEAT = /^<local-command-caveat>(?:The command|Caveat:)/;
const COMMAND = /^<(?:command-name|command-message|local-command-std(?:out|err))>/;

/** Whether the conversation ends with something that waits for an answer. Claude Code's own commands do not. */
function* endsUnanswered(rows: readonly Row[], hasCalls: boolean): Steps<boolean> {
  const isAnswer = ({ entry }: Row) => entry.type === 'assistant';
  // An error at the very end counts as an answer, though the model does not get it.
  const last = rows.findLast(({ entry }) => entry.type !== 'system' && entry.type !== 'progress');
  if (last !== undefined && isAnswer(last)) return hasCalls;
  let isCommand = false;
  for (let place = rows.length - 1; place >= 0; place -= 1) {
    yield;
    const row = rows[place];
    if (row === undefined || !isMessage(row.entry) || isError(row.entry)) continue;
    if (isAnswer(row)) return isCommand || hasCalls;
    const text = row.parts[0]?.text ?? '';
    if (CAVEAT.test(text)) return false;
    if (!COMMAND.test(text)) return true;
    isCommand = true;
  }
  return isCommand;
}

function roleOf({ type }: TranscriptEntry): Row['role'] {
  if (type === 'assistant') return 'assistant';
  return type === 'user' || type === 'system' ? 'user' : undefined;
}

const idOf = (entry: TranscriptEntry) => (entry.type === 'assistant' ? (entry.message?.id ?? entry.uuid) : undefined);

/** An error that Claude Code wrote as an answer. */
const isError = (entry: TranscriptEntry) =>
  entry.type === 'assistant' && entry.isApiErrorMessage === true && entry.message?.model === '<synthetic>';

function isLeftOut(entry: TranscriptEntry, parts: readonly MessagePart[]): boolean {
  if (entry.type !== 'assistant') return false;
  return isError(entry) || (parts.length > 0 && parts.every(({ kind, text }) => kind === 'text' && text.trim() === ''));
}

function partsOf(entry: TranscriptEntry): readonly MessagePart[] {
  switch (entry.type) {
    case 'system':
      return entry.subtype === 'local_command' ? [{ kind: 'text', text: contentText(entry.content) }] : [];
    case 'user':
    case 'assistant':
      return readContent(entry.message?.content).map((block): MessagePart => {
        if (block.kind === 'text') return { kind: 'text', text: block.text };
        if (block.kind === 'call') return { kind: 'call', id: block.callId, text: block.name };
        if (block.kind === 'result') return { kind: 'result', id: block.callId, text: contentText(block.content) };
        return { kind: block.kind, text: '' };
      });
    default:
      return [];
  }
}
