import { WebSocket } from 'ws';
import type { CommandOutput } from '../../shared/commands.ts';
import type { EventMessage, HistoryMessage } from '../../shared/events.ts';
import { type Conversation, createConversation } from './conversation.ts';

/** Called with what a user sees of a fault in this window. */
export interface Sign {
  readonly at: number;
  readonly sessionId?: string;
  readonly text: string;
}

export interface SoakWindow {
  readonly name: string;
  readonly conversations: ReadonlyMap<string, Conversation>;
  readonly signs: readonly Sign[];
  /** How often the socket was lost and the window reconnected. */
  readonly returns: number;
  subscribe(sessionId: string): void;
  /** Cuts the connection as a network failure does. The window reconnects by itself. */
  cut(): void;
  /** Pauses or resumes reading. */
  freeze(frozen: boolean): void;
  /** Resolves when every session has its snapshot again. */
  settled(): Promise<void>;
  close(): void;
}

export interface WindowOptions {
  readonly origin: string;
  readonly token: string;
  readonly name: string;
  /** Called with text and the time at which its frame arrived. */
  readonly onText?: (text: string, at: number) => void;
  /** Called for text that does not continue the previous text. */
  readonly onFlaw?: (flaw: string) => void;
  /** Called when a turn ended or a snapshot without a running turn arrived. */
  readonly onIdle?: (sessionId: string) => void;
}

type ItemsMessage = CommandOutput<'session:items'> & { readonly type: 'session:items' };

const RETURN_AFTER_MS = 500;

export function openWindow(options: WindowOptions): SoakWindow {
  const { origin, token, name, onText, onFlaw, onIdle } = options;
  const conversations = new Map<string, Conversation>();
  const awaited = new Set<string>();
  const signs: Sign[] = [];
  let whenSettled: (() => void)[] = [];
  let socket: WebSocket;
  let returns = 0;
  let isClosed = false;

  function sign(text: string, sessionId?: string): void {
    signs.push({ at: performance.now(), text, ...(sessionId !== undefined && { sessionId }) });
  }

  function connect(): void {
    socket = new WebSocket(`${origin.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    socket.on('error', () => undefined);
    socket.on('open', () => {
      for (const sessionId of conversations.keys()) ask(sessionId);
    });
    socket.on('message', (data) =>
      take(JSON.parse(String(data)) as EventMessage | ItemsMessage, performance.timeOrigin + performance.now()),
    );
    socket.on('close', () => {
      if (isClosed) return;
      sign('The window lost its connection.');
      returns += 1;
      for (const sessionId of conversations.keys()) awaited.add(sessionId);
      setTimeout(() => isClosed || connect(), RETURN_AFTER_MS);
    });
  }

  function ask(sessionId: string): void {
    awaited.add(sessionId);
    socket.send(JSON.stringify({ type: 'session:subscribe', sessionId }));
  }

  /** Asks for the page before this one; without one the conversation is complete. */
  function continueWith({
    sessionId,
    entries,
    more,
  }: Pick<HistoryMessage, 'sessionId' | 'entries'> & { more?: boolean | undefined }) {
    const before = entries[0]?.itemId;
    if (more) socket.send(JSON.stringify({ type: 'session:items', sessionId, before }));
    else {
      awaited.delete(sessionId);
      settle();
    }
  }

  function take(message: EventMessage | ItemsMessage, at: number): void {
    switch (message.type) {
      case 'session:history':
        conversations.get(message.sessionId)?.reset(message);
        continueWith(message);
        break;
      case 'session:items':
        conversations.get(message.sessionId)?.prepend(message);
        continueWith(message);
        return;
      case 'session:upsert':
        takeText(message, at);
        return;
      case 'session:turn':
        conversations.get(message.sessionId)?.takeTurn(message.payload);
        if (message.payload.type === 'turn_error') sign(message.payload.errorMessage, message.sessionId);
        break;
      case 'agent:status':
        if (message.message !== undefined) sign(message.message, message.sessionId);
        return;
      case 'error':
        sign(message.message, message.sessionId);
        return;
      default:
        return;
    }
    if (conversations.get(message.sessionId)?.isRunning() === false) onIdle?.(message.sessionId);
  }

  function takeText({ sessionId, payload }: Extract<EventMessage, { type: 'session:upsert' }>, at: number): void {
    const added = conversations.get(sessionId)?.take(payload);
    if (added === undefined) onFlaw?.(`${name}: ${payload.itemId} does not continue what was there`);
    else if (payload.type === 'message' && payload.origin === 'agent' && added !== '') onText?.(added, at);
    else if (payload.type === 'message' && payload.origin === 'system') sign(payload.content, sessionId);
  }

  function settle(): void {
    if (awaited.size > 0) return;
    for (const resolve of whenSettled) resolve();
    whenSettled = [];
  }

  connect();
  return {
    name,
    conversations,
    signs,
    get returns() {
      return returns;
    },
    subscribe(sessionId) {
      conversations.set(sessionId, createConversation());
      if (socket.readyState === WebSocket.OPEN) ask(sessionId);
      else awaited.add(sessionId);
    },
    cut: () => socket.terminate(),
    freeze(frozen) {
      if (frozen) socket.pause();
      else socket.resume();
    },
    settled: () => (awaited.size === 0 ? Promise.resolve() : new Promise((resolve) => whenSettled.push(resolve))),
    close() {
      isClosed = true;
      socket.terminate();
    },
  };
}
