import { COMPACTED, describeRetry, WRITES_LOST } from '../content/notices.ts';
import { type Translation, translation } from '../content/translation.ts';
import { endTask, startTask, updateTask } from './background.ts';
import { addNotice, enterTurn, type LiveState } from './live-state.ts';
import { type NativeMessageOf, turnsNamedBy } from './native-messages.ts';
import { abandonStreamed } from './translate-stream-event.ts';
import { startTurn } from './turn-entry.ts';

type SystemMessage = NativeMessageOf<'system'>;
type SystemMessageOf<S extends SystemMessage['subtype']> = Extract<SystemMessage, { subtype: S }>;

export function translateSystem(state: LiveState, message: SystemMessage): Translation<LiveState> {
  switch (message.subtype) {
    case 'init':
      return beginTurn(state, message);
    case 'status':
      return translateStatus(state, message);
    case 'api_retry':
      return translateRetry(state, message);
    case 'compact_boundary':
      return addNotice(keepMessages(state, message), 'compaction', COMPACTED);
    case 'session_writes_lost':
      return addNotice(state, 'notice', WRITES_LOST);
    case 'model_refusal_fallback':
    case 'model_refusal_no_fallback':
    case 'local_command_output':
      return addNotice(state, 'notice', message.content);
    case 'informational':
      return message.level === 'warning' ? addNotice(state, 'notice', message.content) : translation(state);
    case 'task_notification':
      return endTask(state, message);
    case 'task_started':
      return startTask(state, message);
    case 'task_updated':
      return updateTask(state, message);
    case 'background_tasks_changed':
    case 'commands_changed':
    case 'control_request_progress':
    case 'elicitation_complete':
    case 'files_persisted':
    case 'hook_progress':
    case 'hook_response':
    case 'hook_started':
    case 'memory_recall':
    case 'mirror_error':
    case 'notification':
    case 'permission_denied':
    case 'plugin_install':
    case 'session_state_changed':
    case 'task_progress':
    case 'thinking_tokens':
    case 'worker_shutting_down':
      return translation(state);
    default:
      message satisfies never;
      return translation(state);
  }
}

/** Comes once at the beginning of each turn and tells the model; names no one where the agent begins by itself. */
function beginTurn(state: LiveState, message: SystemMessageOf<'init'>): Translation<LiveState> {
  const turnIds = turnsNamedBy(message);
  const known = { ...state, modelId: message.model };
  const current = turnIds.at(-1);
  const started = turnIds.map((turnId) => startTurn(turnId, message.model));
  return translation(current === undefined ? known : enterTurn(known, current), ...started);
}

/** Comes before every model call and names all that the turn has taken in by then. */
function translateStatus(before: LiveState, message: SystemMessageOf<'status'>): Translation<LiveState> {
  const state = message.status === 'requesting' ? tellCauses(before) : before;
  const taken = turnsNamedBy(message).filter((turnId) => turnId !== state.turn?.turnId);
  const started = taken.map((turnId) => startTurn(turnId, state.modelId));
  if (message.compact_result !== 'failed') return translation(state, ...started);
  const told = addNotice(
    state,
    'notice',
    `The conversation could not be compacted. ${message.compact_error ?? ''}`.trim(),
  );
  return translation(told.state, ...started, ...told.actions);
}

/** What ended meanwhile is told to the model along with the next request of a running turn. */
function tellCauses(state: LiveState): LiveState {
  return state.turn === undefined ? state : { ...state, causes: [] };
}

function keepMessages(state: LiveState, message: SystemMessageOf<'compact_boundary'>): LiveState {
  return { ...state, keptMessages: new Set(message.compact_metadata?.preserved_messages?.uuids) };
}

function translateRetry(state: LiveState, message: SystemMessageOf<'api_retry'>): Translation<LiveState> {
  const { attempt, max_retries: maxAttempts, retry_delay_ms: delayMs, error_status: status } = message;
  const given = abandonStreamed(state);
  const told = addNotice(given.state, 'retry', describeRetry({ attempt, maxAttempts, delayMs, status }));
  return translation(told.state, ...given.actions, ...told.actions);
}
