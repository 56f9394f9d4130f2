import { describeCrash } from '../../../../server/providers/claude/claude-errors.ts';
import { createSessionStream } from '../../../../server/providers/claude/session-stream.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import type { RecordedLine } from './recording.ts';

const START = Date.UTC(2026, 0, 1);

export interface Played {
  readonly upserts: readonly UpsertObject[];
  readonly turns: readonly TurnEvent[];
  /** Both, in the order they came, one JSON object a line. */
  readonly text: string;
}

/** Plays a recording into a session's stream, at the recorded times. */
export async function playRecording(lines: readonly RecordedLine[]): Promise<Played> {
  const clock = createManualClock(START);
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const output: string[] = [];
  const write = (what: object) => output.push(JSON.stringify({ at: clock.monotonic(), ...what }));
  const stream = createSessionStream({
    sessionId: 'claude-code:recorded',
    providerId: 'claude-code',
    clock,
    onUpsert: (upsert) => {
      upserts.push(upsert);
      write({ upsert });
    },
    onTurn: (turn) => {
      turns.push(turn);
      write({ turn });
    },
  });

  for (const line of lines) {
    clock.advance(line.at - clock.monotonic());
    if (line.dir === 'in') void stream.expectTurn(line.msg.uuid, line.msg.message.content);
    else if (line.dir === 'out') stream.receive(line.msg);
    else if (line.dir === 'threw') {
      const crash = describeCrash({ code: null, signal: 'SIGKILL', words: '' });
      stream.end(crash, new Error(crash.message));
    }
  }
  return { upserts, turns, text: `${output.join('\n')}\n` };
}
