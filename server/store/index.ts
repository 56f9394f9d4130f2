export { commitNow } from './commit-now.ts';
export { acquireDataLock, type DataLock, type LockOwner, type LockResult, waitForOwnerUrl } from './data-lock.ts';
export { type JsonStore, type JsonStoreOptions, openJsonStore } from './json-store.ts';
export type { MovedAside } from './move-aside.ts';
