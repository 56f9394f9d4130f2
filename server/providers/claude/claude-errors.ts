import { errorCatalogue } from '../../../shared/errors.ts';
import { ProviderError, type ProviderErrorCode } from '../../engine/provider-errors.ts';
import { SpawnError, type SpawnErrorCode } from '../../processes/index.ts';
import type { NativeMessageOf } from './native-messages.ts';

const NOT_SIGNED_IN =
  'Claude Code is not signed in. Run "claude" in a terminal and sign in with /login, or set ANTHROPIC_API_KEY, ' +
  'then send the message again.';

/** For a turn in which nothing was heard for too long. */
export const TURN_TIMEOUT = { code: 'TURN_TIMEOUT', message: errorCatalogue.TURN_TIMEOUT.message } as const;

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it said last. */
  readonly words: string;
}

/** What a process says before it ends by itself, and what that means for the message it was given. */
const REFUSALS: readonly { readonly said: RegExp; readonly code: ProviderErrorCode; readonly message: string }[] = [
  {
    said: /No conversation found with session ID/i,
    code: 'SESSION_NOT_FOUND',
    message: 'Claude Code has no transcript of this session any more. Create a new session to go on.',
  },
  {
    said: /Session ID \S+ is already in use|session_held_by_background/i,
    code: 'SESSION_IN_USE',
    message: 'Another Claude Code is using this session. Close it there, then send the message again.',
  },
  { said: /not logged in|please run \/login|invalid api key/i, code: 'AGENT_NOT_SIGNED_IN', message: NOT_SIGNED_IN },
];

/** For turns that were open when the process ended by itself. */
export function describeCrash({ code, signal, words }: ProcessEnd): { code: 'PROCESS_CRASH'; message: string } {
  const how = signal === null ? `with exit code ${code ?? 'unknown'}` : `by signal ${signal}`;
  const said = words.trim() === '' ? '' : ` It said: "${words.trim().slice(-500)}".`;
  const message = `Claude Code ended unexpectedly, ${how}.${said} Send the message again; the conversation goes on.`;
  return { code: 'PROCESS_CRASH', message };
}

/** For a message that the process ended before it had taken. */
export function explainCrash(end: ProcessEnd): ProviderError {
  const refusal = REFUSALS.find(({ said }) => said.test(end.words));
  const { code, message } = refusal ?? describeCrash(end);
  return new ProviderError(code, message, { details: { exitCode: end.code, signal: end.signal } });
}

/** For a process that could not be started. */
export function explainFailedStart(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof SpawnError)
    return new ProviderError(START_FAILURES[error.code], error.message, { cause: error });
  const words = error instanceof Error ? error.message : String(error);
  return new ProviderError('AGENT_UNAVAILABLE', `Claude Code could not be started. ${words}`, { cause: error });
}

const START_FAILURES: Readonly<Record<SpawnErrorCode, ProviderErrorCode>> = {
  COMMAND_NOT_FOUND: 'AGENT_UNAVAILABLE',
  COMMAND_NOT_EXECUTABLE: 'AGENT_UNAVAILABLE',
  CWD_INVALID: 'PROJECT_PATH_INVALID',
  LEDGER_FAILED: 'SESSION_CREATE_FAILED',
  HOST_CLOSED: 'AGENT_UNAVAILABLE',
  SPAWN_FAILED: 'SESSION_CREATE_FAILED',
};

export interface TurnFailure {
  readonly code: 'MODEL_ERROR' | 'AGENT_NOT_SIGNED_IN';
  readonly message: string;
}

/** Why a turn failed, from its result: in the words of the agent where it has some that a user can read. */
export function explainFailedTurn(result: NativeMessageOf<'result'>, apiError: string | undefined): TurnFailure {
  const words = wordsOf(result) || apiError || '';
  const status = result.subtype === 'success' ? (result.api_error_status ?? null) : null;
  if (status === 401 || /not logged in|please run \/login|invalid api key/i.test(words)) {
    return { code: 'AGENT_NOT_SIGNED_IN', message: NOT_SIGNED_IN };
  }
  return { code: 'MODEL_ERROR', message: words || describeEnd(result) };
}

function wordsOf(result: NativeMessageOf<'result'>): string {
  if (result.subtype === 'success') return result.result.trim();
  return result.errors
    .filter((line) => !line.startsWith('[ede_diagnostic]'))
    .join('\n')
    .trim();
}

function describeEnd({ subtype }: NativeMessageOf<'result'>): string {
  switch (subtype) {
    case 'error_max_turns':
      return 'Claude Code reached its limit of model calls for one message. Send "continue" to go on.';
    case 'error_max_budget_usd':
      return 'Claude Code reached its spending limit. Raise the limit in its settings, then go on.';
    case 'error_max_structured_output_retries':
    case 'error_during_execution':
    case 'success':
      return errorCatalogue.MODEL_ERROR.message;
    default:
      subtype satisfies never;
      return errorCatalogue.MODEL_ERROR.message;
  }
}
