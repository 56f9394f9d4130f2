import { describe, expect, it } from 'vitest';
import { turnEventSchema, upsertObjectSchema } from '../../../shared/stream-contracts.ts';
import { turnEvents, upserts } from './samples.ts';
import { spoil } from './spoil.ts';

describe('upserts and turn events', () => {
  it.each(upserts)('stream/TC-1.3a an upsert cannot lack session, turn, item or times: $valid.type', (sample) => {
    const refused = spoil(sample).filter(({ value }) => !upsertObjectSchema.safeParse(value).success);
    const missing = refused.filter(({ how }) => how.startsWith('without')).map(({ field }) => field);
    expect(missing).toEqual(expect.arrayContaining(['sessionId', 'turnId', 'itemId', 'sourceTimestamp', 'emittedAt']));
  });

  it('stream/TC-1.3a a tool call cannot lack its call id', () => {
    const [, , toolCall] = upserts;
    const { callId: _, ...without } = toolCall?.valid ?? {};
    expect(upsertObjectSchema.safeParse(without).error?.issues).toMatchObject([{ path: ['callId'] }]);
  });

  it.each(turnEvents)('stream/TC-1.3a a turn event cannot lack session or turn: $valid.type', ({ valid }) => {
    for (const field of ['sessionId', 'turnId']) {
      const without = Object.fromEntries(Object.entries(valid).filter(([name]) => name !== field));
      expect(turnEventSchema.safeParse(without).error?.issues).toMatchObject([{ path: [field] }]);
    }
  });

  it('report a failed turn only with turn_error', () => {
    const [, complete] = turnEvents;
    expect(turnEventSchema.safeParse({ ...complete?.valid, status: 'error' }).success).toBe(false);
  });
});
