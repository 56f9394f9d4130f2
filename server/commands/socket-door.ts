import type { WebSocket } from 'ws';
import { type CommandName, commands } from '../../shared/commands.ts';
import { AppError, type ErrorBody, toErrorBody } from '../../shared/errors.ts';
import {
  authMessageSchema,
  CLOSE_UNAUTHORIZED,
  type ClientFrame,
  clientFrameSchema,
  subscriptionInputSchema,
} from '../../shared/messages.ts';
import { invalidInput } from '../../shared/parse.ts';
import type { Clock } from '../clock.ts';
import { createWindow, type Hub, serialise, type Window } from '../delivery/index.ts';
import type { CommandRunner } from './run-command.ts';

export interface SocketDoorDeps {
  readonly runner: CommandRunner;
  readonly hub: Hub;
  readonly clock: Clock;
  readonly checkToken: (candidate: string) => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly authTimeoutMs: number;
  readonly maxBufferedBytes: number;
}

/** Serves every command of the table on one socket, and the subscriptions. Listens before anything else happens. */
export function serveSocket(socket: WebSocket, authenticated: boolean, deps: SocketDoorDeps): void {
  const window = createWindow(socket, { maxBufferedBytes: deps.maxBufferedBytes });
  let admitted = false;

  function admit(): void {
    admitted = true;
    deps.clock.clearTimeout(deadline);
    deps.hub.add(window);
  }
  const refuse = () => socket.close(CLOSE_UNAUTHORIZED, 'A token is required.');
  const deadline = deps.clock.setTimeout(() => {
    if (!admitted) refuse();
  }, deps.authTimeoutMs);

  socket.on('message', (data, isBinary) => {
    const text = isBinary ? '' : data.toString();
    if (admitted) void answer(window, text, deps);
    else if (isValidAuth(text, deps.checkToken)) {
      admit();
      window.send('{"type":"auth:ok"}');
    } else refuse();
  });
  socket.on('pong', () => window.markAlive());
  socket.on('error', (error) => deps.onFailure(error));
  socket.on('close', () => {
    deps.clock.clearTimeout(deadline);
    deps.hub.remove(window);
  });
  if (authenticated) admit();
}

function isValidAuth(text: string, checkToken: SocketDoorDeps['checkToken']): boolean {
  const message = authMessageSchema.safeParse(parseJson(text));
  return message.success && checkToken(message.data.token);
}

async function answer(window: Window, text: string, deps: SocketDoorDeps): Promise<void> {
  const raw = parseJson(text);
  let frame: ClientFrame | undefined;
  try {
    frame = parseFrame(raw);
    const reply = await perform(window, frame, deps);
    if (reply !== undefined)
      window.send(serialise({ ...reply, ...(frame.requestId && { requestId: frame.requestId }) }));
  } catch (error) {
    if (!(error instanceof AppError)) deps.onFailure(error);
    window.send(serialise({ type: 'error', ...toErrorBody(error), ...contextOf(raw) }));
  }
}

async function perform(window: Window, frame: ClientFrame, deps: SocketDoorDeps) {
  const { type, requestId, ...input } = frame;
  switch (type) {
    case 'session:open':
    case 'session:subscribe':
      await deps.hub.subscribe(window, subscription(input), requestId);
      return undefined;
    case 'session:unsubscribe':
      deps.hub.unsubscribe(window, subscription(input));
      return { type, ...input };
    default: {
      const name: CommandName = type;
      return { type: commands[name].reply, ...(await deps.runner.run(name, input, window)) };
    }
  }
}

function parseFrame(raw: unknown): ClientFrame {
  const result = clientFrameSchema.safeParse(raw);
  if (result.success) return result.data;
  throw invalidInput(result.error);
}

function subscription(input: unknown): string {
  const result = subscriptionInputSchema.safeParse(input);
  if (result.success) return result.data.sessionId;
  const sessionId = Reflect.get(Object(input), 'sessionId');
  throw typeof sessionId === 'string' ? new AppError('SESSION_NOT_FOUND') : invalidInput(result.error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the asker needs to know which of its messages failed, as far as that can be told. */
function contextOf(raw: unknown): Pick<ErrorBody, 'requestId' | 'sessionId'> {
  const field = (name: string) => {
    const value: unknown = typeof raw === 'object' && raw !== null ? Reflect.get(raw, name) : undefined;
    return typeof value === 'string' && value.length <= 256 ? { [name]: value } : {};
  };
  return { ...field('requestId'), ...field('sessionId') };
}
