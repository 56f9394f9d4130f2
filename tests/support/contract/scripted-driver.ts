import { existsSync } from 'node:fs';
import { createDeferred } from '../../../server/deferred.ts';
import type {
  AgentProcess,
  Driver,
  DriverAction,
  Link,
  OpenedSession,
  ProcessEnd,
  SessionSink,
  Traits,
} from '../../../server/engine/driver.ts';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import type { WhatRuns } from '../../../server/trust/index.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';

export interface ScriptedDriverOptions {
  readonly traits?: Partial<Traits>;
  /** Default: the settings of a directory run nothing. */
  readonly whatRuns?: WhatRuns;
  /** Processes run but never get ready. */
  readonly hangs?: boolean;
  /** Processes cannot be started. */
  readonly broken?: boolean;
  /** What was shown in each session: the agent's own memory, which outlives its processes. */
  readonly transcripts?: Map<string, UpsertObject[]>;
}

/** A process without a program. Everything it does is the test's choice. */
export interface ScriptedAgentProcess {
  readonly nativeIds: readonly string[];
  readonly prompts: readonly { readonly turnId: string; readonly content: string }[];
  readonly interrupts: number;
  readonly stoppedTasks: readonly string[];
  /** Reports as the agent of the session that was opened last. */
  say(...actions: DriverAction[]): void;
  readonly sink: SessionSink;
  crash(): void;
}

export interface ScriptedDriver extends Driver {
  /** Every process that was started, in order. */
  readonly processes: readonly ScriptedAgentProcess[];
  readonly launches: readonly {
    readonly nativeId?: string;
    readonly projectDir?: string;
    readonly withoutProjectSettings?: boolean;
  }[];
  /** How often a session was opened in a process. */
  readonly openings: number;
  running(): number;
  crash(sessionId: SessionId): void;
  /** Processes that are started from now on run but never get ready. */
  hangs: boolean;
  /** What it does with the next interruptions. */
  interruption: 'ends' | 'ignored' | 'refused' | 'fails';
}

const TRAITS: Traits = {
  sharedProcess: false,
  historyWithoutProcess: true,
  takesMessagesWhileBusy: true,
  leavesOutProjectSettings: true,
  spare: false,
};

