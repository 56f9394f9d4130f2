import type { Pace, Text } from './scenario.ts';

export interface PacedText {
  readonly chunks: Iterable<string>;
  readonly msBetweenChunks: number;
}

/** A token is a word with the whitespace after it. */
export function applyPace(text: Text, pace: Pace): PacedText {
  const { wordsPerChunk, msBetweenChunks } =
    'tokensPerSecond' in pace
      ? { wordsPerChunk: 1, msBetweenChunks: 1000 / pace.tokensPerSecond }
      : { wordsPerChunk: pace.wordsPerChunk ?? 1, msBetweenChunks: pace.msBetweenChunks ?? 0 };
  return {
    chunks: typeof text === 'string' ? chunksOf(text, wordsPerChunk) : text(),
    msBetweenChunks,
  };
}

function* chunksOf(text: string, wordsPerChunk: number): Iterable<string> {
  const words = text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text]);
  for (let start = 0; start < words.length; start += wordsPerChunk) {
    yield words.slice(start, start + wordsPerChunk).join('');
  }
}
