import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.ts';
import type { Driver, SessionTarget } from '../../engine/driver.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import { createFolderWatches, type FolderWatches } from '../../folder-watches.ts';
import { createProcessTable, type ProcessHost, type ProcessTable } from '../../processes/index.ts';
import { requireDirectory } from '../require-directory.ts';
import { readClaudeAccess } from './process/claude-access.ts';
import { explainFailedStart } from './process/claude-errors.ts';
import { findClaudeExecutable } from './process/claude-executable.ts';
import { createClaudeHolders } from './process/claude-holders.ts';
import { type ClaudeConversation, startClaudeProcess } from './process/claude-process.ts';
import { type LoadClaudeSdk, loadClaudeSdk } from './process/claude-sdk.ts';
import { createClaudeWhatRuns } from './project-settings/what-runs.ts';
import { appendTitle, deleteTranscripts } from './transcript/change-transcript.ts';
import { createContextReader } from './transcript/context-reader.ts';
import { forkTranscript } from './transcript/fork-transcript.ts';
import { type HistoryRequest, readHistory, unreadable } from './transcript/history.ts';
import { createClaudeListing } from './transcript/listing.ts';
import { createClaudeNativeFiles, historyStamp } from './transcript/native-files.ts';
import { readNewest } from './transcript/newest-history.ts';
import { type Environment, findTranscript } from './transcript/transcript-files.ts';

const CLI_TYPE = 'claude-code';
const LABEL = 'Claude Code';
const NOTHING_TO_FORK = 'There is no transcript of this session to copy. Create a new session.';
const GONE = 'Claude Code has no transcript of it.';
const EMPTY = 'The transcript has no message, so Claude Code does not open it.';

export interface ClaudeDriverDeps {
  readonly host: ProcessHost;
  /** The whole environment of the agent. */
  readonly env: Environment;
  /** The program to run. Default: the one in the SDK's package. */
  readonly claudePath?: string | undefined;
  readonly clock?: Clock;
  readonly loadSdk?: LoadClaudeSdk;
  readonly processTable?: ProcessTable;
  /** Those of the server. Default: own ones. */
  readonly folderWatches?: FolderWatches;
  /** Called for messages that could not be translated. */
  readonly onProblem: (message: string, error?: unknown) => void;
}

