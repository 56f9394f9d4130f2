export { removeTemporaries, replaceFile } from './atomic-file.ts';
export { commitNow } from './commit-now.ts';
export { acquireDataLock, waitForOwnerUrl } from './data-lock.ts';
export { isErrorWithCode, nodeFileSystem, syncDirectoryNow } from './file-system.ts';
export { type JsonStore, type JsonStoreOptions, openJsonStore } from './json-store.ts';
export { type MovedAside, moveAside } from './move-aside.ts';
