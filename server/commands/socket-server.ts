import type { WebSocket } from 'ws';
import { type CommandName, commands } from '../../shared/commands.ts';
import { AppError, type ErrorBody, toErrorBody } from '../../shared/errors.ts';
import {
  CLOSE_UNAUTHORIZED,
  type ClientFrame,
  clientFrameSchema,
  subscriptionSchema,
  unsubscriptionSchema,
} from '../../shared/messages.ts';
import { invalidInput } from '../../shared/parse.ts';
import type { Clock } from '../clock.ts';
import { createWindow, type Hub, serialise, type Window } from '../delivery/index.ts';
import { nameOutOfFiles } from '../open-files.ts';
import type { Credentials } from '../security/credentials.ts';
import type { Handshake } from '../security/handshake.ts';
import { type CommandRunner, parseInput } from './run-command.ts';

export interface SocketServerDeps {
  readonly runner: CommandRunner;
  readonly hub: Hub;
  readonly clock: Clock;
  /** Starts the handshake of a socket that was opened at this origin. */
  readonly startHandshake: (origin: string) => Handshake;
  readonly onRenewed: Credentials['onRenewed'];
  readonly onFailure: (error: unknown) => void;
  readonly authTimeoutMs: number;
  readonly maxBufferedBytes: number;
}

/**
 * Serves a socket. Unless it was authenticated by its headers, it begins with a handshake or a frame with the token.
 */
export type ServeSocket = (socket: WebSocket, opened: OpenedSocket) => void;

export interface OpenedSocket {
  readonly authenticated: boolean;
  readonly origin: string;
  /** Called when the socket is authenticated. */
  readonly onAdmitted: () => void;
}

/** Serves commands and subscriptions on a socket. Attaches its listeners synchronously, so that no frame is lost. */
export function createSocketServer(deps: SocketServerDeps): ServeSocket {
  return (socket, { authenticated, origin, onAdmitted }) => {
    const window = createWindow(socket, deps);
    const handshake = deps.startHandshake(origin);
    let state: 'waiting' | 'admitted' | 'refused' = 'waiting';
    let deadline: unknown;

    function stopWaiting(next: typeof state): void {
      state = next;
      deps.clock.clearTimeout(deadline);
    }
    function admit(): void {
      stopWaiting('admitted');
      onAdmitted();
      deps.hub.add(window);
    }
    /** Later frames are ignored: one attempt per socket. */
    function refuse(code: number, reason: string): void {
      stopWaiting('refused');
      handshake.end();
      socket.close(code, reason);
    }
    const refuseToken = () => refuse(CLOSE_UNAUTHORIZED, 'A token is required.');
    const stopListening = deps.onRenewed(() => refuse(CLOSE_UNAUTHORIZED, 'The token was renewed.'));

    function authenticate(text: string): void {
      const step = handshake.receive(parseJson(text));
      if (step.kind === 'refused') refuseToken();
      else window.send(serialise(step.reply));
      if (step.kind === 'admitted') admit();
    }

    socket.on('message', (data, isBinary) => {
      const text = isBinary ? '' : data.toString();
      if (state === 'admitted') void answer(window, text, deps);
      else if (state === 'waiting') authenticate(text);
    });
    socket.on('pong', () => window.markAlive());
    socket.on('close', () => {
      stopWaiting('refused');
      handshake.end();
      stopListening();
      deps.hub.remove(window);
    });

    if (authenticated) admit();
    else deadline = deps.clock.setTimeout(refuseToken, deps.authTimeoutMs);
  };
}

async function answer(window: Window, text: string, deps: SocketServerDeps): Promise<void> {
  const raw = parseJson(text);
  let frame: ClientFrame | undefined;
  try {
    frame = parseFrame(raw);
    const reply = await perform(window, frame, deps);
    if (reply !== undefined)
      window.send(serialise({ ...reply, ...(frame.requestId && { requestId: frame.requestId }) }));
  } catch (error) {
    const named = nameOutOfFiles(error);
    if (!(named instanceof AppError)) deps.onFailure(named);
    window.send(serialise({ type: 'error', ...toErrorBody(named), ...contextOf(raw) }));
  }
}

async function perform(window: Window, frame: ClientFrame, deps: SocketServerDeps) {
  const { type, requestId, ...input } = frame;
  switch (type) {
    case 'session:open':
    case 'session:subscribe':
      await deps.hub.subscribe(window, parseInput(subscriptionSchema, input), requestId);
      return undefined;
    case 'session:unsubscribe':
      deps.hub.unsubscribe(window, parseInput(unsubscriptionSchema, input).sessionId);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells the client which of its messages failed, as far as that is known. */
function contextOf(raw: unknown): Pick<ErrorBody, 'requestId' | 'sessionId'> {
  const field = (name: string) => {
    const value: unknown = typeof raw === 'object' && raw !== null ? Reflect.get(raw, name) : undefined;
    return typeof value === 'string' && value.length <= 256 ? { [name]: value } : {};
  };
  return { ...field('requestId'), ...field('sessionId') };
}
