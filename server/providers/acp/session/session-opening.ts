import { stat } from 'node:fs/promises';
import type { SessionId } from '../../../../shared/ids.ts';
import { ProviderError } from '../../../engine/provider-errors.ts';
import type { AcpConnection } from '../connection/acp-connection.ts';
import { type AgentWords, toProviderError } from '../connection/acp-errors.ts';
import type { SessionAliases } from './session-aliases.ts';
import type { SessionBook } from './session-index.ts';
import type { SessionUpdate } from '../translate/session-update.ts';

/** A session that the agent now has in memory. */
export interface Opening {
  readonly nativeId: string;
  readonly modelId: string | undefined;
}

type TakeUpdate = (update: SessionUpdate) => void;

export interface OpeningRequest {
  readonly sessionId: SessionId;
  /** The agent's name for it, as far as we know. */
  readonly nativeId: string;
  readonly projectDir: string;
  /** Nothing was ever said in it: where the agent has forgotten it, nothing is lost by creating it anew. */
  readonly neverUsed: boolean;
}

export interface SessionOpening {
  create(connection: AcpConnection, projectDir: string): Promise<Opening>;
  /** With the conversation so far, which goes to `take`, all of it before this resolves. */
  load(connection: AcpConnection, request: OpeningRequest, take: TakeUpdate): Promise<Opening>;
  /** Where the conversation so far is known: without it, if the agent can. */
  resume(connection: AcpConnection, request: OpeningRequest): Promise<Opening>;
}

export function createSessionOpening(book: SessionBook, aliases: SessionAliases, words: AgentWords): SessionOpening {
  async function create(connection: AcpConnection, projectDir: string): Promise<Opening> {
    try {
      return await connection.newSession(projectDir);
    } catch (error) {
      const failure = toProviderError(error, words);
      if (failure.code !== 'AGENT_PROTOCOL_ERROR') throw failure;
      throw new ProviderError('SESSION_CREATE_FAILED', `The session could not be created. ${failure.message}`, {
        cause: failure,
      });
    }
  }

  async function load(connection: AcpConnection, { nativeId, projectDir }: OpeningRequest, take: TakeUpdate) {
    if (!connection.can.load) {
      throw new ProviderError('SESSION_NOT_FOUND', `${words.label} cannot load a session again. Start a new one.`);
    }
    const { modelId } = await book.divert(nativeId, take, () => connection.loadSession(nativeId, projectDir));
    return { nativeId, modelId };
  }

  /** Never for a session with a conversation: that would go on without its context. */
  async function orAnew(opening: Promise<Opening>, connection: AcpConnection, request: OpeningRequest) {
    try {
      return await opening;
    } catch (error) {
      const failure = toProviderError(error, words);
      if (failure.code !== 'SESSION_NOT_FOUND' || !request.neverUsed) throw failure;
      const anew = await create(connection, request.projectDir);
      await aliases.record(request.sessionId, anew.nativeId);
      return anew;
    }
  }

  return {
    create,
    load: (connection, request, take) => orAnew(load(connection, request, take), connection, request),
    resume(connection, request) {
      if (!connection.can.resume)
        return orAnew(
          load(connection, request, () => {}),
          connection,
          request,
        );
      const { nativeId, projectDir } = request;
      const resumed = connection
        .resumeSession(nativeId, projectDir)
        .then(({ modelId }): Opening => ({ nativeId, modelId }));
      return orAnew(resumed, connection, request);
    },
  };
}

/** Agents say it in many ways, or not at all; so it is looked at here. */
export async function requireDirectory(path: string): Promise<void> {
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new ProviderError('PROJECT_PATH_INVALID', `The project directory ${path} does not exist.`);
}
