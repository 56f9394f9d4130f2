import { errorCatalogue } from '../../../shared/errors.ts';
import type { NativeMessageOf } from './native-messages.ts';

const NOT_SIGNED_IN =
  'Claude Code is not signed in. Run "claude" in a terminal and sign in with /login, or set ANTHROPIC_API_KEY, ' +
  'then send the message again.';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** For turns that were open when the process ended by itself. */
export function describeCrash({ code, signal }: ProcessEnd, stderr: string) {
  const how = signal === null ? `with exit code ${code ?? 'unknown'}` : `by signal ${signal}`;
  const said = stderr.trim() === '' ? '' : ` It said: ${stderr.trim().slice(-500)}`;
  return {
    code: 'PROCESS_CRASH',
    message: `Claude Code ended unexpectedly, ${how}.${said} Send the message again; the conversation goes on.`,
  } as const;
}

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
