import { randomUUID } from 'node:crypto';
import { createListeners } from '../../../../server/providers/listeners.ts';
import type { CliProvider, ProviderStatus } from '../../../../server/providers/provider-types.ts';
import { createSessionListeners } from '../../../../server/providers/session-listeners.ts';
import type { ProviderInfo } from '../../../../shared/entities.ts';
import { AppError } from '../../../../shared/errors.ts';
import { type SessionId, toCanonical } from '../../../../shared/ids.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';

/** An agent without a process: what it says and when its turns end is up to the test. */
export interface ScriptedProvider extends CliProvider {
  /** Conversations by session; a session without one cannot be loaded. */
  readonly conversations: Map<SessionId, readonly UpsertObject[]>;
  info: ProviderInfo;
  /** How often a session was loaded. */
  readonly loads: SessionId[];
  emitStatus(status: Omit<ProviderStatus, 'cliType'>): void;
  /** Ends the turn that runs in a session. */
  finish(sessionId: SessionId, outcome?: 'completed' | 'error'): void;
}

export function createScriptedProvider(cliType: string, label: string): ScriptedProvider {
  const failed = (error: unknown) => {
    throw error;
  };
  const listeners = createSessionListeners(failed);
  const statusListeners = createListeners<ProviderStatus>(failed);
  const conversations = new Map<SessionId, readonly UpsertObject[]>();
  const turns = new Map<SessionId, string>();
  const loads: SessionId[] = [];

  function finish(sessionId: SessionId, outcome: 'completed' | 'cancelled' | 'error' = 'completed'): void {
    const turnId = turns.get(sessionId);
    if (turnId === undefined) return;
    turns.delete(sessionId);
    if (outcome === 'error') {
      listeners.emitTurn({
        type: 'turn_error',
        turnId,
        sessionId,
        errorCode: 'MODEL_ERROR',
        errorMessage: 'It broke.',
      });
    } else listeners.emitTurn({ type: 'turn_complete', turnId, sessionId, status: outcome });
  }

  return {
    cliType,
    label,
    info: { cliType, label, available: true },
    conversations,
    loads,
    finish,
    emitStatus: (status) => statusListeners.emit({ cliType, ...status }),
    async createSession() {
      const sessionId = toCanonical(cliType, randomUUID());
      conversations.set(sessionId, []);
      return { sessionId, cliType, history: [] };
    },
    async loadSession(sessionId) {
      loads.push(sessionId);
      const history = conversations.get(sessionId);
      if (history === undefined) throw new AppError('SESSION_NOT_FOUND');
      return { sessionId, cliType, history };
    },
    async sendMessage(sessionId, message, { turnId = randomUUID() } = {}) {
      turns.set(sessionId, turnId);
      listeners.emitUpsert(messageOf(sessionId, turnId, 'user', message));
      listeners.emitTurn({ type: 'turn_started', turnId, sessionId, modelId: 'scripted', providerId: cliType });
      return { turnId };
    },
    cancelTurn: async (sessionId) => finish(sessionId, 'cancelled'),
    killSession: async (sessionId) => finish(sessionId, 'cancelled'),
    isAlive: () => true,
    onUpsert: listeners.onUpsert,
    onTurn: listeners.onTurn,
    onStatus: (callback) => statusListeners.add(callback),
    statuses: () => [],
    async reconnect() {
      statusListeners.emit({ cliType, status: 'connected' });
    },
    async checkAvailability() {
      return this.info;
    },
    warmUp: async () => undefined,
    close: async () => undefined,
  };
}

export function messageOf(
  sessionId: SessionId,
  turnId: string,
  origin: 'user' | 'agent',
  content: string,
): UpsertObject {
  const at = new Date().toISOString();
  const itemId = origin === 'user' ? `${turnId}:user` : `${turnId}:0:0`;
  return {
    type: 'message',
    turnId,
    sessionId,
    itemId,
    sourceTimestamp: at,
    emittedAt: at,
    status: 'complete',
    content,
    origin,
  };
}
