import type { FastifyInstance } from 'fastify';

export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
}

/** Reads all routes from the router itself, so that no list has to be maintained. */
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
