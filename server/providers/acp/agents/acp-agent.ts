import type { CliType, SessionId } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { NativeListing } from '../../../engine/native-listing.ts';
import type { Holders, KnownContext, NewestHistory } from '../../../engine/native-sessions.ts';
import type { Access } from '../../../engine/permission.ts';
import type { WhatRuns } from '../../../trust/index.ts';
import type { AgentNaming } from '../connection/acp-errors.ts';
import type { WriterLocksOptions } from '../locks/writer-locks.ts';
import type { ContextRequest } from '../rollout/codex-context.ts';
import type { ForkRequest } from '../rollout/fork-rollout.ts';
import type { CodexFiles } from '../rollout/native-files.ts';

export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface AgentAccess {
  readonly access: Access;
  /** The agent's own mode for it. Absent if its default is right. */
  readonly modeId?: string;
}

export interface HistoryRequest {
  readonly sessionId: SessionId;
  /** The ids of turns begin with it. */
  readonly nativeId: string;
  /** The agent's own id of the conversation. */
  readonly storedId: string;
  readonly projectDir: string;
  /** The time of the load. */
  readonly now: string;
  /** Read from this directory instead of the agent's home. */
  readonly home?: string | undefined;
}

/** One kind of agent that speaks the protocol: everything the driver has to know about it. */
export interface AcpAgent extends AgentNaming {
  readonly cliType: CliType;
  /** Environment variables in addition to the server's own. */
  readonly env: Readonly<Record<string, string>>;
  /** What the user's own settings let it do, and those of a project if one is given. Never rejects. */
  readAccess?(projectDir?: string): Promise<AgentAccess>;
  /** The environment in which all its sessions begin with a mode. */
  modeEnvironment?(modeId: string): Readonly<Record<string, string>>;
  /** Lists what the settings of a directory would run in it. */
  readonly whatRuns: WhatRuns;
  /** Finds the program without starting it. A string says what is missing and what to do. */
  locate(): AgentCommand | string;
  /** A sentence about what it keeps of a session that was deleted, if it does not delete everything. */
  leftByDelete?(storedId: string): string;
  /** Reads a conversation from the agent's own files, for agents whose files are known. Starts nothing. */
  readHistory?(request: HistoryRequest): Promise<readonly UpsertObject[] | undefined>;
  /** Reads the newest turns, for the same agents. */
  readNewest?(request: HistoryRequest): Promise<Omit<NewestHistory, 'stamp'> | undefined>;
  /** Works out from its files what the model is given with the next message, for the same agents. Never rejects. */
  readContext?(request: Omit<ContextRequest, 'cliType'>): Promise<KnownContext>;
  /** Copies a conversation. Resolves to the agent's own id of the copy, for the same agents. */
  fork?(request: Omit<ForkRequest, 'env'>): Promise<string>;
  /** For agents whose open sessions keep other programs out, and the other way round. */
  openHolders?(options: WriterLocksOptions): Holders;
  /** An idle session of such an agent is closed this long after its last use. */
  readonly closeIdleAfterMs?: number;
  /** The agent's own files, for the same agents. */
  readonly listing?: NativeListing;
  openFiles?(storedIdOf: (sessionId: SessionId) => string): CodexFiles;
}
