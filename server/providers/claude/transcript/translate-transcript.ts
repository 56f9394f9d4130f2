import { userItemId } from '../../../../shared/stream-contracts.ts';
import type { StreamAction, TimedAction } from '../../../streaming/stream-actions.ts';
import type { Steps } from '../../../time-slice.ts';
import { beginBlock, finishCall, wholeBlock } from '../content/block-actions.ts';
import { contentText, readContent } from '../content/content-blocks.ts';
import { COMPACTED, describeLongLine, describeRetry, INTERRUPTED } from '../content/notices.ts';
import { type Translation, translation } from '../content/translation.ts';
import { blockItemId, continueMessage } from '../content/turn-scope.ts';
import { readUserText } from '../content/user-text.ts';
import { createWorkReader, NO_WORK, type Work } from './sub-agent-transcripts.ts';
import type { TranscriptEntry, TranscriptEntryOf } from './transcript-entry.ts';
import {
  addNotice,
  beginTurn,
  continueTurn,
  initialTranscriptState,
  splitMergedMessage,
  type TranscriptState,
} from './transcript-state.ts';

type AssistantEntry = Partial<TranscriptEntryOf<'assistant'>>;

/** Translates a transcript into the actions of the live conversation, as far as they are recorded. */
export function* translateTranscript(
  entries: readonly TranscriptEntry[],
  work: Work = NO_WORK,
): Generator<TimedAction, void> {
  const run = createWorkReader(work);
  let state = initialTranscriptState;
  let sourceTimestamp = entries.find((entry) => entry.timestamp !== undefined)?.timestamp ?? new Date(0).toISOString();
  for (const entry of entries) {
    sourceTimestamp = entry.timestamp ?? sourceTimestamp;
    const translated = translateEntry(state, entry);
    state = translated.state;
    yield* run.withWork(translated.actions, sourceTimestamp);
  }
}

/** The entry that begins an item of the conversation, or the item that it is a part of. */
export function* findEntryOf(entries: readonly TranscriptEntry[], itemId: string): Steps<TranscriptEntry | undefined> {
  let state = initialTranscriptState;
  let found: TranscriptEntry | undefined;
  for (const entry of entries) {
    yield;
    const translated = translateEntry(state, entry);
    state = translated.state;
    for (const action of translated.actions) {
      const id = 'itemId' in action ? action.itemId : undefined;
      if (id === itemId) return entry;
      // The steps of a sub-agent have ids that begin with that of its call.
      if (id !== undefined && itemId.startsWith(`${id}:`)) found = entry;
    }
  }
  return found;
}

function translateEntry(state: TranscriptState, entry: TranscriptEntry): Translation<TranscriptState> {
  if (entry.isMeta === true) return translation(state);
  switch (entry.type) {
    case 'assistant':
      return translateAssistant(state, entry);
    case 'user':
      return translateUser(state, entry);
    case 'attachment':
      return translateAttachment(state, entry);
    case 'system':
      return translateSystem(state, entry);
    case 'queue-operation':
      return translation(entry.operation === 'enqueue' ? remember(state, entry.content) : state);
    case 'last-prompt':
    case 'progress':
    case 'other':
      return translation(state);
  }
}

function translateAssistant(state: TranscriptState, entry: AssistantEntry): Translation<TranscriptState> {
  const { message, apiBlockIndex } = entry;
  if (message === undefined || isFiller(message)) return translation(state);
  const id = message.id ?? entry.uuid ?? '';
  const entered = continueTurn(state, id);
  // Live, the turn fails with this text. A transcript has no turn events, so it is shown as a notice.
  if (entry.isApiErrorMessage === true) {
    const noted = addNotice(entered.state, 'notice', contentText(message.content));
    return translation(noted.state, ...entered.actions, ...noted.actions);
  }
  const { turn } = entered.state;
  let current = continueMessage(entered.state.message, id, turn.ordinal);
  const actions: StreamAction[] = [...entered.actions];
  for (const [offset, block] of readContent(message.content).entries()) {
    const index = apiBlockIndex === undefined ? current.blockCount : apiBlockIndex + offset;
    const place = { turnId: turn.turnId, itemId: blockItemId(turn.turnId, current.ordinal, index) };
    actions.push(...(entry.isAbortedMidStream === true ? beginBlock(place, block) : wholeBlock(place, block)));
    current = { ...current, blockCount: index + 1 };
  }
  return translation({ ...entered.state, message: current, turn: { ...turn, ordinal: current.ordinal } }, ...actions);
}

/** Claude Code writes this placeholder for a turn whose process was killed. It is not from the model. */
function isFiller({ model, content }: { model?: string | undefined; content: unknown }): boolean {
  return model === '<synthetic>' && contentText(content) === 'No response requested.';
}

