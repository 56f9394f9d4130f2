import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Serves the built pages. They contain no secrets and need no token. Hashed files are cached for good, others
 * revalidated.
 */
export async function installPages(server: FastifyInstance, directory: string): Promise<void> {
  await server.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await pages.register(fastifyStatic, {
      root: directory,
      wildcard: false,
      cacheControl: false,
      setHeaders(reply, path) {
        reply.setHeader(
          'cache-control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        );
      },
    });
  });
}
