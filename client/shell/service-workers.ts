/** Scripts of our own service workers. There are none yet. */
const OURS: readonly string[] = [];

type Workers = Pick<ServiceWorkerContainer, 'controller' | 'getRegistrations'>;

/**
 * A program that had this address before may have left a service worker, which could read and change all that we load.
 * Removes such workers and their caches. Resolves to true if there was one: then the page must not start, because what was
 * loaded so far may have come from it.
 */
export async function endForeignWorkers(workers: Workers | undefined, caches?: CacheStorage): Promise<boolean> {
  if (workers === undefined) return false;
  const found = await workers.getRegistrations().catch(() => []);
  const registrations = found.filter((registration) => !isOurs(registration));
  if (registrations.length === 0 && (workers.controller === null || OURS.includes(pathOf(workers.controller)))) {
    return false;
  }
  await Promise.all(registrations.map((registration) => registration.unregister()));
  const names = (await caches?.keys()) ?? [];
  await Promise.all(names.map((name) => caches?.delete(name)));
  return true;
}

function isOurs({ active, waiting, installing }: ServiceWorkerRegistration): boolean {
  return [active, waiting, installing].every((worker) => worker === null || OURS.includes(pathOf(worker)));
}

const pathOf = ({ scriptURL }: ServiceWorker) => new URL(scriptURL).pathname;
