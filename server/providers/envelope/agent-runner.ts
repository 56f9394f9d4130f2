import type { AgentStatus } from '../../../shared/entities.ts';
import type { ProcessExit } from '../../processes/index.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { AgentProcess } from './agent-process.ts';
import { toStartError } from './envelope-errors.ts';

export interface AgentState {
  readonly status: AgentStatus;
  /** What happened and what to do, when the status is not a good one. */
  readonly message?: string;
}

/** The process of one session: started when it is needed, started again when it is needed after it ended. */
export interface AgentRunner {
  readonly current: AgentState;
  /** The process, while it runs and nobody asked it to end. */
  running(): AgentProcess | undefined;
  /** The running process, or a new one. Rejects with a ProviderError where it cannot be started. */
  ensure(): Promise<AgentProcess>;
  /** Kills the process that runs; a later `ensure` starts another. */
  kill(reason: string): Promise<void>;
  /** Ends the process, and for ever. */
  close(reason: string): Promise<void>;
}

export interface AgentRunnerOptions {
  readonly label: string;
  /** Throws where the program cannot run. */
  readonly start: () => AgentProcess;
  /** Called after the last line, before the process counts as gone. Answers what the user has to know, if anything. */
  readonly onExit: (exit: ProcessExit, agent: AgentProcess) => string | undefined;
  readonly onChange: (state: AgentState) => void;
}

export function createAgentRunner({ label, start, onExit, onChange }: AgentRunnerOptions): AgentRunner {
  let agent: AgentProcess | undefined;
  /** Settles when everything about the end of the last process is done. */
  let gone: Promise<void> = Promise.resolve();
  let starting: Promise<AgentProcess> | undefined;
  let isClosed = false;
  let current: AgentState = { status: 'idle' };

  function enter(state: AgentState): void {
    current = state;
    onChange(state);
  }

  async function watch(started: AgentProcess): Promise<void> {
    const exit = await started.exited;
    const problem = onExit(exit, started);
    agent = undefined;
    enter(problem === undefined ? { status: 'idle' } : { status: 'disconnected', message: problem });
  }

  async function launch(): Promise<AgentProcess> {
    await gone;
    if (isClosed) throw new ProviderError('SESSION_NOT_FOUND', 'The session was ended. Open it again.');
    enter({ status: 'starting' });
    try {
      agent = start();
    } catch (error) {
      const failure = toStartError(label, error);
      enter({ status: 'disconnected', message: failure.message });
      throw failure;
    }
    gone = watch(agent);
    enter({ status: 'connected' });
    return agent;
  }

  const running = () => (agent?.isUsable() ? agent : undefined);

  return {
    get current() {
      return current;
    },
    running,
    async ensure() {
      const usable = running();
      if (usable !== undefined) return usable;
      starting ??= launch().finally(() => {
        starting = undefined;
      });
      return starting;
    },
    async kill(reason) {
      await agent?.kill(reason);
      await gone;
    },
    async close(reason) {
      isClosed = true;
      await starting?.catch(() => undefined);
      await agent?.stop(reason);
      await gone;
    },
  };
}
