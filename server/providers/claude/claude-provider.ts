import { randomUUID } from 'node:crypto';
import { fromCanonical, type SessionId, toCanonical } from '../../../shared/ids.ts';
import { systemClock } from '../../clock.ts';
import { createListeners } from '../../engine/listeners.ts';
import { decidePermission as allowAll } from '../../engine/permission.ts';
import { ProviderError } from '../../engine/provider-errors.ts';
import type { CliProvider, ProviderStatus } from '../../engine/provider-types.ts';
import { createSessionListeners } from '../../engine/session-listeners.ts';
import { createSleepPolicy } from '../../engine/sleep-policy.ts';
import { createProcessTable } from '../../processes/index.ts';
import { explainFailedStart } from './claude-errors.ts';
import { findClaudeExecutable } from './claude-executable.ts';
import { createClaudeLauncher, type LauncherDeps } from './claude-launcher.ts';
import { loadClaudeSdk } from './claude-sdk.ts';
import { type ClaudeSession, createClaudeSession } from './claude-session.ts';
import { readHistory } from './history.ts';

const CLI_TYPE = 'claude-code';
const LABEL = 'Claude Code';

type Needed = Pick<LauncherDeps, 'host' | 'env' | 'promptTimeoutMs' | 'onFailure'>;

export interface ClaudeProviderDeps extends Needed, Partial<Omit<LauncherDeps, keyof Needed | 'providerId'>> {
  readonly newId?: () => string;
  /** How long a process may be idle before it is put to sleep. */
  readonly sleepAfterMs?: number;
  /** Beyond this many processes the least recently used one is put to sleep. */
  readonly maxAwake?: number;
}

const SHUT_DOWN = {
  code: 'PROCESS_CRASH',
  message: 'Liminal Builder was stopped while this turn was running. Start it and send the message again.',
} as const;

export function createClaudeProvider(deps: ClaudeProviderDeps): CliProvider {
  const { env, onFailure, claudePath, clock = systemClock, newId = randomUUID, loadSdk = loadClaudeSdk } = deps;
  const launcher = createClaudeLauncher({
    ...deps,
    clock,
    loadSdk,
    claudePath,
    providerId: CLI_TYPE,
    processTable: deps.processTable ?? createProcessTable(),
    decidePermission: deps.decidePermission ?? allowAll,
  });
  const listeners = createSessionListeners(onFailure);
  const statuses = createListeners<ProviderStatus>(onFailure);
  const sessions = new Map<SessionId, ClaudeSession>();
  const sleepPolicy = createSleepPolicy<SessionId>({
    clock,
    sleepAfterMs: deps.sleepAfterMs ?? 15 * 60_000,
    maxAwake: deps.maxAwake ?? 8,
    isIdle: (sessionId) => sessions.get(sessionId)?.isIdle() ?? false,
    putToSleep: (sessionId) => void sessions.get(sessionId)?.sleep().catch(onFailure),
  });

  /** `isUsed`: there is a conversation, which must never begin anew. */
  function open(nativeId: string, projectDir: string, isUsed: boolean): ClaudeSession {
    const sessionId = toCanonical(CLI_TYPE, nativeId);
    let mustResume = isUsed;
    const session = createClaudeSession({
      sessionId,
      cliType: CLI_TYPE,
      start: () =>
        launcher.launch({
          sessionId,
          nativeId,
          projectDir,
          mustResume: () => mustResume,
          onUpsert: listeners.emitUpsert,
          onTurn: (event) => {
            mustResume ||= event.type === 'turn_complete';
            listeners.emitTurn(event);
          },
          onUse: () => sleepPolicy.touch(sessionId),
        }),
      onStatus(status) {
        if (status.status === 'idle' || status.status === 'disconnected') sleepPolicy.forget(sessionId);
        else sleepPolicy.touch(sessionId);
        statuses.emit(status);
      },
    });
    sessions.set(sessionId, session);
    return session;
  }

  function find(sessionId: SessionId): ClaudeSession {
    const known = sessions.get(sessionId);
    if (known !== undefined) return known;
    throw new ProviderError('SESSION_NOT_FOUND', 'This session is not open. Open it, then try again.');
  }

  async function historyOf(sessionId: SessionId, projectDir: string) {
    const { nativeId } = fromCanonical(sessionId);
    return readHistory({ env, nativeId, projectDir, sessionId, providerId: CLI_TYPE, now: clock.now });
  }

  return {
    cliType: CLI_TYPE,
    label: LABEL,

    async createSession({ projectDir }) {
      await launcher.check(projectDir);
      const nativeId = newId();
      const sessionId = toCanonical(CLI_TYPE, nativeId);
      const session = open(nativeId, projectDir, false);
      try {
        await session.wake();
      } catch (error) {
        sessions.delete(sessionId);
        throw explainFailedStart(error);
      }
      return { sessionId, cliType: CLI_TYPE, history: [] };
    },

    async loadSession(sessionId, { projectDir, neverUsed = false }) {
      const history = await historyOf(sessionId, projectDir);
      const known = sessions.get(sessionId);
      if (history === undefined && known === undefined && !neverUsed) {
        throw new ProviderError(
          'SESSION_NOT_FOUND',
          'Claude Code has no transcript of this session: it was removed, or belongs to another home directory.',
        );
      }
      const session = known ?? open(fromCanonical(sessionId).nativeId, projectDir, history !== undefined);
      // Off the path: the history is shown meanwhile, and a failure shows as the session's status.
      session.wake().catch(() => {});
      return { sessionId, cliType: CLI_TYPE, history: history ?? [] };
    },

    async sendMessage(sessionId, message, { turnId = newId() } = {}) {
      await find(sessionId).send(turnId, message);
      return { turnId };
    },

    async cancelTurn(sessionId) {
      await find(sessionId).cancel();
    },

    async killSession(sessionId) {
      const known = sessions.get(sessionId);
      sessions.delete(sessionId);
      await known?.close('session ended', 'cancelled');
    },

    stopBackground: async () => {},
    isAlive: (sessionId) => sessions.get(sessionId)?.isAlive() ?? false,
    onUpsert: listeners.onUpsert,
    onTurn: listeners.onTurn,
    onStatus: statuses.add,
    statuses: () => [...sessions.values()].map((session) => session.status()),

    async reconnect(sessionId) {
      const chosen = sessionId === undefined ? [...sessions.values()] : [find(sessionId)];
      const down = chosen.filter((session) => session.status().status === 'disconnected');
      await Promise.all(down.map((session) => session.wake()));
    },

    async checkAvailability() {
      const executable = findClaudeExecutable(claudePath, env);
      const info = { cliType: CLI_TYPE, label: LABEL, available: executable.found };
      return executable.found ? info : { ...info, reason: executable.reason };
    },

    async warmUp() {
      await loadSdk().catch(onFailure);
    },

    async close() {
      sleepPolicy.stop();
      const closing = [...sessions.values()];
      sessions.clear();
      await Promise.all(closing.map((session) => session.close('shutdown', SHUT_DOWN)));
    },
  };
}
