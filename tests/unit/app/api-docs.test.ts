import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderApiDocs } from '../../../scripts/generate-api-docs.ts';
import { commandNames } from '../../../shared/commands.ts';
import { errorCatalogue } from '../../../shared/errors.ts';

it('docs/api.md matches the command table; if not, run: npm run docs:api', () => {
  const written = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

  expect(written).toBe(renderApiDocs());
});

it('the API documentation lists every command and error and has no broken links', () => {
  const text = renderApiDocs();
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

  for (const name of commandNames) expect(text).toContain(`### ${name}\n`);
  for (const code of Object.keys(errorCatalogue)) expect(text).toContain(`| \`${code}\` |`);
  for (const [, target] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(target);
});
