/** What stands between the words: the Markdown of a usual answer, in a circle. */
const SHAPES = [
  (words: string) => `## Heading ${words}\n\n`,
  (words: string) => `A paragraph with **bold ${words}** and \`code\` in it, long enough to wrap over the line.\n\n`,
  (words: string) => `- first ${words}\n- second\n- third with *emphasis*\n\n`,
  (words: string) => `\`\`\`ts\nconst value = '${words}';\nexport function run() {\n  return value;\n}\n\`\`\`\n\n`,
  (words: string) => `| a | b |\n|---|---|\n| ${words} | 2 |\n\n`,
];

const WORDS_PER_SHAPE = 12;

export interface StreamedAnswer {
  readonly text: string;
  /** How much of the text is there after each token; the n-th ends with the word `wN`. */
  readonly ends: readonly number[];
}

export function streamedAnswer(tokenCount: number): StreamedAnswer {
  const ends: number[] = [];
  let text = '';
  for (let first = 0; first < tokenCount; first += WORDS_PER_SHAPE) {
    const shape = SHAPES[(first / WORDS_PER_SHAPE) % SHAPES.length] ?? String;
    const count = Math.min(WORDS_PER_SHAPE, tokenCount - first);
    const words = Array.from({ length: count }, (_, index) => `w${first + index}`);
    const block = shape(words.join(' '));
    for (const word of words) ends.push(text.length + block.indexOf(word) + word.length);
    text += block;
  }
  return { text, ends };
}
