import { applyPace } from '../scenario/pace.ts';
import type { Pace, Reply, Step, Text } from '../scenario/scenario.ts';
import type { ModelApi, ReplyWriter } from '../wire/api.ts';
import type { EventStream } from '../wire/event-stream.ts';
import type { Clock } from './clock.ts';
import type { Gates } from './gates.ts';

export interface Stage {
  readonly api: ModelApi;
  readonly writer: ReplyWriter;
  readonly stream: EventStream;
  readonly gates: Gates;
  readonly clock: Clock;
  /** How often this reply was requested before. */
  readonly attempt: number;
  /** Aborts when the agent or the server closes the connection; playing then rejects with its reason. */
  readonly signal: AbortSignal;
}

export type ReplyOutcome = 'replied' | 'failed' | 'cut';

export async function playReply(reply: Reply, stage: Stage): Promise<ReplyOutcome> {
  for (const step of reply) {
    const outcome = await playStep(step, stage);
    if (outcome !== undefined) return outcome;
  }
  return finish(stage, 'done');
}

/** Returns an outcome if the reply ends with this step. */
async function playStep(step: Step, stage: Stage): Promise<ReplyOutcome | undefined> {
  const { writer, stream, gates, clock, attempt, signal } = stage;
  switch (step.kind) {
    case 'say':
      return utter(writer.say, step.text, step.pace, stage);
    case 'think':
      return utter(writer.think, step.text, step.pace, stage);
    case 'call':
      writer.call(step.call);
      return undefined;
    case 'gate':
      await gates.wait(step.name, signal);
      return undefined;
    case 'pause':
      await clock.sleep(step.ms, signal);
      return undefined;
    case 'fail':
      if (attempt >= step.times) return undefined;
      refuse(step.status, step.message, stage);
      return 'failed';
    case 'cut':
      if (attempt >= step.times) return undefined;
      await stream.cut();
      return 'cut';
    case 'hang':
      return untilAborted(signal);
    case 'runOut':
      return finish(stage, 'outOfTokens');
  }
}

/** Each chunk is scheduled relative to the first, so that late timers do not slow down the stream. */
async function utter(
  emit: (delta: string) => void,
  text: Text,
  pace: Pace,
  { clock, stream, signal }: Stage,
): Promise<undefined> {
  const { chunks, msBetweenChunks } = applyPace(text, pace);
  const start = clock.now();
  let sent = 0;
  for (const chunk of chunks) {
    const wait = start + sent * msBetweenChunks - clock.now();
    if (wait > 0) await clock.sleep(wait, signal);
    signal.throwIfAborted();
    emit(chunk);
    sent += 1;
    await stream.flushed();
  }
}

function refuse(status: number, message: string, { api, writer, stream }: Stage): void {
  if (stream.begun) {
    writer.breakOff(status, message);
    stream.end();
  } else {
    const refusal = api.refusal(status, message);
    stream.answer(refusal.status, refusal.body);
  }
}

function finish({ writer, stream }: Stage, reason: 'done' | 'outOfTokens'): ReplyOutcome {
  writer.finish(reason);
  stream.end();
  return 'replied';
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
