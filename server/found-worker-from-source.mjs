/** Runs the worker from its TypeScript source, for development and tests: Node has no loader for it in a thread. */
if (process.versions.bun === undefined) (await import('tsx/esm/api')).register();
await import('./found-worker.ts');
