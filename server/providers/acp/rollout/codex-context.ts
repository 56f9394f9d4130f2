import type { Context } from '../../../../shared/entities.ts';
import { toCanonical } from '../../../../shared/ids.ts';
import type { KnownContext } from '../../../engine/native-sessions.ts';
import { createKeyedQueue } from '../../../keyed-queue.ts';
import { createFileProgress } from './file-progress.ts';
import { findLineage, type Lineage } from './lineage.ts';
import { createModelContext, type ModelContext, type ModelMessage } from './model-context.ts';
import type { Environment } from './rollout-files.ts';
import { scanLines } from './scan-lines.ts';

export interface ContextRequest {
  readonly cliType: string;
  /** The id under which Codex stored the conversation. */
  readonly storedId: string;
  /** A message was sent in it. */
  readonly wasUsed: boolean;
}

/** Reads what the model is given with the next message. Never rejects. */
export type ReadCodexContext = (request: ContextRequest) => Promise<KnownContext>;

const NO_META = 'Its transcript does not begin with the facts about the session, so Codex does not open it.';
const NO_BASE = 'The transcript that it was forked from is gone, so Codex does not open it.';
const OLD_END =
  'An older version of Codex wrote its last rows, so this version may not open it. A fork can be continued.';
const TOO_LONG = 'A row of its transcript is too long to be read.';
const GONE = 'Codex has no transcript of it.';

/** Reads what was appended since the last time. */
export function createContextReader(env: Environment): ReadCodexContext {
  const progress = createFileProgress<ModelContext>();
  const inOrder = createKeyedQueue();

  async function read({ cliType, storedId, wasUsed }: ContextRequest): Promise<Context> {
    const lineage = await findLineage(env, storedId);
    if (lineage === undefined) return wasUsed ? { state: 'unknown', reason: GONE } : { state: 'fresh', messages: 0 };
    if (lineage.meta === undefined) return { state: 'unknown', reason: NO_META };
    if (lineage.isBroken) return { state: 'unknown', reason: NO_BASE };
    const context = await progress(
      lineage.segments,
      () => createModelContext({ withTexts: false }),
      (known, line) => known.add(line),
    );
    return describe(lineage.meta, context, (id) => toCanonical(cliType, id));
  }

  return (request) =>
    inOrder(request.storedId, async () => {
      const context = await read(request).catch((error: unknown) => ({
        state: 'unknown' as const,
        reason: said(error),
      }));
      return { context, branches: [] };
    });
}

function describe(
  meta: NonNullable<Lineage['meta']>,
  known: ModelContext,
  toSession: (nativeId: string) => Context['from'],
): Context {
  if (!known.isReadable()) return { state: 'unknown', reason: TOO_LONG };
  if (meta.history_mode === 'paginated' && !known.endsWithOrdinal()) return { state: 'unknown', reason: OLD_END };
  const messages = known.messages().length;
  const compactedAt = known.compactedAt();
  const { forked_from_id: from, timestamp: forkedAt } = meta;
  const isForkLatest = compactedAt === undefined || (forkedAt !== undefined && forkedAt > compactedAt);
  if (from && isForkLatest) {
    return { state: 'forked', messages, from: toSession(from), ...(forkedAt !== undefined && { at: forkedAt }) };
  }
  if (compactedAt !== undefined) return { state: 'compacted', messages, at: compactedAt };
  return { state: messages === 0 ? 'fresh' : 'resumed', messages };
}

/** The messages themselves, in order. Undefined if Codex does not have the conversation or does not open it. */
export async function readModelMessages(
  env: Environment,
  storedId: string,
): Promise<readonly ModelMessage[] | undefined> {
  const lineage = await findLineage(env, storedId);
  if (lineage?.meta === undefined || lineage.isBroken) return undefined;
  const context = createModelContext({ withTexts: true });
  for (const { path, end } of lineage.segments) await scanLines(path, { start: 0, end }, context.add);
  return context.messages();
}

function said(error: unknown): string {
  return `Its transcript cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
