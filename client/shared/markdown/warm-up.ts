import { createMarkdownView } from './markdown-view.ts';

const SAMPLE = `## a

*b* **c** \`d\` [e](https://example.com)

- f
- g

| h |
|---|
| i |

\`\`\`ts
j
\`\`\`
`;

/** Draws one of each, unseen, so that the first real message does not pay for the beginning. */
export function warmUpMarkdown(): void {
  createMarkdownView().update(SAMPLE, true);
}
