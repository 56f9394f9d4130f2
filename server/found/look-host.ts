import type { ListingFormat } from '../engine/native-listing.ts';
import { createLook, type FileChange, type FolderTask, listFolders } from './walk.ts';

export type LookRequest =
  | { readonly kind: 'folders'; readonly format: string; readonly folder: string }
  | { readonly kind: 'files'; readonly format: string; readonly tasks: readonly FolderTask[] };

/** Several for one request; the last one says so. */
export interface LookResponse {
  readonly folders?: readonly string[];
  readonly changes?: readonly FileChange[];
  readonly isLast: boolean;
}

const BATCH = 250;

/** Does what is asked, where it runs. */
export type LookHost = (request: LookRequest) => Generator<LookResponse, void, undefined>;

export function createLookHost(formats: readonly ListingFormat[]): LookHost {
  const look = createLook();
  return function* answer(request) {
    const format = formats.find(({ name }) => name === request.format);
    if (format !== undefined && request.kind === 'folders')
      yield { folders: listFolders({ folder: request.folder, format }), isLast: false };
    if (format !== undefined && request.kind === 'files') {
      let changes: FileChange[] = [];
      for (const task of request.tasks) {
        for (const change of look(format, task)) {
          changes.push(change);
          if (changes.length < BATCH) continue;
          yield { changes, isLast: false };
          changes = [];
        }
      }
      yield { changes, isLast: false };
    }
    yield { isLast: true };
  };
}
