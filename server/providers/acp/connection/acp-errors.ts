import { errorCatalogue } from '../../../../shared/errors.ts';
import { ProviderError, type ProviderErrorCode } from '../../../engine/provider-errors.ts';

/** What an agent is called and how one signs in to it, for messages. */
export interface AgentWords {
  readonly label: string;
  readonly signInHint: string;
}

/** An error that the agent answered with, taken apart. */
interface AgentAnswer {
  readonly code: number;
  readonly message: string;
  /** The most telling words of the answer. */
  readonly details: string;
  readonly reason: string | undefined;
}

interface Row {
  readonly matches: (answer: AgentAnswer) => boolean;
  readonly code: ProviderErrorCode;
  readonly say: (answer: AgentAnswer, words: AgentWords) => string;
}

const AUTH_REQUIRED = -32000;
const RESOURCE_NOT_FOUND = -32002;
/** Codex: the process behind the adapter is gone; the adapter starts another. */
const APP_SERVER_EXITED = 1001;

const UNKNOWN_SESSION =
  /no rollout found|no (?:previous )?sessions? found|thread not (?:found|loaded)|(?:invalid|unknown) (?:thread|session)|(?:session|thread)\b.*\b(?:not found|does not exist|was lost)/i;

/** The first row that matches decides. */
const TABLE: readonly Row[] = [
  {
    matches: ({ code }) => code === AUTH_REQUIRED,
    code: 'AGENT_NOT_SIGNED_IN',
    say: (_answer, { label, signInHint }) => `${label} is not signed in. ${signInHint}`,
  },
  {
    matches: ({ reason }) => reason === 'thread_active_writer',
    code: 'SESSION_IN_USE',
    say: () => errorCatalogue.SESSION_IN_USE.message,
  },
  {
    matches: ({ reason }) => reason === 'archived',
    code: 'SESSION_NOT_FOUND',
    say: (_answer, { label }) => `This session was archived in ${label}. Restore it there, then open it again.`,
  },
  {
    matches: ({ code, details }) => code === RESOURCE_NOT_FOUND || UNKNOWN_SESSION.test(details),
    code: 'SESSION_NOT_FOUND',
    say: (_answer, { label }) => `${label} no longer has this session. Its transcript may have been removed.`,
  },
  {
    matches: ({ code }) => code === APP_SERVER_EXITED,
    code: 'PROCESS_CRASH',
    say: ({ details }) => details,
  },
  {
    matches: () => true,
    code: 'AGENT_PROTOCOL_ERROR',
    say: ({ details }, { label }) => `${label} answered with an error: ${details}`,
  },
];

/** The one place where failures of an agent get the code and the words that others read. */
export function toProviderError(error: unknown, words: AgentWords): ProviderError {
  if (error instanceof ProviderError) return error;
  const answer = readAnswer(error);
  if (answer === undefined) return processGone(words, undefined, error);
  const row = TABLE.find(({ matches }) => matches(answer));
  if (row === undefined) return new ProviderError('AGENT_PROTOCOL_ERROR', answer.details, { cause: error });
  return new ProviderError(row.code, row.say(answer, words), { cause: error });
}

/** `how`: the exit code or the signal, where it is known. */
export function processGone({ label }: AgentWords, how?: string, cause?: unknown): ProviderError {
  return new ProviderError(
    'PROCESS_CRASH',
    `The ${label} process ended unexpectedly${how === undefined ? '' : ` (${how})`}. Send the message again.`,
    cause === undefined ? {} : { cause },
  );
}

export function notInstalled({ label }: AgentWords, reason: string): ProviderError {
  return new ProviderError('AGENT_UNAVAILABLE', `${label} could not be started. ${reason}`, { details: NOT_INSTALLED });
}

/** False for what time does not heal. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof ProviderError && error.details === NOT_INSTALLED);
}

const NOT_INSTALLED = { installed: false };

export function handshakeFailed(
  { label }: AgentWords,
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

/** Undefined for an error that is not an answer: the connection closed before one came. */
function readAnswer(error: unknown): AgentAnswer | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return undefined;
  const data = 'data' in error ? error.data : undefined;
  const field = (name: string) => {
    const value = typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const details = field('details') ?? field('message') ?? (typeof data === 'string' ? data : error.message);
  return { code: error.code, message: error.message, details, reason: field('reason') };
}
