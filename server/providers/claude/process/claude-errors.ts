import { ProviderError, type ProviderErrorCode } from '../../../engine/provider-errors.ts';
import { SpawnError, type SpawnErrorCode } from '../../../processes/index.ts';
import { NOT_SIGNED_IN } from '../content/notices.ts';

interface Crash {
  readonly code: number | null;
  readonly signal: string | null;
  /** The error of the SDK and the end of stderr. */
  readonly lastWords: string;
}

/** Reasons that a process gives when it ends by itself, as errors for the message that was sent to it. */
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

/** For turns that were open when the process crashed. */
export function describeCrash({ code, signal, lastWords }: Crash): { code: 'PROCESS_CRASH'; message: string } {
  const how = signal === null ? `with exit code ${code ?? 'unknown'}` : `by signal ${signal}`;
  const said = lastWords.trim() === '' ? '' : ` It said: "${lastWords.trim().slice(-500)}".`;
  const message = `Claude Code ended unexpectedly, ${how}.${said} Send the message again; the conversation goes on.`;
  return { code: 'PROCESS_CRASH', message };
}

/** For a message that the process had not taken when it crashed. */
export function explainCrash(end: Crash): ProviderError {
  const refusal = REFUSALS.find(({ said }) => said.test(end.lastWords));
  const { code, message } = refusal ?? describeCrash(end);
  return new ProviderError(code, message, { details: { exitCode: end.code, signal: end.signal } });
}

/** For a process that could not be started. */
export function explainFailedStart(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof SpawnError)
    return new ProviderError(START_FAILURES[error.code], error.message, { cause: error });
  const reason = error instanceof Error ? error.message : String(error);
  return new ProviderError('AGENT_UNAVAILABLE', `Claude Code could not be started. ${reason}`, { cause: error });
}

const START_FAILURES: Readonly<Record<SpawnErrorCode, ProviderErrorCode>> = {
  COMMAND_NOT_FOUND: 'AGENT_UNAVAILABLE',
  COMMAND_NOT_EXECUTABLE: 'AGENT_UNAVAILABLE',
  CWD_INVALID: 'PROJECT_PATH_INVALID',
  LEDGER_FAILED: 'SESSION_CREATE_FAILED',
  HOST_CLOSED: 'AGENT_UNAVAILABLE',
  SPAWN_FAILED: 'SESSION_CREATE_FAILED',
  TOO_MANY_OPEN_FILES: 'TOO_MANY_OPEN_FILES',
};
