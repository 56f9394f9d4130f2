const KEY = 'liminal:token';

export interface TokenPlace {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
  readonly storage: Storage;
}

/**
 * The token comes in the address once (`#token=…`), is kept for this origin and leaves the address bar at once, so
 * that it is neither bookmarked nor seen over a shoulder.
 */
export function takeToken({ location, history, storage }: TokenPlace): string | null {
  const fromAddress = tokenIn(location);
  if (fromAddress === null) return storage.getItem(KEY);
  storage.setItem(KEY, fromAddress);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return fromAddress;
}

/** The token in an address, or null. */
export function tokenIn(location: Pick<Location, 'hash'>): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token') || null;
}