export function createClaudeDriver(deps: ClaudeDriverDeps): Driver {
  const { host, env, claudePath, clock = systemClock, loadSdk = loadClaudeSdk, onProblem } = deps;
  const { processTable = createProcessTable(), folderWatches = createFolderWatches(clock) } = deps;
  /** Pids of the processes that this driver started. */
  const ours = new Set<number>();
  /** Conversations that went on in a process of ours, which does not read them from disk again. */
  const goingOn = new Map<string, number>();
  const contexts = createContextReader();
  const isOurs = (pid: number) => ours.has(pid);
  const holders = createClaudeHolders({ env, label: LABEL, processTable, clock, folderWatches, isOurs });

  async function requireStartable(projectDir: string): Promise<string> {
    await requireDirectory(projectDir);
    const executable = findClaudeExecutable(claudePath, env);
    if (executable.found) return executable.path;
    throw new ProviderError('AGENT_UNAVAILABLE', executable.reason, { details: { installed: false } });
  }

  async function chooseConversation({ nativeId, projectDir, wasUsed }: SessionTarget): Promise<ClaudeConversation> {
    if ((await findTranscript(env, nativeId, projectDir)) === undefined) {
      if (!wasUsed) return { sessionId: nativeId };
      throw new ProviderError(
        'SESSION_NOT_FOUND',
        'The transcript of this session is gone, so it cannot go on. Create a new session.',
      );
    }
    await refuseIfHeld(nativeId, 'send the message again');
    return { resume: nativeId };
  }

  async function refuseIfHeld(nativeId: string, next: string): Promise<void> {
    const holder = await holders.find(nativeId);
    if (holder === undefined) return;
    throw new ProviderError(
      'SESSION_IN_USE',
      `Another Claude Code (process ${holder.pid}) has this session open. Close it there, then ${next}.`,
      { details: { heldBy: holder } },
    );
  }

  const readMode = ({ projectDir, withoutProjectSettings = false }: SessionTarget) =>
    readClaudeAccess({ env, projectDir, withoutProjectSettings });

  const historyRequest = ({ sessionId, nativeId, projectDir }: SessionTarget, home?: string): HistoryRequest => ({
    env: home === undefined ? env : { ...env, CLAUDE_CONFIG_DIR: home },
    nativeId,
    projectDir,
    sessionId,
    providerId: CLI_TYPE,
    now: clock.now,
  });

  async function start(target: SessionTarget, signal: AbortSignal) {
    const executable = await requireStartable(target.projectDir);
    const [conversation, sdk, mode] = await Promise.all([chooseConversation(target), loadSdk(), readMode(target)]);
    signal.throwIfAborted();
    const started = await startClaudeProcess({
      sdk,
      host,
      executable,
      env,
      conversation,
      target,
      mode,
      clock,
      onPrompt: (pid) => goingOn.set(target.nativeId, pid),
      onProblem,
    });
    ours.add(started.pid);
    void started.ended.then(() => {
      ours.delete(started.pid);
      if (goingOn.get(target.nativeId) === started.pid) goingOn.delete(target.nativeId);
    });
    if (signal.aborted) await started.kill('start called off');
    signal.throwIfAborted();
    return started;
  }

  return {
    cliType: CLI_TYPE,
    label: LABEL,
    traits: {
      sharedProcess: false,
      historyWithoutProcess: true,
      takesMessagesWhileBusy: true,
      leavesOutProjectSettings: true,
      spare: true,
    },

    async checkAvailability() {
      const executable = findClaudeExecutable(claudePath, env);
      const info = { cliType: CLI_TYPE, label: LABEL, available: executable.found };
      return executable.found ? info : { ...info, reason: executable.reason };
    },

    async checkStart(projectDir) {
      await requireStartable(projectDir);
    },

    whatRuns: createClaudeWhatRuns(CLI_TYPE, env),

    async prepare() {
      await loadSdk();
    },

    async launch(target, signal) {
      if (target === undefined) throw new TypeError('Each session of Claude Code has a process of its own.');
      try {
        return await start(target, signal);
      } catch (error) {
        throw explainFailedStart(error);
      }
    },

    async setTitle({ nativeId, projectDir }, title) {
      const transcript = await findTranscript(env, nativeId, projectDir);
      // Claude Code writes it with the first message.
      if (transcript === undefined) return 'later';
      await appendTitle(transcript, nativeId, title, clock);
      return 'told';
    },

    async deleteConversation({ nativeId }) {
      await refuseIfHeld(nativeId, 'delete it again');
      await deleteTranscripts(env, nativeId);
      return undefined;
    },

    async fork({ nativeId, projectDir }, at) {
      const path = await findTranscript(env, nativeId, projectDir);
      if (path === undefined) throw new ProviderError('SESSION_NOT_FOUND', NOTHING_TO_FORK);
      try {
        return await forkTranscript({ path, nativeId, at, newId: randomUUID });
      } catch (error) {
        throw error instanceof ProviderError ? error : unreadable(path, error);
      }
    },

    readAccess: async (target) => (await readMode(target)).access,
    readHistory: (target, home) => readHistory(historyRequest(target, home)),
    readNewest: (target) => readNewest(historyRequest(target)),
    async readContext({ nativeId, projectDir, wasUsed }) {
      const transcript = await findTranscript(env, nativeId, projectDir);
      if (transcript === undefined) {
        // Claude Code writes it with the first message.
        return {
          context: wasUsed ? { state: 'unknown', reason: GONE } : { state: 'fresh', messages: 0 },
          branches: [],
        };
      }
      const known = await contexts.read(transcript, { cliType: CLI_TYPE, resumes: !goingOn.has(nativeId) });
      return wasUsed && known.context.state === 'fresh'
        ? { ...known, context: { state: 'unknown', reason: EMPTY } }
        : known;
    },
    historyStamp: ({ nativeId, projectDir }) => historyStamp(env, nativeId, projectDir),
    holders,
    nativeFiles: createClaudeNativeFiles(env),
    listing: createClaudeListing(env),
  };
}
