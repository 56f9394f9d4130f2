import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../../shared/commands.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import { CLOSE_UNAUTHORIZED } from '../../../shared/messages.ts';
import type { ConnectionState } from '../../../shared/portlet-messages.ts';
import { createBackoff } from './backoff.ts';
import { failure, notUnderstood, type Outcome, success, unreachable } from './outcome.ts';
import { answerFrameSchema, type ServerFrame, serverFrameSchema } from './server-frames.ts';
import type { Timers } from '../../shared/timers.ts';

/** A server that accepts a socket and then says nothing is given up after this long. */
const GREETING_TIMEOUT_MS = 5000;

export interface SocketOptions {
  readonly connect: () => WebSocket;
  readonly timers: Timers;
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onState: (state: ConnectionState) => void;
  readonly onUnauthorized: () => void;
}

export interface ServerSocket {
  /** Connects with this token, and again whenever the connection is lost. */
  start(token: string): void;
  stop(): void;
  /** Tries at once instead of waiting for the next attempt. */
  wake(): void;
  /** Sends a frame that is not answered. Dropped while there is no connection: what matters is sent again after it. */
  send(frame: { readonly type: string; readonly [field: string]: unknown }): void;
  /** Asks and waits for the answer; a lost connection ends it as unreachable. */
  request<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Outcome<CommandOutput<N>>>;
}

export function createSocket(options: SocketOptions): ServerSocket {
  const { timers, onState } = options;
  const backoff = createBackoff();
  const pending = new Map<string, (answer: unknown) => void>();
  let token: string | null = null;
  let socket: WebSocket | null = null;
  let ready = false;
  let requests = 0;
  let cancelTimer = (): void => {};

  function open(): void {
    cancelTimer();
    const opened = options.connect();
    socket = opened;
    cancelTimer = timers.after(GREETING_TIMEOUT_MS, () => lose(opened));
    let hasAsked = false;
    opened.onopen = () => {
      hasAsked = true;
      opened.send(JSON.stringify({ type: 'auth', token }));
    };
    opened.onmessage = (event) => {
      if (socket === opened) receive(String(event.data));
    };
    opened.onclose = (event) => {
      if (socket !== opened) return;
      // A window that slept before it could show its token is closed with the same code.
      if (event.code === CLOSE_UNAUTHORIZED && hasAsked) refuse();
      else lose(opened);
    };
  }

  function letGo(): void {
    cancelTimer();
    const left = socket;
    socket = null;
    ready = false;
    left?.close();
    for (const settle of [...pending.values()]) settle(null);
    pending.clear();
  }

  function lose(lost: WebSocket): void {
    if (socket !== lost) return;
    letGo();
    onState('reconnecting');
    cancelTimer = timers.after(backoff.next(), open);
  }

  function refuse(): void {
    letGo();
    token = null;
    onState('disconnected');
    options.onUnauthorized();
  }

  function receive(text: string): void {
    const data = parseJson(text);
    const answer = answerFrameSchema.safeParse(data);
    if (answer.success) {
      const settle = pending.get(answer.data.requestId);
      pending.delete(answer.data.requestId);
      settle?.(answer.data);
      if (answer.data.type === 'error') return;
    }
    const frame = serverFrameSchema.safeParse(data);
    if (!frame.success) return;
    if (frame.data.type === 'auth:ok') {
      cancelTimer();
      backoff.reset();
      ready = true;
      onState('connected');
      return;
    }
    options.onFrame(frame.data);
  }

  return {
    start(newToken) {
      letGo();
      backoff.reset();
      token = newToken;
      onState('connecting');
      open();
    },
    stop: letGo,
    wake() {
      if (token !== null && socket === null) open();
    },
    send(frame) {
      if (ready) socket?.send(JSON.stringify(frame));
    },
    request<N extends CommandName>(name: N, input: CommandInput<N>) {
      if (!ready || socket === null) return Promise.resolve(unreachable);
      requests += 1;
      const requestId = `r${requests}`;
      socket.send(JSON.stringify({ ...input, type: name, requestId }));
      return new Promise<Outcome<CommandOutput<N>>>((resolve) => {
        pending.set(requestId, (answer) => resolve(readAnswer(name, answer)));
      });
    },
  };
}

function readAnswer<N extends CommandName>(name: N, answer: unknown): Outcome<CommandOutput<N>> {
  if (answer === null) return unreachable;
  const error = errorBodySchema.safeParse(answer);
  if (error.success) return failure(error.data);
  const output = commands[name].output.safeParse(answer);
  return output.success ? success(output.data as CommandOutput<N>) : notUnderstood;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
