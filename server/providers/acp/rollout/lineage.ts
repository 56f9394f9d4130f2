import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readFirstRow } from './first-row.ts';
import { type Environment, findRollout, findSegment } from './rollout-files.ts';

/** A file of a conversation, or as much of it as belongs to the conversation. */
export interface Segment {
  readonly path: string;
  /** The first byte that does not belong to it. Undefined for the newest file. */
  readonly end: number | undefined;
}

/** A fork and a conversation whose last turns were taken back begin in other files. */
export interface Lineage {
  /** Oldest first; never empty. */
  readonly segments: readonly [...Segment[], Segment];
  /** A file that it begins in is gone or too short. Codex does not open such a conversation. */
  readonly isBroken: boolean;
  /** Of the newest file. Undefined if that does not begin with it. */
  readonly meta: SessionMeta | undefined;
}

const metaSchema = z.object({
  type: z.literal('session_meta'),
  payload: z.object({
    id: z.string(),
    timestamp: z.string().optional().catch(undefined),
    forked_from_id: z.string().nullish().catch(undefined),
    history_mode: z.string().nullish().catch(undefined),
    history_base: z
      .object({ thread_id: z.string(), end_byte_offset: z.number().int().nonnegative() })
      .nullish()
      .catch(undefined),
  }),
});
export type SessionMeta = z.infer<typeof metaSchema>['payload'];

/** Undefined if Codex has no such conversation. */
export async function findLineage(env: Environment, storedId: string): Promise<Lineage | undefined> {
  const newest = await findRollout(env, storedId);
  if (newest === undefined) return undefined;
  const meta = await readMeta(newest);
  const segments: [...Segment[], Segment] = [{ path: newest, end: undefined }];
  const seen = new Set([newest]);
  let base = meta?.history_base;
  while (base) {
    const path = await findSegment(env, base.thread_id, dirname(segments[0]?.path ?? newest));
    const size = path === undefined ? undefined : (await stat(path).catch(() => undefined))?.size;
    const isThere = path !== undefined && size !== undefined && size >= base.end_byte_offset;
    if (!isThere || seen.has(path)) return { segments, isBroken: true, meta };
    seen.add(path);
    segments.unshift({ path, end: base.end_byte_offset });
    base = (await readMeta(path))?.history_base;
  }
  return { segments, isBroken: false, meta };
}

async function readMeta(path: string): Promise<SessionMeta | undefined> {
  return metaSchema.safeParse(await readFirstRow(path).catch(() => undefined)).data?.payload;
}
