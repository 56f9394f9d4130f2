import { chownSync, lchownSync, lstatSync } from 'node:fs';

/** Only root can give files away; tests that need a second user run their other cases without it. */
export const canActAsOther = process.geteuid?.() === 0;

const NOBODY = 65_534;

/** Leaves the file, directory or link as if another user had made it. */
export function giveToOther(path: string): void {
  (lstatSync(path).isSymbolicLink() ? lchownSync : chownSync)(path, NOBODY, NOBODY);
}
