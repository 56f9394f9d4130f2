import { errorCatalogue } from '../../../shared/errors.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { StreamEventEnvelope, StreamEventPayload } from '../../../shared/stream-events.ts';
import type { Clock } from '../../clock.ts';
import type { ProcessExit } from '../../processes/index.ts';
import { LIVE_BATCHING } from '../../streaming/stream-core.ts';
import { createUpsertStreamProcessor } from '../../streaming/upsert-stream-processor.ts';
import { type SilenceWatch, startSilenceWatch } from '../../engine/silence-watch.ts';
import type { AgentProcess } from './agent-process.ts';
import { type AgentState, createAgentRunner } from './agent-runner.ts';
import { createConversationRecord } from './conversation-record.ts';
import { describeExit } from './envelope-errors.ts';
import { createNotices } from './notices.ts';
import { createOpenTurns } from './open-turns.ts';
import { readLine } from './read-line.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

/** One conversation with an agent of one's own. */
export interface EnvelopeSession {
  readonly state: AgentState;
  readonly transcript: Transcript;
  isAlive(): boolean;
  /** What has ended and could not be written into the transcript. */
  unsaved(): readonly TranscriptEntry[];
  /** Starts the process if none runs. */
  start(): Promise<void>;
  send(turnId: string, content: string): Promise<void>;
  /** Resolves when every turn that was open has ended. */
  cancel(): Promise<void>;
  close(reason: string): Promise<void>;
}

export interface EnvelopeSessionOptions {
  readonly sessionId: SessionId;
  readonly label: string;
  readonly clock: Clock;
  readonly transcript: Transcript;
  /** The place of the next item in the transcript. */
  readonly firstOrder: number;
  readonly cancelGraceMs: number;
  readonly promptTimeoutMs: number;
  readonly startProcess: (output: AgentOutput) => AgentProcess;
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
  readonly onState: (state: AgentState) => void;
  readonly log: (message: string) => void;
}

export interface AgentOutput {
  readonly onLine: (line: string) => void;
  readonly onOversizedLine: () => void;
}

const CANCELLED: StreamEventPayload = { type: 'response_done', status: 'cancelled' };
const TIMED_OUT: StreamEventPayload = {
  type: 'response_error',
  error: { code: 'TURN_TIMEOUT', message: errorCatalogue.TURN_TIMEOUT.message },
};

