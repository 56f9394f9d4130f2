/** The printed address for Node, which may be unable to resolve the page's name, and the token in it. */
export function plainAddress(printed: string): { readonly origin: string; readonly token: string } {
  const { hostname, port, hash } = new URL(printed);
  const host = hostname.endsWith('.localhost') ? '127.0.0.1' : hostname;
  return { origin: `http://${host}:${port}`, token: hash.slice('#token='.length) };
}
