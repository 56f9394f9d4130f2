import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { ShownWindow } from '../keep/shown-window.ts';
import { within } from './within.ts';

/**
 * How long after a text was in the agent's file a window showed it, in milliseconds. `act` makes the agent write it.
 * `path` may be unknown before that.
 */
export async function lagOf(
  window: Pick<ShownWindow, 'until'>,
  path: () => string | undefined,
  text: string,
  act: () => Promise<unknown>,
): Promise<number> {
  const shown = window
    .until(({ items }) => [...items.values()].some((item) => 'content' in item && item.content.includes(text)))
    .then(() => performance.now());
  const written = whenWritten(path, text);
  await act();
  return Math.max(0, (await within(`${text} is shown`, shown)) - (await written));
}

async function whenWritten(path: () => string | undefined, text: string): Promise<number> {
  const isWritten = () => {
    const file = path();
    return file !== undefined && readFileSync(file, 'utf8').includes(text);
  };
  await expect.poll(isWritten, { interval: 5, message: `${text} in the file` }).toBe(true);
  return performance.now();
}
