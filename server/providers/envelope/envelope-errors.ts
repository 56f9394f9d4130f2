import type { ProcessExit } from '../../processes/index.ts';
import { SpawnError } from '../../processes/index.ts';
import { ProviderError } from '../../engine/provider-errors.ts';

const MAX_LAST_WORDS = 600;

export function toStartError(label: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof SpawnError && error.code === 'CWD_INVALID') {
    return new ProviderError('PROJECT_PATH_INVALID', `${error.message} Restore it, then send the message again.`, {
      cause: error,
    });
  }
  const reason = error instanceof SpawnError ? error.message : 'The system refused it.';
  return new ProviderError(
    'AGENT_UNAVAILABLE',
    `${label} could not be started. ${reason} Its entry is in agents.json.`,
    {
      cause: error,
    },
  );
}

/** Why the turns end that were open when the process did. */
export function describeExit(label: string, exit: ProcessExit, stderrTail: string): string {
  if (exit.stopReason !== undefined) return `${label} was ended before the answer was finished.`;
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const lastWords = stderrTail.trim().slice(-MAX_LAST_WORDS);
  const said = lastWords === '' ? '' : ` Its last words: ${lastWords}`;
  return `${label} ended unexpectedly (${how}). It is started again with the next message.${said}`;
}
