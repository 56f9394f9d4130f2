const KEY = 'liminal:token';

export interface TokenPlace {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
  readonly storage: Storage;
}

/**
 * Reads the token from the address (`#token=…`), stores it for this origin and removes it from the address bar, so that
 * it is neither bookmarked nor read over the user's shoulder.
 */
export function takeToken({ location, history, storage }: TokenPlace): string | null {
  const fromAddress = tokenIn(location);
  if (fromAddress === null) return storage.getItem(KEY);
  storage.setItem(KEY, fromAddress);
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return fromAddress;
}

export function tokenIn(location: Pick<Location, 'hash'>): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token') || null;
}
