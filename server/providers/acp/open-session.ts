import type { SessionId } from '../../../shared/ids.ts';
import type { Clock } from '../../clock.ts';
import type { SessionListeners } from '../../engine/session-listeners.ts';
import type { ProcessHost } from '../../processes/index.ts';
import { createStreamCore, LIVE_BATCHING } from '../../streaming/stream-core.ts';
import type { AcpAgent } from './acp-agent.ts';
import { createAcpSession } from './acp-session.ts';
import { createProjectFiles } from './project-files.ts';
import type { OpenedSession } from './session-book.ts';
import { createTerminals } from './terminals.ts';

export interface OpenSessionOptions {
  readonly sessionId: SessionId;
  readonly projectDir: string;
  readonly agent: AcpAgent;
  readonly host: ProcessHost;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly promptTimeoutMs: number;
  readonly wasUsed: boolean;
  /** Whether what is shown is kept here, because the agent cannot tell it again. */
  readonly isRemembered: boolean;
  readonly listeners: Pick<SessionListeners, 'emitUpsert' | 'emitTurn'>;
}

/** Puts together what a session consists of. It is not attached to the agent yet. */
export function openSession(options: OpenSessionOptions): OpenedSession {
  const { sessionId, projectDir, agent, clock, newId, listeners } = options;
  const files = createProjectFiles(projectDir);
  const terminals = createTerminals({ ...options, files, label: `${agent.cliType} terminal` });
  const shown: OpenedSession['shown'] = new Map();
  const core = createStreamCore({
    sessionId,
    providerId: agent.cliType,
    clock,
    batching: LIVE_BATCHING,
    emitArgumentUpdates: true,
    onUpsert(upsert) {
      if (options.isRemembered) shown.set(upsert.itemId, upsert);
      listeners.emitUpsert(upsert);
    },
    onTurn: listeners.emitTurn,
  });
  const session = createAcpSession({
    core,
    clock,
    newTurnId: newId,
    promptTimeoutMs: options.promptTimeoutMs,
    readTerminal: terminals.read,
    words: agent,
    wasUsed: options.wasUsed,
  });
  return { sessionId, projectDir, session, files, terminals, shown };
}
