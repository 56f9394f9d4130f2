import type { IncomingHttpHeaders } from 'node:http';
import type { Conversation } from '../scenario/conversation.ts';
import type { ToolCall } from '../scenario/scenario.ts';
import type { StreamEvent } from './event-stream.ts';
import type { JsonRecord } from './json.ts';

/** Writes a reply as events of an API. Adjacent text is one block, and so is adjacent reasoning. */
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
  /** Unique per reply; all ids in the reply are derived from it. */
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