export function createEnvelopeSession(options: EnvelopeSessionOptions): EnvelopeSession {
  const { sessionId, label, clock, transcript } = options;
  const turns = createOpenTurns();
  /** Runs while a turn is open. */
  let silence: SilenceWatch | undefined;

  const notices = createNotices({
    log: options.log,
    show: (turnId, itemId, content) =>
      tell(turnId, { type: 'item_done', itemId, finalItem: { type: 'message', content, origin: 'system' } }),
  });

  const record = createConversationRecord({
    transcript,
    firstOrder: options.firstOrder,
    clock,
    onFailure: (error) => notices.report(notSaved(error)),
    onRecovery: () => notices.report('This conversation is saved again, with everything that was missing.'),
  });

  const processor = createUpsertStreamProcessor({
    sessionId,
    config: LIVE_BATCHING,
    clock,
    onUpsert: takeUpsert,
    onTurn: takeTurn,
    onInvalid: ({ message }) => notices.report(`${label} printed an event that is not valid. Ignored: ${message}`),
  });

  const runner = createAgentRunner({
    label,
    start: () => options.startProcess({ onLine: takeLine, onOversizedLine }),
    onExit: endOpenTurns,
    onChange: options.onState,
  });

  function takeUpsert(upsert: UpsertObject): void {
    record.take(upsert);
    options.onUpsert(upsert);
  }

  function takeTurn(event: TurnEvent): void {
    const { turnId } = event;
    if (event.type === 'turn_started') {
      options.onTurn(event);
      notices.openTurn(turnId);
      return;
    }
    record.endTurn(turnId);
    notices.closeTurn(turnId);
    options.onTurn(event);
    turns.close(turnId);
    if (turns.list().length === 0) stopWatch();
  }

  function watchSilence(): void {
    silence ??= startSilenceWatch({
      clock,
      limitMs: options.promptTimeoutMs,
      isExcused: record.isToolRunning,
      onSilence: () => abandon(turns.list(), TIMED_OUT),
    });
    silence.touch();
  }

  function stopWatch(): void {
    silence?.stop();
    silence = undefined;
  }

  /** An event of our own making. */
  function tell(turnId: string, payload: StreamEventPayload): void {
    const event: StreamEventEnvelope = {
      eventId: `${turnId}:${payload.type}`,
      timestamp: clock.now(),
      turnId,
      sessionId,
      type: payload.type,
      payload,
    };
    processor.process(event);
  }

  function takeLine(text: string): void {
    silence?.touch();
    const line = readLine(text);
    if (line.kind === 'not-json') {
      notices.report(`${label} printed a line that is not JSON. Ignored: ${text.slice(0, 120)}`);
    } else if (line.kind === 'stray') {
      processor.process(line.value);
    } else if (turns.has(line.turnId)) {
      if (line.isFailure && turns.isCancelled(line.turnId)) tell(line.turnId, CANCELLED);
      else processor.process(line.event);
    } else if (!turns.hasEnded(line.turnId)) {
      notices.report(`${label} printed an event of an unknown turn. Ignored: ${line.turnId.slice(0, 120)}`);
    }
    // What an agent still has to say about a turn that is over is no news.
  }

  function onOversizedLine(): void {
    notices.report(`${label} printed a line that is too long. Ignored; its turn may lack something now.`);
  }

  function endOpenTurns(exit: ProcessExit, agent: AgentProcess): string | undefined {
    const open = turns.list();
    const isExpected = exit.stopReason !== undefined || (exit.code === 0 && open.length === 0);
    const message = describeExit(label, exit, agent.stderrTail());
    const failure: StreamEventPayload = { type: 'response_error', error: { code: 'PROCESS_CRASH', message } };
    for (const turnId of open) tell(turnId, turns.isCancelled(turnId) ? CANCELLED : failure);
    return isExpected ? undefined : message;
  }

  /** Ends turns that the agent does not end, and the process with them: whatever it is still doing must stop. */
  function abandon(turnIds: readonly string[], ending: StreamEventPayload): void {
    for (const turnId of turnIds) if (turns.has(turnId)) tell(turnId, ending);
    void runner.kill('abandoned');
  }

  return {
    get state() {
      return runner.current;
    },
    transcript,
    isAlive: () => runner.running() !== undefined,
    unsaved: record.unsaved,
    async start() {
      await runner.ensure();
    },
    async send(turnId, content) {
      const agent = await runner.ensure();
      turns.open(turnId);
      watchSilence();
      takeUpsert(userMessage(sessionId, turnId, content, clock.now()));
      agent.send({ turnId, content });
    },
    async cancel() {
      const open = turns.list();
      if (open.length === 0) return;
      for (const turnId of open) {
        turns.cancel(turnId);
        runner.running()?.send({ turnId, cancel: true });
      }
      const timer = clock.setTimeout(() => abandon(open, CANCELLED), options.cancelGraceMs);
      await turns.allEnded(open);
      clock.clearTimeout(timer);
    },
    async close(reason) {
      await runner.close(reason);
      processor.destroy();
      record.close();
    },
  };
}

function notSaved(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `This conversation cannot be saved at the moment (${reason}). Check free space and permissions of the data directory. It is tried again every few seconds; what is not saved when the server stops is lost.`;
}

function userMessage(sessionId: SessionId, turnId: string, content: string, now: string): UpsertObject {
  return {
    type: 'message',
    turnId,
    sessionId,
    itemId: `${turnId}:user`,
    sourceTimestamp: now,
    emittedAt: now,
    status: 'complete',
    content,
    origin: 'user',
  };
}
