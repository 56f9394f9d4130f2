import type { ConversationPart, ConversationSource, ExportHead } from '../../../server/export/conversation.ts';
import { type PageLimits, pageBefore } from '../../../server/journal/history-page.ts';
import type { KeptConversation } from '../../../server/journal/journal.ts';

export const head: ExportHead = {
  session: {
    id: 'claude-code:s1',
    cliType: 'claude-code',
    title: '# <b>Title</b> `of` [a](b) *session* & more',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActiveAt: '2026-01-02T00:00:00.000Z',
  },
  agentLabel: 'Claude Code',
  projectPath: '/home/me/<project>',
  exportedAt: '2026-01-03T00:00:00.000Z',
};

/** A conversation in memory, read page by page. `pages` is how many pages were read. */
export function sourceOf(kept: KeptConversation, limits?: PageLimits): ConversationSource & { pages(): number } {
  let pages = 0;
  const page = (before?: string) => {
    pages += 1;
    return pageBefore(kept.entries, kept.turns, before, limits);
  };
  return {
    newest: () => page() ?? { entries: [], turns: [], more: false },
    before: async (itemId) => page(itemId),
    pages: () => pages,
  };
}

export async function* whole(part: ConversationPart): AsyncGenerator<ConversationPart> {
  yield part;
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
