/** No tool nests its arguments so deeply, but a model could, and whoever serialises them would run out of stack. */
const MAX_DEPTH = 100;

/** A copy of a JSON value that nobody can change, so that it may be part of any number of snapshots. */
export function frozenCopy<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…' as T;
  if (Array.isArray(value)) return Object.freeze(value.map((inner) => frozenCopy(inner, depth + 1))) as T;
  const entries = Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(entries)) as T;
}
