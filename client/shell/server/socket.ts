import type { z } from 'zod';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../../shared/commands.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import { unreadItemsSchema } from '../../../shared/events.ts';
import { answerFrameSchema, CLOSE_UNAUTHORIZED } from '../../../shared/messages.ts';
import type { ConnectionState } from '../../../shared/portlet-messages.ts';
import type { Timers } from '../../shared/timers.ts';
import { failure, notUnderstood, type Outcome, success, unreachable } from './outcome.ts';
import { type ServerFrame, serverFrameSchema } from './server-frames.ts';

type UnreadPage = z.infer<typeof unreadItemsSchema>;

/** Delays before each attempt to reconnect. The last one repeats forever, because the server is local. */
const RETRY_DELAYS_MS = [250, 500, 1000, 1500] as const;
/** How long to wait for `auth:ok` before reconnecting. */
const AUTH_TIMEOUT_MS = 5000;

export interface SocketOptions {
  readonly connect: () => WebSocket;
  readonly timers: Timers;
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onState: (state: ConnectionState) => void;
  readonly onUnauthorized: () => void;
}

export interface ServerSocket {
  /** Connects with this token and reconnects whenever the connection is lost. */
  start(token: string): void;
  stop(): void;
  /** Reconnects at once instead of waiting for the next attempt. */
  wake(): void;
  /** Sends a frame without a response. Dropped while disconnected: the caller sends it again after reconnecting. */
  send(frame: { readonly type: string; readonly [field: string]: unknown }): void;
  /** Sends a request and waits for the response. A lost connection ends it as unreachable. */
  request<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Outcome<CommandOutput<N>>>;
  /** Requests a page of a conversation, which the session page parses. */
  requestPage(input: CommandInput<'session:items'>): Promise<Outcome<UnreadPage>>;
}

export function createSocket(options: SocketOptions): ServerSocket {
  const { timers, onState } = options;
  const pending = new Map<string, (response: unknown) => void>();
  let token: string | null = null;
  let socket: WebSocket | null = null;
  let ready = false;
  let requests = 0;
  let retries = 0;
  let cancelTimer = (): void => {};

  function open(): void {
    cancelTimer();
    const opened = options.connect();
    socket = opened;
    cancelTimer = timers.after(AUTH_TIMEOUT_MS, () => lose(opened));
    let hasSentToken = false;
    opened.onopen = () => {
      hasSentToken = true;
      opened.send(JSON.stringify({ type: 'auth', token }));
    };
    opened.onmessage = (event) => {
      if (socket === opened) receive(String(event.data));
    };
    opened.onclose = (event) => {
      if (socket !== opened) return;
      // The server uses the same code for a socket that sent no token in time, for instance during sleep.
      if (event.code === CLOSE_UNAUTHORIZED && hasSentToken) refuse();
      else lose(opened);
    };
  }

  function disconnect(): void {
    cancelTimer();
    const closing = socket;
    socket = null;
    ready = false;
    closing?.close();
    for (const settle of [...pending.values()]) settle(null);
    pending.clear();
  }

  function lose(lost: WebSocket): void {
    if (socket !== lost) return;
    disconnect();
    onState('reconnecting');
    const delay = RETRY_DELAYS_MS[Math.min(retries, RETRY_DELAYS_MS.length - 1)] ?? 0;
    retries += 1;
    cancelTimer = timers.after(delay, open);
  }

  function refuse(): void {
    disconnect();
    token = null;
    onState('disconnected');
    options.onUnauthorized();
  }

  function receive(text: string): void {
    const data = parseJson(text);
    const response = answerFrameSchema.safeParse(data);
    if (response.success) {
      const settle = pending.get(response.data.requestId);
      pending.delete(response.data.requestId);
      settle?.(response.data);
      // The error of a subscription, which nobody waits for, is an event of its session.
      const isHandled = settle !== undefined || response.data.sessionId === undefined;
      if (response.data.type === 'error' && isHandled) return;
    }
    const frame = serverFrameSchema.safeParse(data);
    if (!frame.success) return;
    if (frame.data.type === 'auth:ok') {
      cancelTimer();
      retries = 0;
      ready = true;
      onState('connected');
      return;
    }
    options.onFrame(frame.data);
  }

  function request<T>(name: CommandName, input: object, output: z.ZodType): Promise<Outcome<T>> {
    if (!ready || socket === null) return Promise.resolve(unreachable);
    requests += 1;
    const requestId = `r${requests}`;
    socket.send(JSON.stringify({ ...input, type: name, requestId }));
    return new Promise((resolve) => {
      pending.set(requestId, (response) => resolve(readResponse<T>(output, response)));
    });
  }

  return {
    start(newToken) {
      disconnect();
      retries = 0;
      token = newToken;
      onState('connecting');
      open();
    },
    stop: disconnect,
    wake() {
      if (token !== null && socket === null) open();
    },
    send(frame) {
      if (ready) socket?.send(JSON.stringify(frame));
    },
    request: <N extends CommandName>(name: N, input: CommandInput<N>) =>
      request<CommandOutput<N>>(name, input, commands[name].output),
    requestPage: (input) => request<UnreadPage>('session:items', input, unreadItemsSchema),
  };
}

function readResponse<T>(schema: z.ZodType, response: unknown): Outcome<T> {
  if (response === null) return unreachable;
  const error = errorBodySchema.safeParse(response);
  if (error.success) return failure(error.data);
  const output = schema.safeParse(response);
  return output.success ? success(output.data as T) : notUnderstood;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
