import type { z } from 'zod';
import { type CommandInput, type CommandName, type CommandOutput, commands } from '../../../shared/commands.ts';
import { errorBodySchema } from '../../../shared/errors.ts';
import { unreadItemsSchema } from '../../../shared/events.ts';
import { answerFrameSchema, CLOSE_UNAUTHORIZED } from '../../../shared/messages.ts';
import type { ConnectionState } from '../../../shared/portlet-messages.ts';
import type { Timers } from '../../shared/timers.ts';
import { failure, notUnderstood, type Outcome, success, unreachable } from './outcome.ts';
import type { Credential } from './proof/credential.ts';
import { type Admission, type SignRequest, startHandshake } from './proof/handshake.ts';
import { type ServerFrame, serverFrameSchema } from './server-frames.ts';

type UnreadPage = z.infer<typeof unreadItemsSchema>;

/** Delays before each attempt to reconnect. The last one repeats forever, because the server is local. */
const RETRY_DELAYS_MS = [250, 500, 1000, 1500] as const;
/** How long the handshake may take. */
const HANDSHAKE_TIMEOUT_MS = 5000;

/**
 * Why the page has no access. `stranger`: what answers does not know our secret. `refused`: our server does not accept it
 * (any more).
 */
export type Denial = 'stranger' | 'refused';

export interface SocketOptions {
  readonly connect: () => WebSocket;
  readonly origin: string;
  readonly newNonce: () => Uint8Array;
  /** Whether another program answers at our address. Asked when no socket can be opened. */
  readonly meetsStranger: () => Promise<boolean>;
  readonly timers: Timers;
  readonly onFrame: (frame: ServerFrame) => void;
  readonly onState: (state: ConnectionState) => void;
  /** Keeps a new key and returns it. */
  readonly onGrant: (key: Uint8Array<ArrayBuffer>) => Promise<Credential>;
  /** A credential did not work; the next one is tried. */
  readonly onSkipped: (credential: Credential) => void;
  /** None of the credentials works. No further attempt is made before the next `start`. */
  readonly onDenied: (denial: Denial, credential: Credential) => void;
}

export interface ServerSocket {
  /** Connects with the first of these credentials that works, and reconnects whenever the connection is lost. */
  start(credentials: readonly [Credential, ...Credential[]]): void;
  stop(): void;
  /** Reconnects at once instead of waiting for the next attempt. */
  wake(): void;
  isReady(): boolean;
  /** The `Authorization` header of a request; null without a connection. */
  readonly signRequest: (...request: Parameters<SignRequest>) => string | null;
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
  let credentials: readonly Credential[] = [];
  let socket: WebSocket | null = null;
  let signRequest: SignRequest | null = null;
  let requests = 0;
  let retries = 0;
  let cancelTimer = (): void => {};

  function open(): void {
    const [credential] = credentials;
    if (credential === undefined) return;
    cancelTimer();
    const opened = options.connect();
    socket = opened;
    cancelTimer = timers.after(HANDSHAKE_TIMEOUT_MS, () => lose(opened));
    const handshake = startHandshake(credential, options.origin, options.newNonce());
    let stage: 'connecting' | 'greeted' | 'checking' | 'proved' = 'connecting';

    async function shake(frame: unknown): Promise<void> {
      if (stage === 'greeted') {
        stage = 'checking';
        const proof = await handshake.prove(frame);
        if (socket !== opened || stage !== 'checking') return;
        if (proof === null) return deny('stranger');
        stage = 'proved';
        opened.send(proof);
      } else if (stage === 'proved') {
        const admission = handshake.admit(frame);
        if (admission === null) deny('stranger');
        else admit(admission);
      } else deny('stranger');
    }

    opened.onopen = () => {
      stage = 'greeted';
      opened.send(handshake.hello);
    };
    opened.onmessage = (event) => {
      if (socket !== opened) return;
      const frame = parseJson(String(event.data));
      if (signRequest === null) void shake(frame);
      else receive(frame);
    };
    opened.onclose = (event) => {
      if (socket !== opened) return;
      // Before the server has proved itself, a close tells nothing: it may be starting or stopping.
      if (event.code === CLOSE_UNAUTHORIZED && stage === 'proved') deny('refused');
      else lose(opened);
      if (stage === 'connecting') void findStranger();
    };
  }

  /** Something else may answer that knows no sockets. */
  async function findStranger(): Promise<void> {
    if ((await options.meetsStranger()) && socket === null) deny('stranger');
  }

  function admit({ signRequest: sign, grant }: Admission): void {
    cancelTimer();
    retries = 0;
    signRequest = sign;
    onState('connected');
    if (grant !== null) void keep(grant);
  }

  /** From now on the page reconnects with its own key: an address works once, or as long as this server runs. */
  async function keep(grant: Uint8Array<ArrayBuffer>): Promise<void> {
    const used = credentials;
    const key = await options.onGrant(grant);
    if (credentials === used) credentials = [key];
  }

  function disconnect(): void {
    cancelTimer();
    const closing = socket;
    socket = null;
    signRequest = null;
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

  /** Tries the next credential, or gives up. */
  function deny(denial: Denial): void {
    const [denied, ...others] = credentials;
    disconnect();
    credentials = others;
    if (denied === undefined) return;
    if (others.length > 0) {
      options.onSkipped(denied);
      open();
      return;
    }
    onState('disconnected');
    options.onDenied(denial, denied);
  }

  function receive(data: unknown): void {
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
    if (frame.success) options.onFrame(frame.data);
  }

  function request<T>(name: CommandName, input: object, output: z.ZodType): Promise<Outcome<T>> {
    if (signRequest === null || socket === null) return Promise.resolve(unreachable);
    requests += 1;
    const requestId = `r${requests}`;
    socket.send(JSON.stringify({ ...input, type: name, requestId }));
    return new Promise((resolve) => {
      pending.set(requestId, (response) => resolve(readResponse<T>(output, response)));
    });
  }

  return {
    start(available) {
      disconnect();
      retries = 0;
      credentials = available;
      onState('connecting');
      open();
    },
    stop() {
      credentials = [];
      disconnect();
    },
    wake() {
      if (socket === null) open();
    },
    isReady: () => signRequest !== null,
    signRequest: (request) => signRequest?.(request) ?? null,
    send(frame) {
      if (signRequest !== null) socket?.send(JSON.stringify(frame));
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
