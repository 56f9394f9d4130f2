#!/usr/bin/env node
// A minimal agent that echoes its input word by word. See docs/adding-an-agent.md.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const sessionId = process.env.LIMINAL_SESSION_ID ?? 'echo';
const running = new Map();

function emit(turnId, payload) {
  const envelope = { eventId: randomUUID(), timestamp: new Date().toISOString(), turnId, sessionId };
  process.stdout.write(`${JSON.stringify({ ...envelope, type: payload.type, payload })}\n`);
}

async function answer(turnId, content, signal) {
  emit(turnId, { type: 'response_start', modelId: 'echo-1', providerId: 'echo' });
  emit(turnId, { type: 'item_start', itemId: 'answer', itemType: 'message' });
  for (const deltaContent of content.match(/\s*\S+\s*/g) ?? []) {
    await pause(30, undefined, { signal });
    emit(turnId, { type: 'item_delta', itemId: 'answer', deltaContent });
  }
  emit(turnId, { type: 'item_done', itemId: 'answer', finalItem: { type: 'message', content, origin: 'agent' } });
  emit(turnId, { type: 'response_done', status: 'completed', finishReason: 'end_turn' });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { turnId, content, cancel } = JSON.parse(line);
  if (cancel) running.get(turnId)?.abort();
  if (content === undefined) continue;
  const controller = new AbortController();
  running.set(turnId, controller);
  answer(turnId, content, controller.signal)
    .catch(() => emit(turnId, { type: 'response_done', status: 'cancelled' }))
    .finally(() => running.delete(turnId));
}
for (const controller of running.values()) controller.abort();
