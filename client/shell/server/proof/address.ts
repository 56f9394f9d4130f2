import { oneTimeIdSchema } from '../../../../shared/handshake.ts';
import { fromBase64url } from './bytes.ts';
import { type Credential, credentialOfBytes } from './credential.ts';

/** Where versions before this one kept the token. */
const FORMER_KEY = 'liminal:token';

/** Reads the secret from an address that the server printed (`#token=…`) or opened (`#once=…`). Null if there is none. */
export function readSecret(location: Pick<Location, 'hash'>): Credential | 'malformed' | null {
  if (!hasSecret(location)) return null;
  const fragment = new URLSearchParams(location.hash.slice(1));
  const value = fragment.get('once') ?? fragment.get('token') ?? '';
  const [, id, text] = /^(?:(.+)\.)?([A-Za-z0-9_-]{43})$/.exec(value) ?? [];
  if (text === undefined) return 'malformed';
  const secret = fromBase64url(text);
  if (!fragment.has('once')) return id === undefined ? credentialOfBytes('run', secret) : 'malformed';
  const once = oneTimeIdSchema.safeParse(id);
  return once.success ? credentialOfBytes({ once: once.data }, secret) : 'malformed';
}

export interface AddressPlace {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
}

/**
 * Removes the secret from the address bar, so that it is neither bookmarked nor read over the user's shoulder. Not before
 * it was used, or a reload in between would lose it.
 */
export function removeSecret({ location, history }: AddressPlace): void {
  if (hasSecret(location)) history.replaceState(null, '', `${location.pathname}${location.search}`);
}

export function hasSecret({ hash }: Pick<Location, 'hash'>): boolean {
  const fragment = new URLSearchParams(hash.slice(1));
  return fragment.has('token') || fragment.has('once');
}

export function forgetFormerToken(storage: Pick<Storage, 'removeItem'>): void {
  storage.removeItem(FORMER_KEY);
}
