import { createTimeSlices } from '../time-slice.ts';
import type { JsonFormat } from './read-json.ts';

/** Entries of a list that are checked and written between two looks at the clock. */
const CHUNK = 200;

/**
 * The text of a file with this content, which is checked before: never write what could not be read back. Long lists
 * are taken piece by piece, so that the server goes on with everything else in between.
 */
export async function toText<T extends object>({ version, schema }: JsonFormat<T>, value: T): Promise<string> {
  const takeTurns = createTimeSlices();
  const lists = Object.entries(value).filter(([, field]) => Array.isArray(field)) as [string, unknown[]][];
  const rest = schema.parse({ ...value, ...Object.fromEntries(lists.map(([key]) => [key, []])) });
  const texts = new Map<string, string>();
  for (const [key, list] of lists) {
    const entries: string[] = [];
    for (let at = 0; at < list.length; at += CHUNK) {
      const checked = schema.parse({ ...rest, [key]: list.slice(at, at + CHUNK) });
      for (const entry of Reflect.get(checked, key) as unknown[]) entries.push(indent(entry, 4));
      await takeTurns();
    }
    if (entries.length > 0) texts.set(key, `[\n    ${entries.join(',\n    ')}\n  ]`);
  }
  const present = Object.entries({ version, ...rest }).filter(([, field]) => field !== undefined);
  const fields = present.map(([key, field]) => `  ${JSON.stringify(key)}: ${texts.get(key) ?? indent(field, 2)}`);
  return `{\n${fields.join(',\n')}\n}\n`;
}

/** As a part of a larger JSON text with an indentation of two. */
function indent(value: unknown, by: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(by)}`);
}
