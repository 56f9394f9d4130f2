import { createDeferred } from '../../../../server/deferred.ts';
import { createProvider } from '../../../../server/engine/create-provider.ts';
import type { Driver, ProcessEnd } from '../../../../server/engine/driver.ts';
import type { DecidePermission } from '../../../../server/engine/permission.ts';
import type { CliProvider } from '../../../../server/engine/provider-types.ts';
import { type AgentNaming, processGone } from '../../../../server/providers/acp/connection/acp-errors.ts';
import type { PromptResponse } from '../../../../server/providers/acp/connection/agent-responses.ts';
import { type AcpSession, createAcpSession } from '../../../../server/providers/acp/session/acp-session.ts';
import { createSessionMemories } from '../../../../server/providers/acp/session/session-memory.ts';
import type { SessionContext } from '../../../../server/providers/acp/translate/session-state.ts';
import type { ProjectFiles } from '../../../../server/providers/acp/workspace/project-files.ts';
import type { Terminals } from '../../../../server/providers/acp/workspace/terminals.ts';
import type { ManualClock } from '../../../support/manual-clock.ts';

export interface TestSessionOptions {
  readonly nativeId: string;
  readonly dialect: SessionContext['dialect'];
  readonly modelId: string | undefined;
  readonly naming: AgentNaming;
  readonly clock: ManualClock;
  readonly newId: () => string;
  readonly promptTimeoutMs: number;
  readonly decidePermission?: DecidePermission;
  /** What the agent does with a prompt and with a cancellation. */
  readonly prompt: (content: string) => Promise<PromptResponse>;
  readonly cancel: (nativeId: string) => void;
  /** What the agent does about a task that it announced, and the system about the processes of a call. */
  readonly stopTask?: (taskId: string) => void;
  readonly endProcesses?: (callId: string) => boolean;
}

export interface TestSession {
  readonly provider: CliProvider;
  readonly sessionId: string;
  readonly session: AcpSession;
  /** The process ends. */
  end(failure?: { code: string; message: string }): void;
}

/** A session over the real engine, with the test in place of the agent and its process. */
export async function openTestSession(options: TestSessionOptions): Promise<TestSession> {
  const { nativeId, dialect, modelId, naming, clock, newId, prompt, cancel } = options;
  const memories = createSessionMemories();
  const { promise: ended, resolve: end } = createDeferred<ProcessEnd>();
  let isEnded = false;
  const session = createAcpSession({
    nativeId,
    connection: {
      dialect,
      can: { load: true, resume: true, close: false, delete: false, title: false, fork: false, list: false },
      prompt: (_id, text) => prompt(text),
      cancel,
      stopTask: async (_id, taskId) => options.stopTask?.(taskId),
      isClosed: () => isEnded,
    },
    naming,
    files: {} as ProjectFiles,
    terminals: { read: () => undefined } as unknown as Terminals,
    clock,
    newId,
    onPrompt: () => {},
    endProcesses: async (_variable, callId) => options.endProcesses?.(callId) ?? false,
    close: async () => {},
  });
  const driver: Driver = {
    cliType: 'codex',
    label: naming.label,
    traits: {
      sharedProcess: true,
      historyWithoutProcess: false,
      takesMessagesWhileBusy: false,
      leavesOutProjectSettings: false,
      spare: false,
    },
    whatRuns: async () => [],
    checkAvailability: async () => ({ cliType: 'codex', label: naming.label, available: true }),
    checkStart: async () => {},
    prepare: async () => {},
    launch: async () => ({
      ready: Promise.resolve(),
      ended,
      isOpen: () => true,
      stderrTail: () => '',
      open: async () => ({
        nativeId,
        attach: (sink) => session.attach(sink, memories.of(`codex:${nativeId}`), modelId),
      }),
      stop: () => ended,
      kill: () => ended,
    }),
  };
  const provider = createProvider(driver, {
    clock,
    newId,
    promptTimeoutMs: options.promptTimeoutMs,
    ...(options.decidePermission && { decidePermission: options.decidePermission }),
    onProblem: (message, error) => {
      throw new Error(message, { cause: error });
    },
  });
  const { sessionId } = await provider.createSession({ projectDir: '/project' });
  return {
    provider,
    sessionId,
    session,
    end({ code, message } = processGone(naming)) {
      isEnded = true;
      end({ isExpected: false, failure: { code, message }, refusal: processGone(naming) });
    },
  };
}
