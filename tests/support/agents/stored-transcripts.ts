import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeFiles, NativeSession } from '../../../server/engine/native-files.ts';
import { fromCanonical, type SessionId } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import type { Transcripts } from './scripted-provider.ts';

type Transcript = Map<string, UpsertObject>;

/** Transcripts of a scripted agent that exist as long as their files do. */
export interface StoredTranscripts {
  readonly transcripts: Transcripts;
  readonly nativeFiles: NativeFiles;
  /** Deletes the files, as an agent does after some weeks. */
  deleteFiles(): void;
}

export function createStoredTranscripts(home: string): StoredTranscripts {
  const folder = join(home, 'transcripts');
  const pathOf = (nativeId: string) => join(folder, `${nativeId}.jsonl`);
  const nativeIdOf = (sessionId: SessionId) => fromCanonical(sessionId).nativeId;

  class Stored extends Map<SessionId, Transcript> {
    override has(sessionId: SessionId): boolean {
      return super.has(sessionId) && existsSync(pathOf(nativeIdOf(sessionId)));
    }
    override set(sessionId: SessionId, transcript: Transcript): this {
      mkdirSync(folder, { recursive: true });
      writeFileSync(pathOf(nativeIdOf(sessionId)), `${JSON.stringify({ sessionId })}\n`);
      return super.set(sessionId, transcript);
    }
  }

  const transcripts = new Stored();

  function sessionOf(nativeId: string, cwd: string | undefined): NativeSession | undefined {
    const path = pathOf(nativeId);
    if (!existsSync(path)) return undefined;
    return { nativeId, cwd, files: [{ path, name: `transcripts/${nativeId}.jsonl` }] };
  }

  return {
    transcripts,
    nativeFiles: {
      home: () => home,
      nativeIdOf,
      find: async (nativeId, projectDir) => sessionOf(nativeId, projectDir),
      async *list([cwd]) {
        for (const sessionId of transcripts.keys()) {
          const found = sessionOf(nativeIdOf(sessionId), cwd);
          if (found !== undefined) yield found;
        }
      },
    },
    deleteFiles: () => rmSync(folder, { recursive: true, force: true }),
  };
}
