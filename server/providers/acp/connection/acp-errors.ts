import type { Holder } from '../../../../shared/entities.ts';
import { errorCatalogue } from '../../../../shared/errors.ts';
import { ProviderError, type ProviderErrorCode } from '../../../engine/provider-errors.ts';

/** What an agent is called and how to sign in to it, for messages. */
export interface AgentNaming {
  readonly label: string;
  readonly signInHint: string;
}

/** An error response of the agent. */
interface ErrorResponse {
  readonly code: number;
  readonly message: string;
  /** Its most specific text. */
  readonly details: string;
  readonly reason: string | undefined;
}

interface Row {
  readonly matches: (response: ErrorResponse) => boolean;
  readonly code: ProviderErrorCode;
  readonly toMessage: (response: ErrorResponse, naming: AgentNaming) => string;
}

const AUTH_REQUIRED = -32000;
const RESOURCE_NOT_FOUND = -32002;
/** Codex: the process behind the adapter has exited. The adapter starts another. */
const APP_SERVER_EXITED = 1001;

const UNKNOWN_SESSION =
  /no rollout found|no (?:previous )?sessions? found|thread not (?:found|loaded)|(?:invalid|unknown) (?:thread|session)|(?:session|thread)\b.*\b(?:not found|does not exist|was lost)/i;

/** The first row that matches decides. */
const TABLE: readonly Row[] = [
  {
    matches: ({ code }) => code === AUTH_REQUIRED,
    code: 'AGENT_NOT_SIGNED_IN',
    toMessage: (_response, { label, signInHint }) => `${label} is not signed in. ${signInHint}`,
  },
  {
    // Archiving answers with the words alone.
    matches: ({ reason, details }) =>
      reason === 'thread_active_writer' || /already has an active writer/i.test(details),
    code: 'SESSION_IN_USE',
    toMessage: () => errorCatalogue.SESSION_IN_USE.message,
  },
  {
    matches: ({ reason }) => reason === 'archived',
    code: 'SESSION_NOT_FOUND',
    toMessage: (_response, { label }) => `This session was archived in ${label}. Restore it there, then open it again.`,
  },
  {
    matches: ({ code, details }) => code === RESOURCE_NOT_FOUND || UNKNOWN_SESSION.test(details),
    code: 'SESSION_NOT_FOUND',
    toMessage: (_response, { label }) => `${label} no longer has this session. Its transcript may have been removed.`,
  },
  {
    matches: ({ code }) => code === APP_SERVER_EXITED,
    code: 'PROCESS_CRASH',
    toMessage: ({ details }) => details,
  },
  {
    matches: () => true,
    code: 'AGENT_PROTOCOL_ERROR',
    toMessage: ({ details }, { label }) => `${label} answered with an error: ${details}`,
  },
];

/** The one place where failures of an agent get their code and their message. */
export function toProviderError(error: unknown, naming: AgentNaming): ProviderError {
  if (error instanceof ProviderError) return error;
  const response = readErrorResponse(error);
  if (response === undefined) return processGone(naming, undefined, error);
  const row = TABLE.find(({ matches }) => matches(response));
  if (row === undefined) return new ProviderError('AGENT_PROTOCOL_ERROR', response.details, { cause: error });
  return new ProviderError(row.code, row.toMessage(response, naming), { cause: error });
}

/** Adds who has the session open to the error that says that somebody has. */
export async function withHolder(error: unknown, find: () => Promise<Holder | undefined>): Promise<unknown> {
  if (!(error instanceof ProviderError) || error.code !== 'SESSION_IN_USE') return error;
  const heldBy = await find();
  if (heldBy === undefined) return error;
  const { label, pid } = heldBy;
  const who = `Another ${label}${pid === undefined ? '' : ` (process ${pid})`}`;
  const message = `${who} has this session open. Close it there, then send the message again.`;
  return new ProviderError('SESSION_IN_USE', message, { details: { heldBy }, cause: error });
}

/** The agent answered with an error. Otherwise there was no answer, or none that could be read. */
export function isErrorResponse(error: unknown): boolean {
  return error instanceof ProviderError || readErrorResponse(error) !== undefined;
}

/** `how`: the exit code or the signal, if known. */
export function processGone({ label }: AgentNaming, how?: string, cause?: unknown): ProviderError {
  return new ProviderError(
    'PROCESS_CRASH',
    `The ${label} process ended unexpectedly${how === undefined ? '' : ` (${how})`}. Send the message again.`,
    cause === undefined ? {} : { cause },
  );
}

export function notInstalled({ label }: AgentNaming, reason: string): ProviderError {
  return new ProviderError('AGENT_UNAVAILABLE', `${label} could not be started. ${reason}`, {
    details: { installed: false },
  });
}

export function handshakeFailed(
  { label }: AgentNaming,
  why: string,
  stderrTail: string,
  cause?: unknown,
): ProviderError {
  const stderr = stderrTail.trim();
  return new ProviderError(
    'AGENT_UNAVAILABLE',
    `Could not connect to ${label}. ${why}${stderr === '' ? '' : `\nIts last words: ${stderr}`}`,
    { details: { stderr }, ...(cause !== undefined && { cause }) },
  );
}

/** Undefined for an error that is not a response: the connection closed before there was one. */
function readErrorResponse(error: unknown): ErrorResponse | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return undefined;
  const data = 'data' in error ? error.data : undefined;
  const field = (name: string) => {
    const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const details = field('details') ?? field('message') ?? (typeof data === 'string' ? data : error.message);
  return { code: error.code, message: error.message, details, reason: field('reason') };
}
