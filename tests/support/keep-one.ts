import { join } from 'node:path';
import { nodeKeptFiles } from '../../server/keep/kept-files.ts';
import { openSessionCopy } from '../../server/keep/session-copy.ts';
import { fromCanonical, type SessionId } from '../../shared/ids.ts';

/** Writes a copy of a conversation with one file into a data directory. */
export async function keepOne(dataDir: string, sessionId: SessionId, name: string, text: string): Promise<void> {
  const id = fromCanonical(sessionId);
  nodeKeptFiles.makeDirectory(join(dataDir, 'kept', id.cliType));
  const directory = join(dataDir, 'kept', id.cliType, id.nativeId);
  const copy = await openSessionCopy(directory, id, {
    files: nodeKeptFiles,
    now: () => '2026-01-01T00:00:00.000Z',
    reserve: () => {},
  });
  const content = Buffer.from(text);
  const source = { size: content.length, mtimeNs: '1', ino: '1' };
  await copy.append(name, undefined, { content, tail: content, source });
}
