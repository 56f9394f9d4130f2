import type { Readable } from 'node:stream';

const SLICE_MS = 15;
/** How much is taken between two looks at the clock. */
const PIECE_BYTES = 4 * 1024;

/**
 * Reads the output of a process. One that prints more than can be handled at once is read piece by piece, so that the
 * server goes on with everything else in between. What was not taken yet stays in the stream, which therefore ends, and
 * closes, after its last piece.
 */
export function readInSlices(stream: Readable, take: (piece: Buffer) => void): void {
  let isWaiting = false;

  function takeSlice(): void {
    isWaiting = false;
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) {
      // Without a size it also notices the end.
      const size = Math.min(PIECE_BYTES, stream.readableLength);
      const piece: Buffer | null = size === 0 ? stream.read() : stream.read(size);
      if (piece === null) return;
      take(piece);
    }
    isWaiting = true;
    setImmediate(takeSlice);
  }

  stream.on('readable', () => {
    if (!isWaiting) takeSlice();
  });
}
