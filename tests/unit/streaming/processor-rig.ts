import {
  createUpsertStreamProcessor,
  type InvalidEvent,
  type UpsertStreamProcessorOptions,
} from '../../../server/streaming/upsert-stream-processor.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createOutputLog, words } from '../../support/output-log.ts';
import { delta, SESSION } from './envelopes.ts';

type RigOptions = Pick<UpsertStreamProcessorOptions, 'sessionId' | 'config'>;

/** A processor with all that surrounds it. */
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
    /** One word per delta; tells after how many words each emission came. */
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
