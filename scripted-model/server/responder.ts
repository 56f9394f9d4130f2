import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { closingReply, titleReply } from '../scenario/built-in.ts';
import type { Conversation } from '../scenario/conversation.ts';
import type { Reply } from '../scenario/scenario.ts';
import type { ModelApi } from '../wire/api.ts';
import { createCollectingStream, createEventStream, type EventStream } from '../wire/event-stream.ts';
import type { JsonRecord } from '../wire/json.ts';
import { createAttemptCounter } from './attempts.ts';
import type { Clock } from './clock.ts';
import type { Gates } from './gates.ts';
import { playReply } from './play-reply.ts';
import type { OpenRecord } from './request-log.ts';

interface Dependencies {
  readonly gates: Gates;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly record: (request: OpenRecord) => OpenRecord;
  readonly chooseReplies: (conversation: Conversation) => readonly Reply[];
}

export interface ModelCall {
  readonly api: ModelApi;
  readonly body: JsonRecord;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
}

/** Answers one model request. Never rejects: failures are part of the record. */
export function createResponder({ gates, clock, newId, record, chooseReplies }: Dependencies) {
  const attempts = createAttemptCounter();

  const pickReply = (conversation: Conversation): Reply =>
    conversation.isSideQuestion ? titleReply : (chooseReplies(conversation)[conversation.position] ?? closingReply);

  return async ({ api, body, headers, response }: ModelCall): Promise<void> => {
    const conversation = api.readRequest(body, headers);
    const entry = record({
      conversation,
      body,
      attempt: attempts.next(conversation),
      receivedAt: clock.now(),
      firstEventAt: undefined,
      endedAt: undefined,
      outcome: 'open',
    });
    const stream = body.stream === true ? createEventStream(response) : createCollectingStream(response, api.assemble);
    const hangUp = abortOnClose(response);
    const writer = api.createWriter({
      conversation,
      replyId: newId(),
      send: (event) => {
        entry.firstEventAt ??= clock.now();
        stream.send(event);
      },
    });
    try {
      const reply = pickReply(conversation);
      const { attempt } = entry;
      entry.outcome = await playReply(reply, { api, writer, stream, gates, clock, attempt, signal: hangUp });
    } catch (error) {
      if (hangUp.aborted) entry.outcome = 'hungUp';
      else {
        entry.outcome = 'scenarioThrew';
        await reportBrokenScenario(error, api, stream);
      }
    }
    entry.endedAt = clock.now();
  };
}

function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort(new Error('the connection was closed')));
  return controller.signal;
}

/** A 400, because agents do not retry it. */
async function reportBrokenScenario(error: unknown, api: ModelApi, stream: EventStream): Promise<void> {
  if (stream.begun) return stream.cut();
  const { status, body } = api.refusal(400, `The scenario threw: ${String(error)}`);
  stream.answer(status, body);
}
