import type { SessionId } from '../../../shared/ids.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { ProviderStatus } from '../../engine/provider-types.ts';
import { explainFailedStart } from './process/claude-errors.ts';
import type { ClaudeRun } from './process/claude-run.ts';

export interface ClaudeSessionOptions {
  readonly sessionId: SessionId;
  readonly cliType: string;
  /** Starts the process for this conversation, or rejects with a ProviderError and nothing left. */
  readonly start: () => Promise<ClaudeRun>;
  readonly onStatus: (status: ProviderStatus) => void;
}

/**
 * One conversation. Its process comes and goes: it sleeps when it is not needed, it may crash, and whenever a message
 * is to be sent it is there again.
 */
export interface ClaudeSession {
  status(): ProviderStatus;
  isAlive(): boolean;
  /** Whether it is awake with nothing to do. */
  isIdle(): boolean;
  /** Starts the process if none is running. Resolves when it runs, before it is ready. */
  wake(): Promise<ClaudeRun>;
  send(turnId: string, content: string): Promise<void>;
  cancel(): Promise<void>;
  /** Ends the process; the next message starts another one. */
  sleep(): Promise<void>;
  /** Ends the process for good. */
  close(reason: string, how: Parameters<ClaudeRun['stop']>[1]): Promise<void>;
}

export function createClaudeSession({ sessionId, cliType, start, onStatus }: ClaudeSessionOptions): ClaudeSession {
  let current: ProviderStatus = { cliType, sessionId, status: 'idle' };
  let run: ClaudeRun | undefined;
  let starting: Promise<ClaudeRun> | undefined;
  let stopping: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function setStatus(status: ProviderStatus['status'], message?: string): void {
    current = { cliType, sessionId, status, ...(message !== undefined && { message }) };
    onStatus(current);
  }

  /** Never two processes hold the conversation: the one before has ended when the next one starts. */
  async function begin(): Promise<ClaudeRun> {
    await Promise.all([stopping, run?.ended]);
    refuseIfClosed();
    setStatus('starting');
    try {
      const begun = await start();
      run = begun;
      void follow(begun);
      if (isClosed) await begun.stop('session closed', 'cancelled');
      refuseIfClosed();
      return begun;
    } catch (error) {
      const failure = explainFailedStart(error);
      if (!isClosed) setStatus('disconnected', failure.message);
      throw failure;
    }
  }

  async function follow(begun: ClaudeRun): Promise<void> {
    await begun.ready;
    if (run === begun && begun.isOpen()) setStatus('connected');
    const { crash } = await begun.ended;
    if (run !== begun) return;
    run = undefined;
    if (crash === undefined) setStatus('idle');
    else setStatus('disconnected', crash);
  }

  function refuseIfClosed(): void {
    if (isClosed) throw new ProviderError('SESSION_NOT_FOUND', 'The session was closed. Open it again to go on.');
  }

  function wake(): Promise<ClaudeRun> {
    if (run?.isOpen()) return Promise.resolve(run);
    starting ??= begin().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  function letGo(reason: string, how: Parameters<ClaudeRun['stop']>[1]): Promise<unknown> {
    const leaving = run;
    if (leaving === undefined) return stopping;
    run = undefined;
    stopping = Promise.all([stopping, leaving.stop(reason, how)]);
    return stopping;
  }

  return {
    status: () => current,
    isAlive: () => run?.isOpen() ?? false,
    isIdle: () => run?.isOpen() === true && run.isIdle(),
    wake,
    async send(turnId, content) {
      const awake = await wake();
      await awake.send(turnId, content);
    },
    async cancel() {
      await run?.cancel();
    },
    async sleep() {
      const left = letGo('asleep', 'cancelled');
      setStatus('idle');
      await left;
    },
    async close(reason, how) {
      isClosed = true;
      await letGo(reason, how);
      await starting?.catch(() => {});
      await stopping;
      setStatus('idle');
    },
  };
}
