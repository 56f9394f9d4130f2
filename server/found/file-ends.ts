import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { FileEnds } from '../engine/native-listing.ts';

export interface FileEndsReader {
  /** Undefined if it is no regular file. Throws if it cannot be read. */
  read<T>(path: string, use: (file: FileEnds) => T): T | undefined;
}

const FIRST_BYTES = 64 * 1024;

/** Reads files of agents, one at a time, into the same two buffers. */
export function createFileEndsReader(): FileEndsReader {
  let head: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let tail: Buffer = Buffer.allocUnsafe(FIRST_BYTES);

  return {
    read(path, use) {
      // Not blocking, because opening a named pipe would wait for its other end.
      const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stats = fstatSync(file);
        if (!stats.isFile()) return undefined;
        const { size } = stats;
        return use({
          size,
          modifiedAt: stats.mtime.toISOString(),
          head(bytes) {
            head = withRoom(head, bytes);
            return head.subarray(0, readSync(file, head, 0, Math.min(bytes, size), 0));
          },
          tail(bytes) {
            tail = withRoom(tail, bytes);
            const length = Math.min(bytes, size);
            return tail.subarray(0, readSync(file, tail, 0, length, size - length));
          },
        });
      } finally {
        closeSync(file);
      }
    },
  };
}

function withRoom(buffer: Buffer, bytes: number): Buffer {
  return buffer.length >= bytes ? buffer : Buffer.allocUnsafe(bytes);
}
