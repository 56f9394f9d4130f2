/** Looks up a key that comes from outside: names such as `constructor` are in every object, but not in its own keys. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
