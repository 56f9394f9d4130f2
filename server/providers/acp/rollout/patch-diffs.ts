import type { ToolContent } from '../translate/session-update.ts';
import type { FileChange } from './rollout-item.ts';

/** A larger change is named, but not shown. */
const MAX_CHANGE_LENGTH = 1024 * 1024;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** What a patch changed, one diff per hunk, in the order of the paths. */
export function diffsOfChanges(changes: Readonly<Record<string, FileChange>>): ToolContent[] {
  return Object.entries(changes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, change]) => diffsOf(path, change));
}

function diffsOf(path: string, change: FileChange): ToolContent[] {
  const { content = '', unified_diff: patch, move_path } = change;
  const whole = content ?? '';
  if (whole.length > MAX_CHANGE_LENGTH || (patch?.length ?? 0) > MAX_CHANGE_LENGTH) return [];
  switch (change.type) {
    case 'add':
      return [toDiff(path, null, whole)];
    case 'delete':
      return [toDiff(path, whole, '')];
    case 'update':
      return readHunks(patch ?? '', move_path ?? path, move_path != null);
    default:
      return [];
  }
}

function readHunks(patch: string, path: string, isMoved: boolean): ToolContent[] {
  if (isMoved && patch.trim() === '') return [toDiff(path, '', '')];
  const lines = patch.split('\n');
  const diffs: ToolContent[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [header, before = '1', after = '1'] = HUNK.exec(lines[at] ?? '') ?? [];
    if (header === undefined) continue;
    const hunk = readHunk(lines, at + 1, Number(before), Number(after));
    diffs.push(toDiff(path, hunk.before, hunk.after));
    at = hunk.end - 1;
  }
  return diffs;
}

function readHunk(lines: readonly string[], start: number, before: number, after: number) {
  const sides = { before: '', after: '' };
  let left = before;
  let right = after;
  let last = ' ';
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const sign = line[0] ?? ' ';
    if (sign === '\\') {
      if (last !== '+') sides.before = sides.before.slice(0, -1);
      if (last !== '-') sides.after = sides.after.slice(0, -1);
      continue;
    }
    if (left <= 0 && right <= 0) break;
    if (sign !== '+') {
      sides.before += `${line.slice(1)}\n`;
      left -= 1;
    }
    if (sign !== '-') {
      sides.after += `${line.slice(1)}\n`;
      right -= 1;
    }
    last = sign;
  }
  return { ...sides, end: at };
}

function toDiff(path: string, oldText: string | null, newText: string): ToolContent {
  return { type: 'diff', path, oldText, newText };
}
