/**
 * Which `Host` and `Origin` a request may have. Both must match exactly, which rejects pages of other origins and names
 * that were rebound to our address.
 */
export interface OriginPolicy {
  /** Takes Node's `rawHeaders`, because the parsed headers hide duplicates. */
  allows(rawHeaders: readonly string[]): boolean;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
/** Addresses that mean every interface. A browser cannot use them as an address. */
const LOOPBACK_OF_WILDCARD: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

/** The host as it is written in the address of the page. */
export function reachableHost(host: string): string {
  const written = (host.includes(':') ? `[${host}]` : host).toLowerCase();
  return LOOPBACK_OF_WILDCARD[written] ?? written;
}

export interface OriginPolicyOptions {
  readonly host: string;
  readonly port: number;
  /** The page's own name, if it has one. */
  readonly name?: string | undefined;
}

export function createOriginPolicy(options: OriginPolicyOptions): OriginPolicy {
  const names = new Set([...LOOPBACK_NAMES, reachableHost(options.host)]);
  if (options.name !== undefined) names.add(options.name);
  const hosts = new Set<string>();
  for (const name of names) {
    hosts.add(`${name}:${options.port}`);
    if (options.port === 80) hosts.add(name);
  }

  return {
    allows(rawHeaders) {
      const host = onlyValue(rawHeaders, 'host');
      if (typeof host !== 'string' || !hosts.has(host)) return false;
      const origin = onlyValue(rawHeaders, 'origin');
      return origin === undefined || origin === `http://${host}`;
    },
  };
}

/** The value of a header; undefined if it is missing, null if it appears more than once. */
function onlyValue(rawHeaders: readonly string[], name: string): string | undefined | null {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue;
    if (found !== undefined) return null;
    found = rawHeaders[index + 1];
  }
  return found;
}
