export interface StderrTail {
  push(chunk: Uint8Array): void;
  text(): string;
}

/** Keeps the last bytes of a stream, starting at a whole UTF-8 character. */
export function createStderrTail(maxBytes = 8 * 1024): StderrTail {
  let kept: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const last = chunk.subarray(-maxBytes);
      const room = maxBytes - last.length;
      kept = Buffer.concat([room === 0 ? Buffer.alloc(0) : kept.subarray(-room), last]);
    },
    text() {
      let start = 0;
      while (start < Math.min(3, kept.length) && isContinuation(kept[start])) start += 1;
      return kept.toString('utf8', start);
    },
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
