import { expect, it } from 'vitest';
import { createConversation } from '../../../../client/portlet/model/conversation.ts';
import type { UpsertObject } from '../../../../shared/stream-contracts.ts';
import { costGrowth } from '../../../support/cost-growth.ts';

const at = '2026-01-01T00:00:00.000Z';

function call(itemId: string, status: 'create' | 'complete', parentItemId?: string): UpsertObject {
  const ids = { turnId: 't', sessionId: 'codex:s', itemId, callId: itemId, sourceTimestamp: at, emittedAt: at };
  const parent = parentItemId === undefined ? {} : { parentItemId };
  return { type: 'tool_call', ...ids, ...parent, status, toolName: 'Read', toolArguments: {} };
}

function fill(count: number, parentItemId?: string) {
  const conversation = createConversation({
    now: () => 0,
    onRowChanged: () => undefined,
    onRowsChanged: () => undefined,
  });
  conversation.upsert(call('agent', 'create'));
  for (let index = 0; index < count; index += 1) {
    conversation.upsert(call(`s${index}`, 'create', parentItemId));
    conversation.upsert(call(`s${index}`, 'complete', parentItemId));
  }
  return conversation;
}

it('safe/linear the page takes very many steps of a sub-agent at the same cost each, and keeps their order', () => {
  const growth = costGrowth(500, (count) => {
    const steps = fill(count, 'agent').childrenOf('agent');
    expect(steps.map(({ upsert }) => upsert.itemId)).toEqual(Array.from({ length: count }, (_, index) => `s${index}`));
    expect(steps.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  expect(growth).toBeLessThan(3);
});

it('safe/linear the page takes very many turns beside a long conversation at the same cost each', () => {
  const growth = costGrowth(500, (count) => {
    const conversation = fill(count);
    for (let turn = 0; turn < count; turn += 1)
      conversation.turn({
        type: 'turn_started',
        turnId: `t${turn}`,
        sessionId: 'codex:s',
        modelId: 'm',
        providerId: 'p',
      });
  });

  expect(growth).toBeLessThan(3);
});
