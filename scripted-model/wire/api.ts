import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation } from '../scenario/conversation.ts';
import type { ToolCall } from '../scenario/scenario.ts';
import type { StreamEvent } from './event-stream.ts';
import type { JsonRecord } from './json.ts';

/** Puts one reply into an API's own events. Neighbouring text belongs together, and so does neighbouring thought. */
export interface ReplyWriter {
  say(delta: string): void;
  think(delta: string): void;
  call(call: ToolCall): void;
  finish(reason: 'done' | 'outOfTokens'): void;
  /** An error after the reply has begun. */
  breakOff(status: number, message: string): void;
}

export interface ReplyContext {
  readonly conversation: Conversation;
  /** Unique per reply; every id inside the reply is made from it. */
  readonly replyId: string;
  readonly send: (event: StreamEvent) => void;
}

/** A model API as an agent sees it. */
export interface ModelApi {
  readRequest(body: JsonRecord, headers: IncomingHttpHeaders): Conversation;
  createWriter(context: ReplyContext): ReplyWriter;
  /** The events of a finished reply as one body, for a request that does not stream. */
  assemble(events: readonly StreamEvent[]): unknown;
  refusal(status: number, message: string): { readonly status: number; readonly body: unknown };
}