/** The smallest driver there is: answers `hold` by half an answer, anything else by its echo. */
export function createScriptedDriver(options: ScriptedDriverOptions = {}): ScriptedDriver {
  const traits = { ...TRAITS, ...options.traits };
  const transcripts = options.transcripts ?? new Map<string, UpsertObject[]>();
  const processes: (ScriptedAgentProcess & { isRunning(): boolean })[] = [];
  const launches: { nativeId?: string; projectDir?: string; withoutProjectSettings?: boolean }[] = [];
  let created = 0;
  let openings = 0;

  function startProcess(signal: AbortSignal, ownNativeId?: string): AgentProcess {
    const ended = createDeferred<ProcessEnd>();
    const ready = createDeferred();
    const sinks = new Map<string, SessionSink>();
    const openTurns = new Map<string, string>();
    const prompts: { turnId: string; content: string }[] = [];
    const stoppedTasks: string[] = [];
    let interrupts = 0;
    let isRunning = true;

    function end(isExpected: boolean): Promise<ProcessEnd> {
      isRunning = false;
      const refusal = new ProviderError('PROCESS_CRASH', 'The scripted process ended.');
      ended.resolve({ isExpected, failure: { code: 'PROCESS_CRASH', message: refusal.message }, refusal });
      return ended.promise;
    }
    if (!driver.hangs) ready.resolve();
    signal.addEventListener('abort', () => void end(true), { once: true });

    function open(nativeId: string): OpenedSession {
      const history = transcripts.get(nativeId);
      transcripts.set(nativeId, history ?? []);
      return {
        nativeId,
        history: [...(history ?? [])],
        attach(sink) {
          sinks.set(nativeId, sink);
          return link(nativeId, sink);
        },
      };
    }

    function link(nativeId: string, sink: SessionSink): Link {
      const finish = (turnId: string, status: 'completed' | 'cancelled') => {
        if (openTurns.delete(turnId)) sink.apply([{ do: 'turn_done', turnId, status }]);
      };
      const letGo = async () => {
        for (const [turnId, owner] of [...openTurns]) if (owner === nativeId) openTurns.delete(turnId);
        if (traits.sharedProcess) sinks.delete(nativeId);
        else await end(true);
      };
      return {
        prompt(turnId, content) {
          prompts.push({ turnId, content });
          openTurns.set(turnId, nativeId);
          const itemId = `${turnId}:1:0`;
          sink.apply([
            { do: 'taken', turnId },
            { do: 'turn_start', turnId },
            { do: 'item_start', turnId, itemId, kind: 'message', content: `echo ${content}` },
          ]);
          if (content === 'hold') return;
          sink.apply([{ do: 'item_done', itemId }]);
          setImmediate(() => finish(turnId, 'completed'));
        },
        async interrupt() {
          interrupts += 1;
          if (driver.interruption === 'fails') throw new Error('The interruption failed.');
          if (driver.interruption === 'refused') return false;
          if (driver.interruption === 'ignored') return true;
          for (const [turnId, owner] of [...openTurns]) if (owner === nativeId) finish(turnId, 'cancelled');
          return true;
        },
        async abandon(turnIds) {
          for (const turnId of turnIds) openTurns.delete(turnId);
          if (!traits.sharedProcess) await end(true);
        },
        stopTask: async (taskId) => void stoppedTasks.push(taskId),
        close: letGo,
      };
    }

    processes.push({
      get nativeIds() {
        return [...sinks.keys()];
      },
      prompts,
      stoppedTasks,
      get interrupts() {
        return interrupts;
      },
      get sink() {
        const sink = [...sinks.values()].at(-1);
        if (sink === undefined) throw new Error('No session is open in this process.');
        return sink;
      },
      say(...actions) {
        this.sink.apply(actions);
      },
      crash: () => void end(false),
      isRunning: () => isRunning,
    });

    return {
      ready: ready.promise,
      ended: ended.promise,
      isOpen: () => isRunning,
      stderrTail: () => '',
      async open(request) {
        if (!isRunning) throw new ProviderError('PROCESS_CRASH');
        openings += 1;
        if (ownNativeId !== undefined) return open(ownNativeId);
        if (request.mode === 'new') {
          created += 1;
          return open(`s${created}`);
        }
        const { nativeId, wasUsed } = request.target;
        if (!transcripts.has(nativeId) && wasUsed) throw new ProviderError('SESSION_NOT_FOUND');
        return open(nativeId);
      },
      stop: () => end(true),
      kill: () => end(true),
    };
  }

  const driver: ScriptedDriver = {
    cliType: 'scripted',
    label: 'Scripted agent',
    traits,
    processes,
    launches,
    hangs: options.hangs ?? false,
    interruption: 'ends',
    get openings() {
      return openings;
    },
    running: () => processes.filter((process) => process.isRunning()).length,
    crash(sessionId) {
      const nativeId = sessionId.slice('scripted:'.length);
      for (const process of processes) if (process.nativeIds.includes(nativeId)) process.crash();
    },
    whatRuns: options.whatRuns ?? (async () => []),
    checkAvailability: async () => ({ cliType: 'scripted', label: 'Scripted agent', available: true }),
    async checkStart(projectDir) {
      if (!existsSync(projectDir)) throw new ProviderError('PROJECT_PATH_INVALID');
    },
    prepare: async () => {},
    async launch(session, signal) {
      const { nativeId, projectDir, withoutProjectSettings } = session ?? {};
      launches.push({
        ...(nativeId !== undefined && { nativeId }),
        ...(projectDir !== undefined && { projectDir }),
        ...(withoutProjectSettings && { withoutProjectSettings }),
      });
      if (options.broken === true) throw new ProviderError('AGENT_UNAVAILABLE', 'It is broken.');
      return startProcess(signal, session?.nativeId);
    },
    async readHistory({ nativeId }) {
      const history = transcripts.get(nativeId);
      return history === undefined ? undefined : [...history];
    },
    openRecord({ nativeId }) {
      const items = new Map<string, UpsertObject>();
      return {
        take(upsert) {
          items.set(upsert.itemId, upsert);
        },
        endTurn(turnId) {
          const ofTurn = [...items.values()].filter((item) => item.turnId === turnId);
          const ended = ofTurn.map((item) =>
            item.status === 'update' || item.status === 'create' ? { ...item, status: 'complete' as const } : item,
          );
          transcripts.set(nativeId, [...(transcripts.get(nativeId) ?? []), ...ended]);
        },
        close() {},
      };
    },
  };
  return driver;
}
