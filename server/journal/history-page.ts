import type { TurnSummary, UpsertObject } from '../../shared/stream-contracts.ts';
import { contentSize } from './content-size.ts';

export interface PageLimits {
  readonly entries: number;
  /** In UTF-16 code units. */
  readonly content: number;
  /** Minimum number of entries per page, regardless of their size. */
  readonly minEntries: number;
}

export const PAGE_LIMITS: PageLimits = { entries: 1_000, content: 1024 * 1024, minEntries: 50 };

/** A part of a conversation, oldest entry first. */
export interface HistoryPage {
  readonly entries: UpsertObject[];
  readonly turns: TurnSummary[];
  /** There are older entries. */
  readonly more: boolean;
}

/**
 * The entries before the item `before`, or the newest ones: as many as fit on a page, and whole turns unless a turn is
 * larger than a page. Undefined if there is no such item.
 */
export function pageBefore(
  entries: readonly UpsertObject[],
  turns: readonly TurnSummary[],
  before?: string,
  limits = PAGE_LIMITS,
): HistoryPage | undefined {
  const end = before === undefined ? entries.length : entries.findIndex(({ itemId }) => itemId === before);
  if (end === -1) return undefined;
  const start = startOfPage(entries, end, limits);
  const page = entries.slice(start, end);
  return { entries: page, turns: turnsOf(page, entries, turns, before === undefined), more: start > 0 };
}

/** Whether the entries fill more than so many pages. */
export function pageIsFull(entries: readonly UpsertObject[], pages: number, limits = PAGE_LIMITS): boolean {
  if (entries.length > pages * limits.entries) return true;
  if (entries.length <= limits.minEntries) return false;
  return entries.reduce((size, entry) => size + contentSize(entry), 0) > pages * limits.content;
}

function startOfPage(entries: readonly UpsertObject[], end: number, limits: PageLimits): number {
  const earliest = earliestThatFits(entries, end, limits);
  const latest = end - limits.minEntries;
  for (let start = earliest; start <= latest; start += 1) if (beginsTurn(entries, start)) return start;
  return earliest;
}

function earliestThatFits(entries: readonly UpsertObject[], end: number, limits: PageLimits): number {
  let content = 0;
  for (let start = end; start > 0; start -= 1) {
    const entry = entries[start - 1];
    content += entry === undefined ? 0 : contentSize(entry);
    const count = end - start + 1;
    if (count > limits.entries || (content > limits.content && count > limits.minEntries)) return start;
  }
  return 0;
}

function beginsTurn(entries: readonly UpsertObject[], index: number): boolean {
  return index === 0 || entries[index]?.turnId !== entries[index - 1]?.turnId;
}

/** The turns of these entries. On the newest page also those that run, and those that have no entries. */
function turnsOf(
  page: readonly UpsertObject[],
  entries: readonly UpsertObject[],
  turns: readonly TurnSummary[],
  isNewest: boolean,
): TurnSummary[] {
  if (turns.length === 0) return [];
  const inPage = new Set(page.map(({ turnId }) => turnId));
  const inAny = new Set(isNewest ? entries.map(({ turnId }) => turnId) : []);
  const belongs = ({ turnId, status }: TurnSummary) =>
    inPage.has(turnId) || (isNewest && (status === 'running' || !inAny.has(turnId)));
  return turns.filter(belongs);
}
