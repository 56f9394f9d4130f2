import type { AgentStatusMessage } from '../../shared/events.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { ProviderStatus } from '../engine/provider-types.ts';
import type { Announce } from './open-session.ts';

/** Announces the status of the agents and tracks which processes are down. */
export interface AgentTracker {
  /** Whether the process of the session, its own or the shared one, has ended unexpectedly. */
  isDown(sessionId: SessionId): boolean;
  /** The current status of every agent, for a new window. */
  statuses(): AgentStatusMessage[];
  stop(): void;
}

export function trackAgents(
  registry: ProviderRegistry,
  announce: Announce,
  /** Called after the announcement. `isDown`: the process ended. `wasDown`: it had ended before. */
  onChange: (status: ProviderStatus, isDown: boolean, wasDown: boolean) => void,
): AgentTracker {
  /** Session ids, and agent types for shared processes. */
  const down = new Set<string>();

  function take(status: ProviderStatus): void {
    const key = status.sessionId ?? status.cliType;
    const wasDown = down.has(key);
    const isDown = status.status === 'disconnected' || status.status === 'reconnecting';
    if (isDown) down.add(key);
    else down.delete(key);
    announce({ to: 'all', message: toMessage(status) });
    onChange(status, isDown, wasDown);
  }

  const stops = registry.list().map((provider) => provider.onStatus(take));
  return {
    statuses: () => registry.list().flatMap((provider) => provider.statuses().map(toMessage)),
    isDown: (sessionId) => down.has(sessionId) || down.has(fromCanonical(sessionId).cliType),
    stop() {
      for (const stop of stops) stop();
    },
  };
}

function toMessage(status: ProviderStatus): AgentStatusMessage {
  return { type: 'agent:status', ...status };
}
