import { type AgentSession, createAgentSession } from '../../../../server/engine/agent-session.ts';
import type { Driver } from '../../../../server/engine/driver.ts';
import { decidePermission } from '../../../../server/engine/permission.ts';
import { createProcessKeeper } from '../../../../server/engine/process-keeper.ts';
import { ProviderError } from '../../../../server/engine/provider-errors.ts';
import { toShownOutput } from '../../../../server/providers/claude/content/output-file.ts';
import { createMessageReader, type MessageReader } from '../../../../server/providers/claude/live/message-reader.ts';
import type { NativeMessage } from '../../../../server/providers/claude/live/native-messages.ts';
import { describeCrash } from '../../../../server/providers/claude/process/claude-errors.ts';
import type { TurnEvent, UpsertObject } from '../../../../shared/stream-contracts.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';
import { outputsOf, type RecordedLine, taskOfFile } from './recording.ts';

const START = Date.UTC(2026, 0, 1);

export interface Played {
  readonly upserts: readonly UpsertObject[];
  readonly turns: readonly TurnEvent[];
  /** Both in order, one JSON object per line. */
  readonly text: string;
}

export interface PlayedSession {
  readonly session: AgentSession;
  receive(message: NativeMessage): void;
  /** The process is gone. */
  crash(): void;
  /** Another process continues the session. */
  restart(): void;
}

/** A session of the engine that gets the agent's messages from the test. */
export function openPlayedSession(
  clock: ManualClock,
  onUpsert: (upsert: UpsertObject) => void,
  onTurn: (event: TurnEvent) => void,
): PlayedSession {
  const reject = () => Promise.reject(new Error('a played session has no process'));
  const session = createAgentSession({
    driver: PLAYED_DRIVER,
    target: { sessionId: 'claude-code:recorded', nativeId: 'recorded', projectDir: '/', wasUsed: false },
    keeper: createProcessKeeper({
      label: 'Claude Code',
      clock,
      startTimeoutMs: 1_000,
      launch: reject,
      onStatus: () => {},
      onEnded: () => {},
    }),
    access: undefined,
    clock,
    promptTimeoutMs: 600_000,
    cancelGraceMs: 5_000,
    decidePermission,
    onUpsert,
    onTurn,
    onReceipt: () => {},
    onUse: () => {},
    log: () => {},
  });
  let reader: MessageReader | undefined;
  const restart = () =>
    session.attach({
      nativeId: 'recorded',
      attach(sink) {
        reader = createMessageReader(sink, (problem, error) => {
          throw error ?? new Error(problem);
        });
        return { prompt: () => {}, interrupt: async () => true, abandon: async () => {}, close: async () => {} };
      },
    });
  restart();
  return {
    session,
    receive: (message) => reader?.receive(message),
    crash() {
      const failure = describeCrash({ code: null, signal: 'SIGKILL', lastWords: '' });
      session.detach({ isExpected: false, failure, refusal: new ProviderError(failure.code, failure.message) });
    },
    restart,
  };
}

const PLAYED_DRIVER: Driver = {
  cliType: 'claude-code',
  label: 'Claude Code',
  traits: {
    sharedProcess: false,
    historyWithoutProcess: true,
    takesMessagesWhileBusy: true,
    leavesOutProjectSettings: true,
    spare: false,
  },
  whatRuns: async () => [],
  checkAvailability: async () => ({ cliType: 'claude-code', label: 'Claude Code', available: true }),
  checkStart: async () => {},
  prepare: async () => {},
  launch: () => Promise.reject(new Error('a played session has no process')),
};

/** Plays a recording into a session at the recorded times. */
export async function playRecording(lines: readonly RecordedLine[]): Promise<Played> {
  const clock = createManualClock(START);
  const upserts: UpsertObject[] = [];
  const turns: TurnEvent[] = [];
  const output: string[] = [];
  const write = (what: object) => output.push(JSON.stringify({ at: clock.monotonic(), ...what }));
  const { session, receive, crash, restart } = openPlayedSession(
    clock,
    (upsert) => {
      upserts.push(upsert);
      write({ upsert });
    },
    (turn) => {
      turns.push(turn);
      write({ turn });
    },
  );
  const outputs = outputsOf(lines);
  const showOutput = (taskId: string, output = outputs.get(taskId)) => {
    if (output !== undefined) receive({ type: 'task_output', task_id: taskId, output });
  };
  let hasEnded = false;

  for (const line of lines) {
    clock.advance(line.at - clock.monotonic());
    if (line.dir === 'in') {
      if (hasEnded) restart();
      session.send(line.msg.uuid, line.msg.message.content).catch(() => {});
    } else if (line.dir === 'out') {
      // The link reads the output of a task when it ends.
      if (isTaskEnd(line.msg)) showOutput(line.msg.task_id);
      receive(line.msg);
    } else if (line.dir === 'peek') showOutput(taskOfFile(line.msg.file), toShownOutput(line.msg.text));
    else if (line.dir === 'threw' || line.dir === 'exit') {
      hasEnded = true;
      crash();
    }
  }
  return { upserts, turns, text: `${output.join('\n')}\n` };
}

type TaskEnd = Extract<NativeMessage, { subtype: 'task_notification' }>;

const isTaskEnd = (message: NativeMessage): message is TaskEnd =>
  message.type === 'system' && message.subtype === 'task_notification';
