import { randomUUID } from 'node:crypto';
import type { Fault } from './subject.ts';
import { changed, inserted, onLines, readRow, textFaults, without } from './text-faults.ts';

const WITHDRAWN = '00000000-0000-0000-0000-000000000000';

/** The places of rows that are part of the tree. */
const linked = (lines: readonly string[]) => [...lines.keys()].filter((place) => uuidAt(lines, place) !== undefined);
const uuidAt = (lines: readonly string[], place: number) => readRow(lines[place]).uuid;

function checkpoint(lines: readonly string[], leafUuid: unknown): string[] {
  const sessionId = lines.map((line) => readRow(line).sessionId).find((id) => id !== undefined);
  return [...lines, JSON.stringify({ type: 'last-prompt', lastPrompt: 'x', leafUuid, sessionId })];
}

/** Besides what can happen to any file. */
export const claudeFaults: Readonly<Record<string, Fault>> = {
  ...textFaults,
  'the first rows missing': onLines((lines, random) => lines.slice(random.below(lines.length / 2))),
  'several missing rows': onLines((lines, random) =>
    without(lines, ...[1, 2, 3].map(() => random.pick(linked(lines)))),
  ),
  'a row of an unknown type in the chain': onLines((lines, random) => {
    const place = random.pick(linked(lines));
    const parentUuid = uuidAt(lines, place);
    const row = { type: 'future-row', uuid: randomUUID(), parentUuid, timestamp: new Date().toISOString() };
    const children = [...lines.keys()].filter((each) => readRow(lines[each]).parentUuid === parentUuid);
    const relinked = children.reduce<readonly string[]>(
      (all, child) => changed(all, child, { parentUuid: row.uuid }),
      lines,
    );
    return inserted(relinked, place + 1, JSON.stringify(row));
  }),
  'a row changed to an unknown type': onLines((lines, random) =>
    changed(lines, random.pick(linked(lines)), { type: 'future-row' }),
  ),
  'all rows twice': onLines((lines) => [...lines, ...lines]),
  'no checkpoint': onLines((lines) => lines.filter((line) => readRow(line).type !== 'last-prompt')),
  'an older checkpoint': onLines((lines, random) => checkpoint(lines, uuidAt(lines, random.pick(linked(lines))))),
  'a checkpoint that is withdrawn': onLines((lines) => checkpoint(lines, WITHDRAWN)),
  'a checkpoint without a row': onLines((lines) => checkpoint(lines, randomUUID())),
  'a parent that is not there': onLines((lines, random) =>
    changed(lines, random.pick(linked(lines)), { parentUuid: randomUUID() }),
  ),
  'a cycle of parents': onLines((lines, random) => {
    const places = linked(lines);
    const early = random.below(places.length - 1);
    const late = early + 1 + random.below(places.length - 1 - early);
    return changed(lines, places[early] ?? 0, { parentUuid: uuidAt(lines, places[late] ?? 0) });
  }),
};
