import { expect, test } from 'vitest';
import { createStderrTail } from '../../../server/processes/stderr-tail.ts';

function tailOf(maxBytes: number, ...chunks: string[]): string {
  const tail = createStderrTail(maxBytes);
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.text();
}

test('everything is kept while there is room', () => {
  expect(tailOf(10, 'one ', 'two')).toBe('one two');
});

test('the last bytes are kept when there is not', () => {
  expect(tailOf(5, 'one ', 'two ', 'six')).toBe('o six');
  expect(tailOf(5, 'a long first chunk')).toBe('chunk');
  expect(tailOf(5, 'one', 'three')).toBe('three');
});

test('a character that is cut off at the start is dropped', () => {
  expect(tailOf(5, '🐢🐢')).toBe('🐢');
  expect(tailOf(4, 'xż🐢')).toBe('🐢');
});
