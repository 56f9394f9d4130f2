import type { ProcessEnd } from '../../engine/driver.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import { type ProcessExit, SpawnError } from '../../processes/index.ts';

const MAX_STDERR = 600;

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
    { cause: error },
  );
}

/** A program that ends with code 0 while nothing runs has simply finished. */
export function toExitEnd(label: string, exit: ProcessExit, stderrTail: string, isBusy: boolean): ProcessEnd {
  const failure = { code: 'PROCESS_CRASH', message: describeExit(label, exit, stderrTail) } as const;
  return {
    isExpected: exit.stopReason !== undefined || (exit.code === 0 && !isBusy),
    failure,
    refusal: new ProviderError(failure.code, failure.message),
  };
}

function describeExit(label: string, exit: ProcessExit, stderrTail: string): string {
  if (exit.stopReason !== undefined) return `${label} was ended before the answer was finished.`;
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  const tail = stderrTail.trim().slice(-MAX_STDERR);
  const stderr = tail === '' ? '' : ` It printed: ${tail}`;
  return `${label} ended unexpectedly (${how}). It is started again with the next message.${stderr}`;
}
