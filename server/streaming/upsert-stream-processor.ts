import { type SessionId, sessionIdSchema } from '../../shared/ids.ts';
import { describeProblems } from '../../shared/parse.ts';
import type { TurnEvent, UpsertObject } from '../../shared/stream-contracts.ts';
import { type StreamEventEnvelope, streamEventEnvelopeSchema } from '../../shared/stream-events.ts';
import type { Clock } from '../clock.ts';
import { translateEnvelope } from './envelope-translation.ts';
import { type Batching, createStreamCore, PROCESSOR_BATCHING, type StreamCore } from './stream-core.ts';

export interface InvalidEvent {
  readonly event: unknown;
  /** Which fields are wrong and why. */
  readonly message: string;
}

export interface UpsertStreamProcessorOptions {
  /** The session of all events, regardless of their `sessionId`. If omitted, each event names its session. */
  readonly sessionId?: SessionId;
  readonly config?: Partial<Batching>;
  readonly clock: Clock;
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
  /** Called for each invalid event, which is otherwise ignored. */
  readonly onInvalid?: (invalid: InvalidEvent) => void;
}

/** Turns canonical stream events into upserts and turn events. */
export interface UpsertStreamProcessor {
  process(event: unknown): void;
  /** Ends everything that is open as failed, including buffered text. Later events are ignored. */
  destroy(reason?: { readonly code: string; readonly message: string }): void;
}

const STREAM_ENDED = {
  code: 'PROCESS_CRASH',
  message: 'The stream ended before the answer was finished. Send the message again.',
};

export function createUpsertStreamProcessor(options: UpsertStreamProcessorOptions): UpsertStreamProcessor {
  const { clock, onUpsert, onTurn, onInvalid = () => {} } = options;
  const batching: Batching = { ...PROCESSOR_BATCHING, ...options.config };
  const cores = new Map<SessionId, StreamCore>();
  let isDestroyed = false;

  function coreOf(sessionId: SessionId): StreamCore {
    const known = cores.get(sessionId);
    if (known !== undefined) return known;
    const core = createStreamCore({
      sessionId,
      providerId: 'unknown',
      clock,
      batching,
      emitArgumentUpdates: false,
      onUpsert,
      onTurn,
    });
    cores.set(sessionId, core);
    return core;
  }

  const schema = options.sessionId === undefined ? ownSessionSchema : streamEventEnvelopeSchema;

  return {
    process(event) {
      if (isDestroyed) return;
      const parsed = schema.safeParse(event);
      if (!parsed.success) {
        onInvalid({ event, message: describeProblems(parsed.error) });
        return;
      }
      const core = coreOf(options.sessionId ?? parsed.data.sessionId);
      for (const action of translateEnvelope(parsed.data)) core.apply(action, parsed.data.timestamp);
    },
    destroy(reason = STREAM_ENDED) {
      isDestroyed = true;
      for (const core of cores.values()) core.destroy(reason);
    },
  };
}

/** Without a fixed session, an event must carry a canonical session id. */
const ownSessionSchema = streamEventEnvelopeSchema.refine(
  (event: StreamEventEnvelope) => sessionIdSchema.safeParse(event.sessionId).success,
  { path: ['sessionId'], message: 'expected a session id of the form cliType:nativeId' },
);
