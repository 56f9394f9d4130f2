import { stat } from 'node:fs/promises';
import type { CanUseTool } from '@anthropic-ai/claude-agent-sdk';
import type { SessionId } from '../../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Clock } from '../../clock.ts';
import type { DecidePermission } from '../../engine/permission.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { ProcessHost, ProcessTable } from '../../processes/index.ts';
import { findClaudeExecutable } from './claude-executable.ts';
import { type ClaudeRun, startClaudeRun } from './claude-run.ts';
import type { LoadClaudeSdk } from './claude-sdk.ts';
import { findHolder } from './running-sessions.ts';
import { type Environment, findTranscript } from './transcript-files.ts';

export interface LauncherDeps {
  readonly host: ProcessHost;
  readonly processTable: ProcessTable;
  readonly clock: Clock;
  /** The whole environment of the agent. */
  readonly env: Environment;
  /** The program to run; without it the one inside the SDK's package. */
  readonly claudePath: string | undefined;
  readonly loadSdk: LoadClaudeSdk;
  readonly decidePermission: DecidePermission;
  readonly promptTimeoutMs: number;
  readonly providerId: string;
  readonly onFailure: (error: unknown) => void;
}

export interface Launch {
  readonly sessionId: SessionId;
  readonly nativeId: string;
  readonly projectDir: string;
  /** The conversation is known to exist: without its transcript it must not begin anew. */
  readonly mustResume: () => boolean;
  readonly onUpsert: (upsert: UpsertObject) => void;
  readonly onTurn: (event: TurnEvent) => void;
  readonly onUse: () => void;
}

export interface ClaudeLauncher {
  /** Rejects where the agent could not run here. Starts nothing. */
  check(projectDir: string): Promise<string>;
  launch(request: Launch): Promise<ClaudeRun>;
}

/** Starts processes, after looking at everything that can be known to stand in their way. */
export function createClaudeLauncher(deps: LauncherDeps): ClaudeLauncher {
  const { env, processTable, clock, providerId, promptTimeoutMs, onFailure } = deps;
  const ours = new Set<number>();

  async function check(projectDir: string): Promise<string> {
    const isDirectory = await stat(projectDir).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isDirectory) {
      throw new ProviderError(
        'PROJECT_PATH_INVALID',
        `The directory ${projectDir} does not exist any more. Restore it, or add the project under its new path.`,
      );
    }
    const executable = findClaudeExecutable(deps.claudePath, env);
    if (!executable.found) throw new ProviderError('AGENT_UNAVAILABLE', executable.reason);
    return executable.path;
  }

  async function chooseConversation({ nativeId, projectDir, mustResume }: Launch) {
    if ((await findTranscript(env, nativeId, projectDir)) === undefined) {
      if (!mustResume()) return { sessionId: nativeId };
      throw new ProviderError(
        'SESSION_NOT_FOUND',
        'The transcript of this session is gone, so it cannot go on. Create a new session.',
      );
    }
    const holder = await findHolder(env, nativeId, processTable, (pid) => ours.has(pid));
    if (holder === undefined) return { resume: nativeId };
    throw new ProviderError(
      'SESSION_IN_USE',
      `Another Claude Code (process ${holder}) has this session open. Close it there, then send the message again.`,
    );
  }

  function askPermission(sessionId: SessionId): CanUseTool {
    return async (toolName, input, { title }) => {
      const decision = await deps.decidePermission({
        sessionId,
        toolName,
        input,
        ...(title !== undefined && { title }),
      });
      if (decision.allow) return { behavior: 'allow', updatedInput: input };
      return { behavior: 'deny', message: decision.reason };
    };
  }

  return {
    check,
    async launch(request) {
      const { sessionId, projectDir, onUpsert, onTurn, onUse } = request;
      const executable = await check(projectDir);
      const [conversation, sdk] = await Promise.all([chooseConversation(request), deps.loadSdk()]);
      const run = await startClaudeRun({
        process: {
          sdk,
          host: deps.host,
          executable,
          cwd: projectDir,
          env,
          conversation,
          label: `claude ${sessionId}`,
          canUseTool: askPermission(sessionId),
        },
        stream: { sessionId, providerId, clock, onUpsert, onTurn },
        promptTimeoutMs,
        onUse,
        onFailure,
      });
      ours.add(run.pid);
      void run.ended.then(() => ours.delete(run.pid));
      return run;
    },
  };
}
