const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When an id was made, if it tells: UUIDs of version 7 begin with the milliseconds since 1970. */
export function timeOfId(id: string | undefined): string | undefined {
  const [, high, low] = UUID_V7.exec(id ?? '') ?? [];
  return high === undefined ? undefined : new Date(Number.parseInt(`${high}${low}`, 16)).toISOString();
}
