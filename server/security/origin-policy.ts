/**
 * Which `Host` and `Origin` a request may carry. Both must be exactly ours: a page on another origin, or a name that
 * was rebound to our address, is turned away before anything else happens.
 */
export interface OriginPolicy {
  /** `rawHeaders` as Node gives them, because a doubled header is folded away in the parsed ones. */
  allows(rawHeaders: readonly string[]): boolean;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = new Set(['0.0.0.0', '::', '[::]']);

export function createOriginPolicy(options: { host: string; port: number }): OriginPolicy {
  const asked = options.host.includes(':') && !options.host.startsWith('[') ? `[${options.host}]` : options.host;
  const names = new Set([...LOOPBACK_NAMES, ...(WILDCARDS.has(asked) ? [] : [asked.toLowerCase()])]);
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

/** The value of a header that is there once; undefined when it is missing, null when it is there twice. */
function onlyValue(rawHeaders: readonly string[], name: string): string | undefined | null {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue;
    if (found !== undefined) return null;
    found = rawHeaders[index + 1];
  }
  return found;
}
