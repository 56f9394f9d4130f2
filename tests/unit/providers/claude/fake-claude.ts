import { EventEmitter, once } from 'node:events';
import type { Options, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type { HostedProcess, ProcessExit, ProcessHost } from '../../../../server/processes/index.ts';
import type { ClaudeSdk } from '../../../../server/providers/claude/process/claude-sdk.ts';
import { createInputQueue } from '../../../../server/providers/claude/process/input-queue.ts';

/** One process as the test plays it. */
export interface FakeRun {
  readonly options: Options;
  readonly pid: number;
  /** What was sent to it, in order. */
  readonly received: readonly SDKUserMessage[];
  readonly interrupts: readonly unknown[];
  readonly stoppedTasks: readonly string[];
  readonly stopReasons: readonly string[];
  /** Yields a message, of any shape. */
  say(message: object): void;
  /** Resolves when it has received so many messages. */
  receivedCount(count: number): Promise<void>;
  /** Ends by itself. */
  crash(exit: Partial<ProcessExit>, stderr?: string): void;
  /** Set to let it take its time when it is asked to end, until it `crash`es. */
  lingers: boolean;
  /** How an interruption is answered; by default at once, with nothing left queued. */
  onInterrupt: () => Promise<{ still_queued: string[] } | undefined>;
}

export interface FakeClaude {
  readonly sdk: ClaudeSdk;
  readonly host: ProcessHost;
  readonly runs: readonly FakeRun[];
  /** The process that is started as the nth, counted from one, now or later. */
  nthRun(n: number): Promise<FakeRun>;
}

/** The SDK and the processes behind it, played by the test. */
export function createFakeClaude(): FakeClaude {
  const runs: FakeRun[] = [];
  const starts = new EventEmitter();
  const lingering = new Set<number>();
  const spawned: { hosted: HostedProcess; exit: (exit: ProcessExit, stderr: string) => void; reasons: string[] }[] = [];

  const host: ProcessHost = {
    spawn: ({ label }) => {
      const pid = 1000 + spawned.length;
      const child = Object.assign(new EventEmitter(), {
        exitCode: null as number | null,
        signalCode: null as string | null,
        stdout: new EventEmitter(),
      });
      const reasons: string[] = [];
      let stderrText = '';
      let finish = (_: ProcessExit) => {};
      const exited = new Promise<ProcessExit>((resolve) => {
        finish = resolve;
      });
      const exit = (ending: ProcessExit, stderr: string) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.exitCode = ending.code;
        child.signalCode = ending.signal;
        stderrText = stderr;
        child.emit('exit');
        finish(ending);
      };
      const end = (reason: string) => {
        reasons.push(reason);
        if (!lingering.has(pid)) exit({ code: 0, signal: null, stopReason: reason }, '');
        return exited;
      };
      const hosted = {
        child,
        pid,
        label,
        exited,
        stop: end,
        kill: end,
        stderrTail: () => stderrText,
      } as unknown as HostedProcess;
      spawned.push({ hosted, exit, reasons });
      return hosted;
    },
    stopAll: async () => {},
    killAll: () => {},
  };

  const sdk: ClaudeSdk = {
    async startup({ options }) {
      options.spawnClaudeCodeProcess?.({
        command: 'claude',
        args: [],
        env: {},
        signal: new AbortController().signal,
      });
      const process = spawned.at(-1);
      if (process === undefined) throw new Error('nothing was spawned');
      const output = createInputQueue<SDKMessage>();
      const received: SDKUserMessage[] = [];
      const interrupts: unknown[] = [];
      const stoppedTasks: string[] = [];
      const arrivals = new EventEmitter();
      process.hosted.child.once('exit', () => output.end());
      const run: FakeRun = {
        options,
        pid: process.hosted.pid,
        received,
        interrupts,
        stoppedTasks,
        stopReasons: process.reasons,
        say: (message) => output.push(message as SDKMessage),
        receivedCount: (count) =>
          new Promise((resolve) => {
            const check = () => {
              if (received.length >= count) resolve();
            };
            arrivals.on('message', check);
            check();
          }),
        crash: (exit, stderr = '') => process.exit({ code: null, signal: null, ...exit }, stderr),
        onInterrupt: async () => ({ still_queued: [] }),
        get lingers() {
          return lingering.has(run.pid);
        },
        set lingers(lingers) {
          if (lingers) lingering.add(run.pid);
          else lingering.delete(run.pid);
        },
      };
      runs.push(run);
      starts.emit('start');
      return {
        query(prompt) {
          void (async () => {
            for await (const message of prompt) {
              received.push(message);
              arrivals.emit('message');
            }
          })();
          return {
            [Symbol.asyncIterator]: () => output[Symbol.asyncIterator](),
            async stopTask(taskId) {
              stoppedTasks.push(taskId);
            },
            interrupt(request) {
              interrupts.push(request);
              return run.onInterrupt();
            },
          };
        },
      };
    },
  };
  const nthRun = async (n: number): Promise<FakeRun> => {
    for (;;) {
      const run = runs[n - 1];
      if (run !== undefined) return run;
      await once(starts, 'start');
    }
  };
  return { sdk, host, runs, nthRun };
}
