import type { Holder } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import { fromCanonical, type SessionId, toCanonical } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { ProviderRegistry } from '../engine/provider-registry.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { SessionStore } from './session-store.ts';

/** Knows which sessions other programs have open, so that each has one writer. */
export interface SessionGuard {
  /** As it was when it was last looked at. */
  holderOf(sessionId: SessionId): Holder | undefined;
  /** Looks again. Throws SESSION_IN_USE if another program has the session open for certain. */
  refuseIfHeld(sessionId: SessionId): Promise<void>;
  /** Somebody whom nobody knows wrote to the session at this time: it may be open in a terminal. */
  noteWriter(sessionId: SessionId, at: string): void;
  close(): void;
}

export interface SessionGuardDeps {
  readonly registry: ProviderRegistry;
  readonly sessions: SessionStore;
  readonly clock: Clock;
  /** Called when another program opened a session, does something else in it, or closed it. */
  readonly onChange: (sessionId: SessionId, holder: Holder | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** How long after somebody wrote to a session it may still be open there. */
const RECENT_MS = 2 * 60_000;

type Holdings = ReadonlyMap<string, Holder>;

interface Suspicion {
  readonly holder: Holder;
  readonly timer: unknown;
}

export function createSessionGuard(deps: SessionGuardDeps): SessionGuard {
  const { registry, sessions, clock, onChange } = deps;
  /** By agent, then by the agent's own id of the session. */
  const held = new Map<string, Holdings>();
  const suspected = new Map<SessionId, Suspicion>();
  /** When a session was last held for certain, on the monotonic clock. */
  const lastHeld = new Map<SessionId, number>();
  let isClosed = false;

  const nativeIdOf = (provider: CliProvider, sessionId: SessionId) =>
    provider.nativeFiles?.nativeIdOf(sessionId) ?? fromCanonical(sessionId).nativeId;

  function providerOf(sessionId: SessionId): CliProvider | undefined {
    const { cliType } = fromCanonical(sessionId);
    return registry.list().find((provider) => provider.cliType === cliType);
  }

  function sessionOf(provider: CliProvider, nativeId: string): SessionId | undefined {
    const usual = toCanonical(provider.cliType, nativeId);
    if (sessions.get(usual) !== undefined && nativeIdOf(provider, usual) === nativeId) return usual;
    const isMeant = ({ id, cliType }: { id: SessionId; cliType: string }) =>
      cliType === provider.cliType && nativeIdOf(provider, id) === nativeId;
    return sessions.list().find(isMeant)?.id;
  }

  function put(provider: CliProvider, next: Holdings): void {
    const before: Holdings = held.get(provider.cliType) ?? new Map();
    held.set(provider.cliType, next);
    for (const nativeId of new Set([...before.keys(), ...next.keys()])) {
      if (isSameHolder(before.get(nativeId), next.get(nativeId))) continue;
      const sessionId = sessionOf(provider, nativeId);
      if (sessionId === undefined) continue;
      lastHeld.set(sessionId, clock.monotonic());
      clearSuspicion(sessionId);
      onChange(sessionId, next.get(nativeId));
    }
  }

  function clearSuspicion(sessionId: SessionId): void {
    clock.clearTimeout(suspected.get(sessionId)?.timer);
    suspected.delete(sessionId);
  }

  function holderOf(sessionId: SessionId): Holder | undefined {
    const { cliType } = fromCanonical(sessionId);
    const holdings = held.get(cliType);
    // There may be tens of thousands of sessions, and hardly any holder.
    const provider = holdings === undefined || holdings.size === 0 ? undefined : providerOf(sessionId);
    const known = provider && holdings?.get(nativeIdOf(provider, sessionId));
    return known ?? suspected.get(sessionId)?.holder;
  }

  /** One look at a time; a change during a look is followed by another. */
  function watchHolders(provider: CliProvider): () => void {
    const { holders } = provider;
    if (holders === undefined) return () => {};
    let isLooking = false;
    let isDue = false;
    const look = async () => {
      isDue = true;
      if (isLooking) return;
      isLooking = true;
      while (isDue && !isClosed) {
        isDue = false;
        const next = await holders.all();
        if (!isClosed) put(provider, next);
      }
      isLooking = false;
    };
    const start = () => void look().catch(deps.onFailure);
    const stop = holders.watch(start);
    start();
    return stop;
  }

  const stops = registry.list().map(watchHolders);

  return {
    holderOf,
    async refuseIfHeld(sessionId) {
      const provider = providerOf(sessionId);
      if (provider?.holders === undefined) return;
      const nativeId = nativeIdOf(provider, sessionId);
      const holder = await provider.holders.find(nativeId);
      const next = new Map(held.get(provider.cliType));
      if (holder === undefined) next.delete(nativeId);
      else next.set(nativeId, holder);
      put(provider, next);
      if (holder?.certain) throw heldBy(holder);
    },
    noteWriter(sessionId, at) {
      const known = holderOf(sessionId);
      const age = Date.parse(clock.now()) - Date.parse(at);
      const wasHeld = clock.monotonic() - (lastHeld.get(sessionId) ?? Number.NEGATIVE_INFINITY) < RECENT_MS;
      if (known?.certain || wasHeld || age >= RECENT_MS) return;
      clearSuspicion(sessionId);
      const label = providerOf(sessionId)?.label ?? fromCanonical(sessionId).cliType;
      const holder = known ?? { label, since: at, certain: false };
      const timer = clock.setTimeout(
        () => {
          suspected.delete(sessionId);
          onChange(sessionId, undefined);
        },
        Math.min(RECENT_MS, RECENT_MS - age),
      );
      suspected.set(sessionId, { holder, timer });
      if (known === undefined) onChange(sessionId, holder);
    },
    close() {
      isClosed = true;
      for (const stop of stops) stop();
      for (const sessionId of [...suspected.keys()]) clearSuspicion(sessionId);
    },
  };
}

function isSameHolder(a: Holder | undefined, b: Holder | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function heldBy(holder: Holder): AppError {
  const { label, pid, tty, since } = holder;
  const where = [pid && `process ${pid}`, tty && `terminal ${tty}`, since && `since ${since}`].filter(Boolean);
  const facts = where.length === 0 ? '' : ` (${where.join(', ')})`;
  const message = `${label} has this session open elsewhere${facts}. Close it there, or fork the session.`;
  return new AppError('SESSION_IN_USE', message, { details: { heldBy: holder } });
}
