import { AppError, type ErrorCode } from '../../shared/errors.ts';

export type ProviderErrorCode = Extract<
  ErrorCode,
  | 'UNSUPPORTED_CLI_TYPE'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_IN_USE'
  | 'SESSION_CREATE_FAILED'
  | 'FORK_UNSUPPORTED'
  | 'PROJECT_PATH_INVALID'
  | 'PROJECT_NOT_TRUSTED'
  | 'AGENT_UNAVAILABLE'
  | 'AGENT_NOT_SIGNED_IN'
  | 'AGENT_PROTOCOL_ERROR'
  | 'PROCESS_CRASH'
  | 'PROTOCOL_ERROR'
  | 'INVALID_STREAM_EVENT'
  | 'INTERRUPT_FAILED'
  | 'CANCELLED'
  | 'TOO_MANY_OPEN_FILES'
>;

/** The only error type that leaves a provider. Errors of agents and SDKs are converted to it. */
export class ProviderError extends AppError {
  override readonly name = 'ProviderError';
  declare readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, message?: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(code, message, options);
  }
}
