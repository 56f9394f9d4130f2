const LF = 0x0a;

export interface LineReaderOptions {
  readonly maxLineBytes: number;
  /** Called for each line without its LF. Empty lines carry nothing and are left out. */
  readonly onLine: (line: string) => void;
  /** Called once for a line that is too long, as soon as that is known. The line is dropped. */
  readonly onOversized: (error: OversizedLine) => void;
}

export interface OversizedLine {
  readonly maxLineBytes: number;
}

export interface LineReader {
  push(chunk: Uint8Array): void;
  /** The stream has ended: what is left without an LF is the last line. */
  end(): void;
}

/**
 * Splits a byte stream into lines at LF alone, as JSON lines need it: U+2028 and CR are legal inside. Lines are cut as
 * bytes and decoded whole, so a character may be split between chunks. Holds at most one line of the allowed size.
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
