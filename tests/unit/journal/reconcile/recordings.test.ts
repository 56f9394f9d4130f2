import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { reconcile } from '../../../../server/journal/reconcile/reconcile.ts';
import { turnSummarySchema, upsertObjectSchema } from '../../../../shared/stream-contracts.ts';
import { textOf } from './conversation.ts';

const directory = new URL('../../../fixtures/reconcile/', import.meta.url);
const recordingSchema = z.object({
  kept: z.object({ entries: z.array(upsertObjectSchema), turns: z.array(turnSummarySchema) }),
  native: z.array(upsertObjectSchema),
});

/** What the model did not get after each recorded conversation, as its next request showed. */
const NOT_IN_CONTEXT: Readonly<Record<string, readonly string[]>> = {
  'claude-cancelled': ['one two three '],
  'claude-failed': ['deep ', 'deep ', 'deep thought', 'Half ', 'Half ', 'Half ', 'Half ', 'Before. '],
  'claude-killed-text': ['long thought', 'one two three '],
  'claude-killed-think': ['one two three '],
  'codex-cancelled': ['one two three ', 'one two three '],
  'codex-failed': ['Half ', 'Half ', 'Before. '],
  'codex-killed-text': ['one two three '],
  'codex-killed-think': ['one two three '],
};

const names = readdirSync(directory).filter((name) => name.endsWith('.json'));

it.each(names.map((name) => name.replace('.json', '')))('keep/not-in-context is exact for the recording %s', (name) => {
  const { kept, native } = recordingSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, directory), 'utf8')));
  const gaps = name.startsWith('codex') ? { calls: true } : {};
  const merged = reconcile(kept, native, gaps);
  expect(merged.entries.map(({ itemId, turnId }) => [itemId, turnId])).toEqual(
    kept.entries.map(({ itemId, turnId }) => [itemId, turnId]),
  );
  expect(merged.entries.map(textOf)).toEqual(kept.entries.map(textOf));
  expect(merged.turns).toEqual(kept.turns);
  expect(merged.entries.filter(({ inContext }) => inContext === false).map(textOf)).toEqual(NOT_IN_CONTEXT[name] ?? []);
  expect(reconcile(merged, native, gaps)).toEqual(merged);
});

it('keep/reconcile shows a recorded transcript as it is when nothing was kept', () => {
  for (const name of names) {
    const { native } = recordingSchema.parse(JSON.parse(readFileSync(new URL(name, directory), 'utf8')));
    expect(reconcile({ entries: [], turns: [] }, native).entries).toEqual(native);
  }
});
