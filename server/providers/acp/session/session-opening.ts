import type { SessionId } from '../../../../shared/ids.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { type AgentNaming, toProviderError } from '../connection/acp-errors.ts';
import type { SessionUpdate } from '../translate/session-update.ts';
import type { SessionAliases } from './session-aliases.ts';
import type { SessionIndex } from './session-index.ts';

/** A session that the agent now has in memory. */
export interface Opening {
  readonly nativeId: string;
  readonly modelId: string | undefined;
}

type TakeUpdate = (update: SessionUpdate, from?: string) => void;

export interface OpeningRequest {
  readonly sessionId: SessionId;
  /** The agent's id of it, as far as it is known. */
  readonly nativeId: string;
  readonly projectDir: string;
  /** No message was ever sent in it: where the agent no longer has it, nothing is lost by creating it anew. */
  readonly neverUsed: boolean;
}

export interface SessionOpening {
  create(projectDir: string): Promise<Opening>;
  /** The conversation so far goes to `take`, all of it before this resolves. */
  load(request: OpeningRequest, take: TakeUpdate): Promise<Opening>;
  /** For a session whose conversation is known. */
  resume(request: OpeningRequest): Promise<Opening>;
}

export interface SessionOpeningOptions {
  readonly connection: AcpConnection;
  readonly index: SessionIndex;
  readonly aliases: SessionAliases;
  readonly naming: AgentNaming;
}

/** Everything rejects with a ProviderError. */
export function createSessionOpening(options: SessionOpeningOptions): SessionOpening {
  const { connection, index, aliases, naming } = options;

  async function create(projectDir: string): Promise<Opening> {
    try {
      return await connection.newSession(projectDir);
    } catch (error) {
      const failure = toProviderError(error, naming);
      if (failure.code !== 'AGENT_PROTOCOL_ERROR') throw failure;
      throw new ProviderError('SESSION_CREATE_FAILED', `The session could not be created. ${failure.message}`, {
        cause: failure,
      });
    }
  }

  async function load({ nativeId, projectDir }: OpeningRequest, take: TakeUpdate): Promise<Opening> {
    if (!connection.can.load) {
      throw new ProviderError('SESSION_NOT_FOUND', `${naming.label} cannot load a session again. Start a new one.`);
    }
    const { modelId } = await index.redirectUpdates(nativeId, take, () => connection.loadSession(nativeId, projectDir));
    return { nativeId, modelId };
  }

  async function resume(request: OpeningRequest): Promise<Opening> {
    const { nativeId, projectDir } = request;
    if (!connection.can.resume) return load(request, () => {});
    const { modelId } = await connection.resumeSession(nativeId, projectDir);
    return { nativeId, modelId };
  }

  /** Never creates a session anew that has a conversation: it would go on without its context. */
  async function orCreate(opening: Promise<Opening>, request: OpeningRequest): Promise<Opening> {
    try {
      return await opening;
    } catch (error) {
      const failure = toProviderError(error, naming);
      if (failure.code !== 'SESSION_NOT_FOUND' || !request.neverUsed) throw failure;
      const created = await create(request.projectDir);
      await aliases.record(request.sessionId, created.nativeId);
      return created;
    }
  }

  return {
    create,
    load: (request, take) => orCreate(load(request, take), request),
    resume: (request) => orCreate(resume(request), request),
  };
}
