import type { SessionId } from '../../shared/ids.ts';
import {
  type TurnSummary,
  turnSummarySchema,
  type UpsertObject,
  upsertObjectSchema,
} from '../../shared/stream-contracts.ts';
import type { SqlValue } from './database.ts';

/** Bodies are JSON as bytes: unlike texts they may hold anything, and they are copied without a look at each character. */
const decoder = new TextDecoder();

/** An id as the database can hold it: well-formed, without NUL. */
export function toKey(id: string): string {
  return /^"|\0|\p{Surrogate}/u.test(id) ? JSON.stringify(id) : id;
}

export function fromKey(key: SqlValue | undefined): string {
  const text = String(key);
  return text.startsWith('"') ? String(parseOr(text, text)) : text;
}

/** Without the ids, which have columns of their own. */
export function itemBody({ sessionId: _, itemId: __, turnId: ___, ...body }: UpsertObject): Uint8Array {
  return toBytes(body);
}

export interface ItemIds {
  readonly sessionId: SessionId;
  readonly itemId: string;
  readonly turnId: string;
}

/** Undefined if this is not an item. */
export function readItem(ids: ItemIds, body: SqlValue | undefined): UpsertObject | undefined {
  const value = fromBytes(body);
  if (typeof value !== 'object' || value === null) return undefined;
  return upsertObjectSchema.safeParse({ ...value, ...ids }).data;
}

export const turnBody = ({ turnId: _, ...body }: TurnSummary): Uint8Array => toBytes(body);

/** Undefined if this is not a turn. */
export function readTurn(turnId: string, body: SqlValue | undefined): TurnSummary | undefined {
  const value = fromBytes(body);
  if (typeof value !== 'object' || value === null) return undefined;
  return turnSummarySchema.safeParse({ ...value, turnId }).data;
}

export const textBytes = (text: string): Uint8Array => toBytes(text);

export function readText(bytes: SqlValue | undefined): string | undefined {
  const value = fromBytes(bytes);
  return typeof value === 'string' ? value : undefined;
}

function toBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function fromBytes(bytes: SqlValue | undefined): unknown {
  return bytes instanceof Uint8Array ? parseOr(decoder.decode(bytes), undefined) : undefined;
}

function parseOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
