import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

it('stream/TC-1.3b the boundary to later stages names what is not derived here', async () => {
  const text = await readFile(new URL('../../../docs/architecture.md', import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('What later stages derive'));
  for (const name of ['turnSequenceNumber', 'llmTurnNumber', 'entryType']) expect(section).toContain(name);
  expect(section).toContain('is not implemented here');
});
