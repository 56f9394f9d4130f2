import type { Conversation } from '../scenario/conversation.ts';
import type { JsonRecord } from '../wire/json.ts';
import type { ReplyOutcome } from './play-reply.ts';

/** `hungUp`: the agent or the server closed the connection before the reply had ended. */
export type RequestOutcome = 'open' | ReplyOutcome | 'hungUp' | 'scenarioThrew';

export interface RecordedRequest {
  readonly conversation: Conversation;
  readonly body: JsonRecord;
  /** How often this reply was requested before. */
  readonly attempt: number;
  /** Times are milliseconds since the epoch, with fractions. */
  readonly receivedAt: number;
  readonly firstEventAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly outcome: RequestOutcome;
}

/** The record of a request that is being answered. */
export type OpenRecord = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] };

/** Keeps the newest `limit` requests, oldest first. */
export function createRequestLog(limit: number) {
  const requests: RecordedRequest[] = [];
  return {
    requests: requests as readonly RecordedRequest[],
    add(record: OpenRecord): OpenRecord {
      requests.push(record);
      if (requests.length > limit) requests.shift();
      return record;
    },
  };
}
