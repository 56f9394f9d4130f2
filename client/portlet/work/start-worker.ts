import workerUrl from './worker.ts?worker&url';

/** The part of the Trusted Types API that is used here. Not every browser has it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

const trustedTypes: TrustedTypes | undefined = Reflect.get(globalThis, 'trustedTypes');

/** The page only loads scripts from addresses that this policy allows: that of the worker and no other. */
const policy = trustedTypes?.createPolicy('liminal', {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError('This is not the address of the worker.');
    return url;
  },
});

export function startWorker(): Worker {
  const address = policy === undefined ? workerUrl : policy.createScriptURL(workerUrl);
  // The types know addresses as text or URLs only.
  return new Worker(address as string, { type: 'module' });
}
