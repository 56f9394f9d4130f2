import { z } from 'zod';

/** Every error code with its HTTP status and default message. A message says what happened and what to do next. */
export const errorCatalogue = {
  INVALID_MESSAGE: { status: 400, message: 'Invalid request payload. Check the fields named in the details.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request is too large. Send at most 1 MiB at a time.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  UNAUTHORIZED: {
    status: 401,
    message: 'A token is required. Open the address that the server printed when it started.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    message: 'This address or origin may not use the server. Open the address that the server printed.',
  },
  PROJECT_PATH_INVALID: {
    status: 400,
    message: 'Project path is invalid or inaccessible. Enter an existing directory that you can read.',
  },
  PROJECT_DUPLICATE: { status: 409, message: 'Project already exists. It is in the sidebar.' },
  PROJECT_NOT_FOUND: { status: 404, message: 'Project not found. It may have been removed in another window.' },
  PROJECT_NOT_TRUSTED: {
    status: 409,
    message:
      'This directory has settings of its own that would run programs, and it is not trusted. Look at the list and trust the directory, then try again.',
  },
  PROJECT_ID_REQUIRED: { status: 400, message: 'Name a project: add ?projectId=… to the address.' },
  SESSION_NOT_FOUND: {
    status: 404,
    message: 'Session not found. It may have been archived or its transcript removed.',
  },
  ITEM_NOT_FOUND: {
    status: 404,
    message: 'This entry is not part of the conversation. Open the session again to get its present entries.',
  },
  SESSION_IN_USE: {
    status: 409,
    message: 'Another process is using this session. Close it there, then try again.',
  },
  SESSION_CHANGED: {
    status: 409,
    message: 'Another program has changed this conversation. What the agent will continue is shown now. Send it again.',
  },
  CONTEXT_UNCERTAIN: {
    status: 409,
    message: 'The model may not know this conversation. Look at what it has, then send the message again.',
  },
  FORK_UNSUPPORTED: { status: 409, message: 'This agent cannot fork a session. Create a new one.' },
  SESSION_CREATE_FAILED: { status: 502, message: 'The session could not be created. Try again.' },
  UNSUPPORTED_CLI_TYPE: {
    status: 400,
    message: 'This kind of agent is not configured. Choose one from the list, or add it to agents.json.',
  },
  AGENT_UNAVAILABLE: { status: 503, message: 'Agent is unavailable. Check local CLI setup.' },
  AGENT_NOT_SIGNED_IN: { status: 503, message: 'The agent is not signed in. Sign in with its CLI, then try again.' },
  AGENT_PROTOCOL_ERROR: { status: 502, message: 'Agent returned a protocol error. Reconnect and try again.' },
  PROTOCOL_ERROR: { status: 502, message: 'The agent sent a message that does not follow its protocol.' },
  PROCESS_CRASH: { status: 502, message: 'The agent process ended unexpectedly. Send the message again.' },
  INVALID_STREAM_EVENT: { status: 502, message: 'The agent sent an event that is not valid. It was ignored.' },
  INTERRUPT_FAILED: { status: 502, message: 'The turn could not be cancelled. Try again, or end the session.' },
  CANCELLED: { status: 409, message: 'Cancelled before the message went out. It was not sent.' },
  MODEL_ERROR: { status: 502, message: 'The model answered with an error. Try again.' },
  TURN_TIMEOUT: { status: 504, message: 'The agent did not respond for too long, so the turn was ended. Try again.' },
  STREAM_RETRIED: { status: 502, message: 'The connection to the model broke; the agent started this answer again.' },
  SERVER_STOPPED: {
    status: 503,
    message: 'The server stopped before this was finished. Send the message again to go on.',
  },
  TRANSCRIPT_MISSING: {
    status: 409,
    message: 'The agent no longer has this conversation. Put it back, then send the message again.',
  },
  NOT_KEPT: {
    status: 404,
    message: 'There is no copy of this conversation, so it cannot be put back.',
  },
  COPY_DAMAGED: {
    status: 500,
    message: 'The copy of this conversation is damaged. Nothing was put back.',
  },
  PUT_BACK_CONFLICT: {
    status: 409,
    message: 'The agent has another file in the place of this conversation. Nothing was changed.',
  },
  DATA_DIR_BUSY: { status: 409, message: 'Another server is using this data directory.' },
  SERVER_NEWER_DATA: {
    status: 500,
    message: 'The data was written by a newer version. Update Liminal Builder, or choose another data directory.',
  },
  STORAGE_FAILED: {
    status: 507,
    message: 'The change could not be saved. Check free space and permissions of the data directory.',
  },
  TOO_MANY_OPEN_FILES: {
    status: 503,
    message: 'The server has too many open files. Close sessions that you do not need, or raise its limit (ulimit -n).',
  },
  INTERNAL_ERROR: { status: 500, message: 'Unexpected server error. The log in the data directory has the details.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export const errorCodeSchema = z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]);

/** The body of every error, over HTTP and the socket. */
export const errorBodySchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  details: z.unknown().optional(),
  requestId: z.string().optional(),
  sessionId: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** An error whose code and message may be shown to the user. Any other error is reported as INTERNAL_ERROR. */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly code: ErrorCode;
  readonly details: unknown;

  constructor(code: ErrorCode, message?: string, options: { details?: unknown; cause?: unknown } = {}) {
    super(message ?? errorCatalogue[code].message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** The public form of an error: an AppError as it is, any other without its message. */
export function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof AppError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  }
  return { code: 'INTERNAL_ERROR', message: errorCatalogue.INTERNAL_ERROR.message };
}
