import type { Context, SessionMeta } from '../../shared/entities.ts';
import { AppError } from '../../shared/errors.ts';
import type { SessionId } from '../../shared/ids.ts';
import type { Clock } from '../clock.ts';
import type { KnownContext } from '../engine/native-sessions.ts';

/** What the model is given with the next message of each session, as far as that was worked out. */
export interface Contexts {
  get(sessionId: SessionId, meta: SessionMeta | undefined): KnownContext | undefined;
  /** Works it out again, soon and in the background. */
  look(sessionId: SessionId): void;
  /** Throws CONTEXT_UNCERTAIN where the user has not accepted that the model does not know the conversation. */
  check(sessionId: SessionId, accepted: Context['state'] | undefined): Promise<void>;
  /** Calls off a look that has not begun. */
  cancel(sessionId: SessionId): void;
  forget(sessionId: SessionId): void;
  close(): void;
}

export interface ContextsDeps {
  readonly clock: Clock;
  readonly read: (sessionId: SessionId) => Promise<KnownContext | undefined>;
  readonly metaOf: (sessionId: SessionId) => SessionMeta | undefined;
  /** The agent has opened the session since the server was started. */
  readonly wasOpened: (sessionId: SessionId) => boolean;
  readonly onChange: (sessionId: SessionId, context: Context, before: Context | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/** How long to wait for more of the same, so that a burst of changes is one look. */
const COLLECT_MS = 100;

export function createContexts(deps: ContextsDeps): Contexts {
  const { clock, metaOf } = deps;
  const known = new Map<SessionId, KnownContext>();
  const timers = new Map<SessionId, unknown>();
  /** The state that the user accepted. */
  const accepted = new Map<SessionId, Context['state']>();
  let isClosed = false;

  function get(sessionId: SessionId, meta: SessionMeta | undefined): KnownContext | undefined {
    const read = known.get(sessionId);
    if (read !== undefined) return { ...read, context: withOrigin(read.context, meta) };
    if (meta?.used === false) return { context: withOrigin({ state: 'fresh' }, meta), branches: [] };
    return deps.wasOpened(sessionId) ? { context: withOrigin({ state: 'resumed' }, meta), branches: [] } : undefined;
  }

  async function read(sessionId: SessionId): Promise<void> {
    const next = await deps.read(sessionId);
    if (next === undefined || isClosed) return;
    const before = known.get(sessionId);
    known.set(sessionId, next);
    if (accepted.get(sessionId) !== next.context.state) accepted.delete(sessionId);
    if (JSON.stringify(before) === JSON.stringify(next)) return;
    deps.onChange(sessionId, withOrigin(next.context, metaOf(sessionId)), before?.context);
  }

  function cancel(sessionId: SessionId): void {
    clock.clearTimeout(timers.get(sessionId));
    timers.delete(sessionId);
  }

  return {
    get,
    look(sessionId) {
      if (timers.has(sessionId) || isClosed) return;
      const run = () => {
        timers.delete(sessionId);
        void read(sessionId).catch(deps.onFailure);
      };
      timers.set(sessionId, clock.setTimeout(run, COLLECT_MS));
    },
    async check(sessionId, accept) {
      if (!known.has(sessionId) || timers.has(sessionId)) await read(sessionId);
      const context = get(sessionId, metaOf(sessionId))?.context;
      if (context === undefined || (context.state !== 'reset' && context.state !== 'unknown')) return;
      if (accept === context.state) accepted.set(sessionId, accept);
      if (accepted.get(sessionId) === context.state) return;
      throw new AppError('CONTEXT_UNCERTAIN', undefined, { details: { context } });
    },
    cancel,
    forget(sessionId) {
      cancel(sessionId);
      known.delete(sessionId);
      accepted.delete(sessionId);
    },
    close() {
      isClosed = true;
      for (const timer of timers.values()) clock.clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The agent does not know which session of ours was forked or cleared. */
function withOrigin(context: Context, meta: SessionMeta | undefined): Context {
  const { origin } = meta ?? {};
  if (origin === undefined || !PLAIN.has(context.state)) return context;
  const { from, how, at } = origin;
  return { ...context, state: how, from, at: context.at ?? at };
}

/** States that say nothing else about where the context came from. */
const PLAIN: ReadonlySet<Context['state']> = new Set(['fresh', 'resumed', 'forked', 'cleared']);
