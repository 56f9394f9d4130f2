import type { SessionId } from '../../shared/ids.ts';
import type { CliProvider } from '../engine/provider-types.ts';
import type { HistoryPage, PageLimits } from '../journal/history-page.ts';
import type { Journal } from '../journal/journal.ts';
import { reconcile } from '../journal/reconcile/reconcile.ts';
import { compareNewest, type Difference, differenceOf, hasForeignTurns, isEmpty, isSame } from './compare-newest.ts';
import { type Conversation, newestPart } from './read-conversation.ts';

/** What a look at the agent's conversation found. */
export interface Look {
  /** Identifies what was read. */
  readonly stamp: string | undefined;
  /** The agent has turns that were not shown. */
  readonly hasForeign: boolean;
  /** The time of the last item. */
  readonly lastAt: string | undefined;
  /** Makes the journal follow. Undefined if nothing changed. */
  take(): Promise<Refreshed | undefined>;
}

/** A conversation that changed. */
export type Refreshed =
  /** Not recorded yet. */
  | { readonly kind: 'difference'; readonly difference: Difference }
  /** The journal has it. */
  | { readonly kind: 'conversation'; readonly conversation: Conversation };

export interface LookOptions {
  readonly sessionId: SessionId;
  readonly projectDir: string;
  readonly provider: CliProvider;
  readonly journal: Journal;
  readonly pages?: PageLimits | undefined;
}

/** Looks at what the agent has: the newest turns if that tells enough, else all of it. Undefined if it has nothing. */
export async function lookAtAgent(options: LookOptions, shown: HistoryPage): Promise<Look | undefined> {
  const { provider, sessionId, projectDir } = options;
  const newest = await provider.readNewest(sessionId, projectDir);
  const compared = newest && compareNewest(shown, newest, provider.historyGaps);
  if (newest === undefined || compared === undefined) return lookAtWhole(options, shown);
  const { hasForeign, ...difference } = compared;
  const lastAt = newest.history.at(-1)?.sourceTimestamp;
  return { stamp: newest.stamp, hasForeign, lastAt, take: async () => asRefreshed(difference) };
}

async function lookAtWhole(
  { provider, sessionId, projectDir, journal, pages }: LookOptions,
  page: HistoryPage,
): Promise<Look | undefined> {
  const stored = await provider.readHistory(sessionId, { projectDir });
  if (stored === undefined) return undefined;
  const { history, stamp } = stored;
  const shown = await journal.read(sessionId);
  return {
    stamp,
    hasForeign: hasForeignTurns(shown.entries, history),
    lastAt: history.at(-1)?.sourceTimestamp,
    async take() {
      const conversation = reconcile(shown, history, provider.historyGaps);
      const difference = differenceOf(shown, conversation);
      if (difference !== undefined && isOnPage(difference, page)) return asRefreshed(difference);
      if (isSame(shown, conversation)) return undefined;
      await journal.replace(sessionId, conversation, stamp).catch(() => undefined);
      return { kind: 'conversation', conversation: { ...newestPart(conversation, pages), isMissing: false } };
    },
  };
}

function asRefreshed(difference: Difference): Refreshed | undefined {
  return isEmpty(difference) ? undefined : { kind: 'difference', difference };
}

function isOnPage({ changed, turns }: Difference, page: HistoryPage): boolean {
  const items = new Set(page.entries.map(({ itemId }) => itemId));
  const known = new Set(page.turns.map(({ turnId }) => turnId));
  return changed.every(({ itemId }) => items.has(itemId)) && turns.every(({ turnId }) => known.has(turnId));
}
