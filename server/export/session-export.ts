import type { CommandInput, ExportFormat } from '../../shared/commands.ts';
import { type ConversationSource, type ExportHead, readForward, type WriteConversation } from './conversation.ts';
import { fileNameOf } from './file-name.ts';
import { writeHtml } from './write-html.ts';
import { writeJson } from './write-json.ts';
import { writeMarkdown } from './write-markdown.ts';

const FORMATS: Readonly<Record<ExportFormat, { readonly mediaType: string; readonly write: WriteConversation }>> = {
  md: { mediaType: 'text/markdown; charset=utf-8', write: writeMarkdown },
  html: { mediaType: 'text/html; charset=utf-8', write: writeHtml },
  json: { mediaType: 'application/json; charset=utf-8', write: writeJson },
};

/** A file that is made while it is read. */
export interface Download {
  readonly fileName: string;
  readonly mediaType: string;
  /** Read it to the end, or return from it: until then the session stays in memory. */
  readonly content: AsyncIterable<string>;
}

export interface ReadableSession extends ConversationSource {
  readonly head: Omit<ExportHead, 'exportedAt'>;
  /** Call it when nothing more is read. */
  release(): void;
}

export interface SessionExportDeps {
  readonly read: (sessionId: string) => Promise<ReadableSession>;
  readonly now: () => string;
}

export type ExportSession = (input: CommandInput<'session:export'>) => Promise<Download>;

export function createSessionExport({ read, now }: SessionExportDeps): ExportSession {
  return async ({ sessionId, format }) => {
    const session = await read(sessionId);
    const { mediaType, write } = FORMATS[format];
    async function* content() {
      try {
        yield* inPieces(write({ ...session.head, exportedAt: now() }, readForward(session)));
      } finally {
        session.release();
      }
    }
    return { fileName: fileNameOf(session.head.session.title, format), mediaType, content: await begin(content()) };
  };
}

/**
 * Reads the first piece, so that a failure is known before anything is sent, and so that `return` reaches the `finally`
 * of the generator: it would not if the generator had not begun.
 */
async function begin(content: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const pieces: Promise<IteratorResult<string>>[] = [Promise.resolve(await content.next())];
  const iterator = {
    next: () => pieces.shift() ?? content.next(),
    return: () => content.return(undefined),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

const PIECE = 64 * 1024;

/** Joins small texts, because each one that is sent has a cost. */
async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
