/** Deeper nesting, which a hostile model could produce, would overflow the stack of the JSON serialiser. */
const MAX_DEPTH = 100;

/** Returns a deeply frozen copy of a JSON value, so that snapshots can share it. */
export function frozenCopy<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…' as T;
  if (Array.isArray(value)) return Object.freeze(value.map((inner) => frozenCopy(inner, depth + 1))) as T;
  const entries = Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(entries)) as T;
}
