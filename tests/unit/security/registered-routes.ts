import type { FastifyInstance } from 'fastify';

export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
}

/** Every route of a server, read from the router itself, so that no list of them has to be kept. */
export function registeredRoutes(server: FastifyInstance): RegisteredRoute[] {
  const parents: string[] = [];
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S*)(?: \(([^)]*)\))?$/.exec(line) ?? [];
      if (part === '') return [];
      const depth = indent.length / 4;
      const path = `${parents[depth - 1] ?? ''}${part}`;
      parents[depth] = path;
      return methods.split(', ').flatMap((method) => (method === '' ? [] : [{ method, path }]));
    });
}
