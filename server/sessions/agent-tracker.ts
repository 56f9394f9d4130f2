import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { ProviderRegistry } from '../providers/provider-registry.ts';
import type { ProviderStatus } from '../providers/provider-types.ts';
import type { Announce } from './session-events.ts';

/** Announces how the agents stand and remembers which processes are down. */
export interface AgentTracker {
  /** The process of the session, its own or the shared one, ended and is not back. */
  isDown(sessionId: SessionId): boolean;
  stop(): void;
}

export function trackAgents(
  registry: ProviderRegistry,
  announce: Announce,
  onChange: (sessionId: SessionId) => void,
): AgentTracker {
  /** Session ids, and agent types for shared processes. */
  const down = new Set<string>();

  function take(status: ProviderStatus): void {
    const key = status.sessionId ?? status.cliType;
    if (status.status === 'disconnected' || status.status === 'reconnecting') down.add(key);
    else down.delete(key);
    announce({ to: 'all', message: { type: 'agent:status', ...status } });
    if (status.sessionId !== undefined) onChange(status.sessionId);
  }

  const stops = registry.list().map((provider) => provider.onStatus(take));
  return {
    isDown: (sessionId) => down.has(sessionId) || down.has(fromCanonical(sessionId).cliType),
    stop() {
      for (const stop of stops) stop();
    },
  };
}
