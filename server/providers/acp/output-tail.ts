/** The last bytes of a program's output. */
export interface OutputTail {
  push(chunk: Uint8Array): void;
  /** True when something was dropped from the beginning. */
  readonly isTruncated: boolean;
  /** Begins with a whole character. */
  text(): string;
}

export function createOutputTail(maxBytes: number): OutputTail {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let isTruncated = false;

  /** Cuts only when twice the limit is there, so that not every chunk copies all of it. */
  const compact = () => {
    const all = Buffer.concat(chunks);
    const kept = all.subarray(Math.max(0, all.length - maxBytes));
    chunks = [Buffer.from(kept)];
    bytes = kept.length;
  };

  return {
    push(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) isTruncated = true;
      if (bytes > 2 * maxBytes) compact();
    },
    get isTruncated() {
      return isTruncated;
    },
    text() {
      compact();
      const [all] = chunks;
      if (all === undefined) return '';
      let start = 0;
      while (isTruncated && start < Math.min(3, all.length) && isContinuation(all[start])) start += 1;
      return Buffer.from(all).toString('utf8', start);
    },
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
