import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { turnEventSchema, type UpsertObject, upsertObjectSchema } from '../../../../shared/stream-contracts.ts';
import { startPage } from './rig/page-rig.ts';

const lineSchema = z.object({ upsert: upsertObjectSchema.optional(), turn: turnEventSchema.optional() });

const recordings = ['claude', 'codex-acp'].flatMap((agent) => {
  const directory = join('tests/fixtures/golden', agent);
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(directory, name));
});

const read = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineSchema.parse(JSON.parse(line)));

/** What a reader sees, without times and without contents that are only drawn when opened. */
function shown(rows: readonly HTMLElement[]): string[] {
  return rows.map((row) => {
    const copy = row.cloneNode(true) as HTMLElement;
    const aside = '.tool-time, .thinking-label, .thinking > .markdown, .steps-list, .turn-line, .tool-body';
    for (const element of copy.querySelectorAll(aside)) element.remove();
    return `${row.className.replace(/ is-\w+/g, '')}: ${copy.textContent}`;
  });
}

describe('a recorded conversation', () => {
  it('exists', () => {
    expect(recordings.length).toBeGreaterThan(30);
  });

  it.each(recordings)('looks the same live and loaded: %s', (path) => {
    const lines = read(path);
    const live = startPage();
    live.open();
    for (const { upsert, turn } of lines) {
      if (upsert !== undefined) live.upsert(upsert);
      if (turn !== undefined) live.turn(turn);
    }
    const seenLive = shown(live.rows());
    expect(document.querySelectorAll('.is-streaming, [data-state="running"]')).toHaveLength(0);
    document.body.replaceChildren();

    const items = new Map<string, UpsertObject>();
    for (const { upsert } of lines) if (upsert !== undefined) items.set(upsert.itemId, upsert);
    const later = startPage();
    later.open([...items.values()]);
    for (const { turn } of lines) if (turn !== undefined) later.turn(turn);
    expect(shown(later.rows())).toEqual(seenLive);
  });
});
