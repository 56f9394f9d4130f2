export interface TokenCounter {
  readonly count: number;
  /** Reads only the new text. */
  add(text: string): void;
}

/** Counts the same words as `/\S+/g` in the whole text, including words that are split between pieces. */
export function createTokenCounter(): TokenCounter {
  let count = 0;
  let inWord = false;

  return {
    get count() {
      return count;
    },
    add(text) {
      for (let i = 0; i < text.length; i += 1) {
        const blank = isWhiteSpace(text.charCodeAt(i));
        if (!blank && !inWord) count += 1;
        inWord = !blank;
      }
    },
  };
}

/** The same characters as `\s`; all of them are single code units. */
function isWhiteSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit === 0xa0 || unit === 0x1680 || unit === 0x3000 || unit === 0xfeff) return true;
  return unit >= 0x2000 && (unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f);
}
