import type { NativeFiles } from '../../../server/engine/native-files.ts';
import { fromCanonical } from '../../../shared/ids.ts';

/** A home of an agent in which no conversation is found. Copies can be put back there. */
export function createEmptyHome(home: string): NativeFiles {
  return {
    home: () => home,
    nativeIdOf: (sessionId) => fromCanonical(sessionId).nativeId,
    find: async () => undefined,
    async *list() {},
  };
}
