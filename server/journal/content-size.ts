import type { UpsertObject } from '../../shared/stream-contracts.ts';

/** Estimates the size of an item in UTF-16 code units, from its texts. */
export function contentSize(upsert: UpsertObject): number {
  if (upsert.type !== 'tool_call') return upsert.content.length;
  const { toolArguments, toolOutput, diffs } = upsert;
  return textSize(toolArguments) + textSize(toolOutput) + textSize(diffs);
}

function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + textSize(inner), 0);
}
