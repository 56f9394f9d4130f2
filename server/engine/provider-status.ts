import type { SessionId } from '../../shared/ids.ts';
import type { RetryStatus } from '../processes/index.ts';
import type { ProviderStatus } from './provider-types.ts';

/** The status of a process. `sessionId`: the session that the process belongs to, unless it is shared. */
export function toProviderStatus(cliType: string, retry: RetryStatus, sessionId?: SessionId): ProviderStatus {
  const { status, attempt, maxAttempts, retryInMs, error } = retry;
  return {
    cliType,
    status,
    ...(sessionId !== undefined && { sessionId }),
    ...(attempt !== undefined && { attempt, maxAttempts }),
    ...(retryInMs !== undefined && { retryInMs }),
    ...(error instanceof Error && { message: error.message }),
  };
}