function translateUser(state: TranscriptState, entry: TranscriptEntryOf<'user'>): Translation<TranscriptState> {
  if (entry.isCompactSummary === true) return translation(state);
  const content = entry.message?.content;
  const results = readContent(content).filter((block) => block.kind === 'result');
  if (results.length > 0) {
    const { turn } = state;
    if (turn === undefined) return translation(state);
    const place = { turnId: turn.turnId };
    return translation(
      state,
      ...results.map((result) => finishCall(place, { ...result, details: entry.toolUseResult })),
    );
  }
  const read = readUserText(contentText(content));
  switch (read.kind) {
    case 'message':
      return entry.promptSource === 'system'
        ? expectOwnTurn(state, read.text)
        : translateMessage(state, entry, read.text);
    case 'interrupted':
      return interrupt(state);
    case 'output':
      return addNotice(state, 'notice', read.text);
    case 'notification':
      return expectOwnTurn(state, read.text);
  }
}

/** The next message begins a turn that the agent starts by itself. */
function expectOwnTurn(state: TranscriptState, cause: string): Translation<TranscriptState> {
  return translation({ ...state, turn: undefined, cause });
}

function translateMessage(
  state: TranscriptState,
  entry: TranscriptEntryOf<'user'>,
  text: string,
): Translation<TranscriptState> {
  if (entry.uuid === undefined) return translation(state);
  const turnIds = [...(entry.mergedSendUuids ?? []), entry.uuid];
  const messages = splitMergedMessage(turnIds, text, state.enqueued).map(({ turnId, content }) =>
    userMessage(turnId, content),
  );
  const begun = { ...beginTurn(state, entry.uuid), enqueued: [], hasCompacted: false };
  const noted = state.hasCompacted ? addNotice(begun, 'compaction', COMPACTED) : translation(begun);
  return translation<TranscriptState>(noted.state, ...messages, ...noted.actions);
}

/** A message that joined a running turn has a turn without items, unless the agent had started that turn by itself. */
function translateAttachment(
  state: TranscriptState,
  entry: TranscriptEntryOf<'attachment'>,
): Translation<TranscriptState> {
  const { attachment, uuid, notShown } = entry;
  if (notShown !== undefined) return addNotice(state, 'notice', describeLongLine(notShown));
  if (attachment?.type !== 'queued_command' || attachment.commandMode === 'task-notification')
    return translation(state);
  const turnId = attachment.source_uuid ?? uuid;
  if (turnId === undefined) return translation(state);
  const message = userMessage(turnId, contentText(attachment.prompt));
  return translation(state.turn === undefined || state.isOwnTurn ? beginTurn(state, turnId) : state, message);
}

function translateSystem(state: TranscriptState, entry: TranscriptEntryOf<'system'>): Translation<TranscriptState> {
  switch (entry.subtype) {
    case 'compact_boundary':
      if (entry.compactMetadata?.trigger === 'manual') return translation({ ...state, hasCompacted: true });
      return addNotice(state, 'compaction', COMPACTED);
    case 'api_error': {
      const { retryAttempt: attempt = 1, maxRetries: maxAttempts = 1, retryInMs: delayMs = 0 } = entry;
      return addNotice(
        state,
        'retry',
        describeRetry({ attempt, maxAttempts, delayMs, status: entry.error?.status ?? null }),
      );
    }
    case 'informational':
      return entry.level === 'warning' ? addNotice(state, 'notice', contentText(entry.content)) : translation(state);
    case 'local_command':
      return answerCommand(state, entry);
    default:
      return translation(state);
  }
}

/** Live, the output of a built-in command is a message of the agent. */
function answerCommand(state: TranscriptState, entry: TranscriptEntryOf<'system'>): Translation<TranscriptState> {
  const read = readUserText(contentText(entry.content));
  if (read.kind !== 'output' || read.text === '') return translation(state);
  return translateAssistant(state, { uuid: entry.uuid, message: { id: entry.uuid, content: read.text } });
}

function interrupt(state: TranscriptState): Translation<TranscriptState> {
  if (state.turn === undefined) return translation(state);
  const noted = addNotice(state, 'interrupted', INTERRUPTED);
  return translation(noted.state, ...noted.actions, {
    do: 'turn_done',
    turnId: state.turn.turnId,
    status: 'cancelled',
  });
}

function userMessage(turnId: string, content: string): StreamAction {
  return { do: 'message', turnId, itemId: userItemId(turnId), origin: 'user', content };
}

/** No more than these are ever merged into one message. */
const MAX_ENQUEUED = 100;

function remember(state: TranscriptState, content: unknown): TranscriptState {
  return { ...state, enqueued: [...state.enqueued.slice(1 - MAX_ENQUEUED), contentText(content)] };
}
