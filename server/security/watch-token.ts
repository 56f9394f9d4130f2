import { watch } from 'node:fs';
import { basename } from 'node:path';
import { readToken, tokenPath } from './token.ts';

export interface TokenWatch {
  /** May be called again with the same token. */
  readonly onToken: (token: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Watches the token of a data directory, which `liminal-builder token --renew` replaces. Returns a function to stop. */
export function watchToken(dataDir: string, { onToken, onError }: TokenWatch): () => void {
  let last: Promise<void> = Promise.resolve();
  async function check(): Promise<void> {
    const token = await readToken(dataDir);
    if (token !== undefined) await onToken(token);
  }
  const changed = (name: string | null) => {
    if (name === null || name === basename(tokenPath(dataDir))) last = last.then(check).catch(onError);
  };
  try {
    // The directory, because a rename replaces the file.
    const watcher = watch(dataDir, { persistent: false }, (_event, name) => changed(name));
    watcher.on('error', onError);
    // Between the first read and now it may have changed.
    changed(null);
    return () => watcher.close();
  } catch (error) {
    onError(error);
    return () => undefined;
  }
}
