import {
  createUpsertStreamProcessor,
  type InvalidEvent,
  type UpsertStreamProcessorOptions,
} from '../../../server/streaming/upsert-stream-processor.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createOutputLog, words } from '../../support/output-log.ts';
import { delta, SESSION } from './envelopes.ts';

type RigOptions = Pick<UpsertStreamProcessorOptions, 'sessionId' | 'config'>;

/** A processor with a manual clock and an output log. */
export function createProcessorRig(options: RigOptions = { sessionId: SESSION }) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const log = createOutputLog();
  const invalid: InvalidEvent[] = [];
  const processor = createUpsertStreamProcessor({
    ...options,
    clock,
    onUpsert: log.onUpsert,
    onTurn: log.onTurn,
    onInvalid: (event) => invalid.push(event),
  });

  const feed = (...events: unknown[]) => {
    for (const event of events) processor.process(event);
  };

  return {
    clock,
    log,
    invalid,
    processor,
    feed,
    /** Feeds one word per delta; returns the number of words at each emission. */
    pushesOver(total: number): number[] {
      const pushes: number[] = [];
      for (let word = 1; word <= total; word += 1) {
        const before = log.upserts().length;
        feed(delta(words(1, word)));
        if (log.upserts().length > before) pushes.push(word);
      }
      return pushes;
    },
  };
}

export type ProcessorRig = ReturnType<typeof createProcessorRig>;
