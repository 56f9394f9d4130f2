const LF = 0x0a;

export interface LineReaderOptions {
  readonly maxLineBytes: number;
  /** Called for each line, without its LF. Empty lines are skipped. */
  readonly onLine: (line: string) => void;
  /** Called once, as early as possible, for a line that is too long. The line is dropped. */
  readonly onOversized: (error: OversizedLine) => void;
}

export interface OversizedLine {
  readonly maxLineBytes: number;
}

export interface LineReader {
  push(chunk: Uint8Array): void;
  /** Ends the stream; remaining bytes without an LF are the last line. */
  end(): void;
}

/**
 * Splits a byte stream into lines at LF only, because U+2028 and CR are legal inside JSON. Lines are decoded as a
 * whole, so a character may be split across chunks. Buffers at most one line of the allowed size.
 */
export function createLineReader({ maxLineBytes, onLine, onOversized }: LineReaderOptions): LineReader {
  let pieces: Uint8Array[] = [];
  let heldBytes = 0;
  let skipping = false;

  const hold = (piece: Uint8Array) => {
    if (skipping || piece.length === 0) return;
    if (heldBytes + piece.length > maxLineBytes) {
      pieces = [];
      heldBytes = 0;
      skipping = true;
      onOversized({ maxLineBytes });
      return;
    }
    pieces.push(piece);
    heldBytes += piece.length;
  };

  const finishLine = () => {
    const line = Buffer.concat(pieces, heldBytes).toString('utf8');
    pieces = [];
    heldBytes = 0;
    skipping = false;
    if (line !== '') onLine(line);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let lf = chunk.indexOf(LF); lf !== -1; lf = chunk.indexOf(LF, start)) {
        hold(chunk.subarray(start, lf));
        finishLine();
        start = lf + 1;
      }
      hold(chunk.subarray(start));
    },
    end: finishLine,
  };
}
