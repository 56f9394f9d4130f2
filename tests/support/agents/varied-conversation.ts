import type { KeptConversation } from '../../../server/journal/journal.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { TurnSummary, UpsertObject } from '../../../shared/stream-contracts.ts';
import type { createRandom } from '../seeded-random.ts';

const TEXTS = [
  'Plain words.',
  '# A heading\n\n- a list\n- of two\n\n```ts\nconst a = "<b>";\n```',
  '</details></main><script>alert(1)</script><img src=x onerror=alert(1)>',
  '```\nnever closed',
  '`````` and ~~~~\n~~~\nalso open',
  '<!-- open comment',
  'Zero\u0000 bell\u0007 escape\u001b[31m, right to left \u202eabc\u202c, 日本語 👩‍👩‍👧, e\u0301, line\u2028separator\r\nend\ttab',
  '"quotes" & \'apostrophes\' \\ &lt; &#x202e; ]]>',
  '',
  'x'.repeat(3_000),
];

/** A conversation with entries and turns of every kind and state, and with texts that try to break out of a file. */
export function variedConversation(
  sessionId: SessionId,
  turns: number,
  { below, pick }: ReturnType<typeof createRandom>,
): KeptConversation {
  const entries: UpsertObject[] = [];
  const summaries: TurnSummary[] = [];
  let clock = Date.UTC(2026, 0, 1);
  const tick = () => {
    clock += 1_000 + below(5_000);
    return new Date(clock).toISOString();
  };

  for (let index = 0; index < turns; index += 1) {
    const turnId = `turn-${index}`;
    const startedAt = tick();
    const base = (itemId: string) => {
      const at = tick();
      return { turnId, sessionId, itemId, sourceTimestamp: at, emittedAt: at, status: 'complete' as const };
    };
    const failed = { status: 'error' as const, errorCode: 'SERVER_STOPPED', errorMessage: pick(TEXTS) };
    entries.push({ ...base(`${turnId}:user`), type: 'message', origin: 'user', content: pick(TEXTS) || 'Hello' });
    entries.push({ ...base(`${turnId}:0:0`), type: 'thinking', providerId: 'p', content: pick(TEXTS) });
    entries.push({
      ...base(`${turnId}:0:1`),
      type: 'tool_call',
      toolName: pick(['Bash', '</summary>Edit', 'mcp__a__b']),
      callId: `call-${index}`,
      toolArguments: { command: pick(TEXTS), nested: { list: [1, null, pick(TEXTS)] } },
      ...(below(2) === 0 && { toolOutput: pick(TEXTS) }),
      ...(below(4) === 0 && { toolOutputIsError: true, exitCode: below(130) }),
      ...(below(4) === 0 && { diffs: [{ path: 'a.ts', oldText: pick([null, 'old\n']), newText: pick(TEXTS) }] }),
    });
    entries.push({
      ...base(`${turnId}:1:0`),
      ...(below(5) === 0 && { parentItemId: `${turnId}:0:1` }),
      type: 'message',
      origin: pick(['agent', 'agent', 'system']),
      content: pick(TEXTS),
      ...(below(4) === 0 && failed),
      ...(below(6) === 0 && { inContext: false as const }),
    });
    summaries.push({
      turnId,
      startedAt,
      endedAt: tick(),
      modelId: 'model-1',
      ...pick<Pick<TurnSummary, 'status' | 'usage' | 'errorCode' | 'errorMessage' | 'receipt'>>([
        { status: 'completed', usage: { inputTokens: below(9_999), outputTokens: below(999) }, receipt: 'requested' },
        { status: 'cancelled' },
        { status: 'error', errorCode: 'PROCESS_CRASH', errorMessage: pick(TEXTS), receipt: 'uncertain' },
      ]),
    });
  }
  return { entries, turns: summaries };
}
