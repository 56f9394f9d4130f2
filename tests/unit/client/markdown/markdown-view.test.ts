import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMarkdownView } from '../../../../client/shared/markdown/markdown-view.ts';
import { commonMarkExamples, ownExamples } from '../../../fixtures/markdown/examples.ts';

function drawWhole(text: string): string {
  const view = createMarkdownView();
  view.update(text, true);
  return view.element.innerHTML;
}

function drawInSteps(text: string, cuts: readonly number[]): string {
  const view = createMarkdownView();
  for (const cut of cuts) view.update(text.slice(0, cut), false);
  view.update(text, true);
  return view.element.innerHTML;
}

const examples = [...commonMarkExamples, ...ownExamples];

describe('Markdown that grows', () => {
  test('there are 652 examples of the specification', () => {
    expect(commonMarkExamples).toHaveLength(652);
  });

  test('ends as if it had come whole, cut after every character', () => {
    for (const text of examples) {
      const everyCut = Array.from(text, (_, index) => index + 1);
      expect(drawInSteps(text, everyCut), JSON.stringify(text)).toBe(drawWhole(text));
    }
  });

  test('ends as if it had come whole, several examples in one text, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...examples), { minLength: 2, maxLength: 5 }),
        fc.array(fc.nat(1_000), { maxLength: 12 }),
        (parts, places) => {
          const text = parts.join('\n\n');
          const cuts = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
          expect(drawInSteps(text, cuts)).toBe(drawWhole(text));
        },
      ),
      { numRuns: 150 },
    );
  });
});
