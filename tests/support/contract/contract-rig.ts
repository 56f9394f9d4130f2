import type { CliProvider, ProviderStatus } from '../../../server/engine/provider-types.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { TurnEvent, UpsertObject } from '../../../shared/stream-contracts.ts';

/** One agent behind a provider, ready for the contract suite. */
export interface ContractAgent {
  readonly provider: CliProvider;
  readonly projectDir: string;
  /** How many processes of the agent run now. */
  running(): number;
  /** Ends the session's process from outside, as a crash does. */
  crash(sessionId: SessionId): void;
  /** Lets time pass: that of the test's own clock where the agent has one. */
  pass(ms: number): Promise<void>;
}

export interface ContractOptions {
  readonly startTimeoutMs?: number;
  readonly sleepAfterMs?: number;
  readonly cancelGraceMs?: number;
}

export interface ContractSubject {
  readonly name: string;
  /** Messages by which this agent does what the suite needs. */
  readonly messages: {
    /** Is answered. */
    readonly answer: string;
    /** Begins an answer and does not end it until it is cancelled. */
    readonly hold: string;
  };
  /** Text that shows up in the answer to `answer`. */
  readonly answerText: string;
  /** One process for all sessions: its status has no session, and it stays when one of several sessions is closed. */
  readonly sharedProcess: boolean;
  readonly historyWithoutProcess: boolean;
  create(options?: ContractOptions): Promise<ContractAgent>;
  /** The same agent with a program that starts and never gets ready; undefined where an agent has no handshake. */
  createHung?(options: ContractOptions & { readonly startTimeoutMs: number }): Promise<HungAgent>;
  /** The same agent with a program that cannot start. */
  createBroken(): Promise<ContractAgent>;
}

export interface HungAgent extends ContractAgent {
  /** A session that can be opened or is open, whose process hangs at its start. */
  readonly sessionId: SessionId;
}

export type SeenEvent =
  | { readonly kind: 'upsert'; readonly upsert: UpsertObject }
  | { readonly kind: 'turn'; readonly event: TurnEvent }
  | { readonly kind: 'status'; readonly status: ProviderStatus };

/** Everything that a provider emits about sessions, in order. */
export interface Watch {
  readonly events: readonly SeenEvent[];
  session(sessionId: SessionId): void;
  turn(turnId: string): readonly TurnEvent[];
  items(turnId: string): readonly UpsertObject[];
  ends(turnId: string): readonly TurnEvent[];
  /** Resolves when it holds; looks at every event and never at the time. */
  until(holds: () => boolean): Promise<void>;
}

export function watchProvider(provider: CliProvider): Watch {
  const events: SeenEvent[] = [];
  const waiting = new Set<() => void>();
  const watched = new Set<SessionId>();
  const add = (event: SeenEvent) => {
    events.push(event);
    for (const check of [...waiting]) check();
  };
  provider.onStatus((status) => add({ kind: 'status', status }));
  const turn = (turnId: string) =>
    events.flatMap((seen) => (seen.kind === 'turn' && seen.event.turnId === turnId ? [seen.event] : []));

  return {
    events,
    session(sessionId) {
      if (watched.has(sessionId)) return;
      watched.add(sessionId);
      provider.onUpsert(sessionId, (upsert) => add({ kind: 'upsert', upsert }));
      provider.onTurn(sessionId, (event) => add({ kind: 'turn', event }));
    },
    turn,
    items: (turnId) =>
      events.flatMap((seen) => (seen.kind === 'upsert' && seen.upsert.turnId === turnId ? [seen.upsert] : [])),
    ends: (turnId) => turn(turnId).filter(({ type }) => type !== 'turn_started'),
    until: (holds) =>
      new Promise((resolve) => {
        const check = () => {
          if (!holds()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
