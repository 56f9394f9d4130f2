// An agent that writes at a steady pace. Every token is the time at which it was printed, in tenths of a millisecond
// since SOAK_EPOCH, so that a reader can tell its latency. What is printed is written to SOAK_TRUTH first.
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const sessionId = process.env.LIMINAL_SESSION_ID ?? 'soak';
const epoch = Number(process.env.SOAK_EPOCH);
const tokensPerSecond = Number(process.env.SOAK_RATE);
const tokensPerMessage = Number(process.env.SOAK_TOKENS);
const truthDir = process.env.SOAK_TRUTH ?? '';

mkdirSync(truthDir, { recursive: true });
const truth = openSync(join(truthDir, `${sessionId.replace(':', '_')}.txt`), 'a');

const now = () => performance.timeOrigin + performance.now();
const token = () => `${Math.round((now() - epoch) * 10).toString(36)} `;

/** @param {string} turnId @param {{ type: string, [field: string]: unknown }} payload */
function emit(turnId, payload) {
  const envelope = { eventId: randomUUID(), timestamp: new Date().toISOString(), turnId, sessionId };
  process.stdout.write(`${JSON.stringify({ ...envelope, type: payload.type, payload })}\n`);
}

/** @param {string} turnId @param {string} itemId */
async function writeMessage(turnId, itemId) {
  emit(turnId, { type: 'item_start', itemId, itemType: 'message' });
  writeSync(truth, `\n${turnId} ${itemId}\t`);
  const startedAt = now();
  let content = '';
  for (let count = 1; count <= tokensPerMessage; count += 1) {
    const deltaContent = token();
    writeSync(truth, deltaContent);
    content += deltaContent;
    emit(turnId, { type: 'item_delta', itemId, deltaContent });
    const waitMs = startedAt + (count * 1000) / tokensPerSecond - now();
    if (waitMs > 0) await pause(waitMs);
  }
  emit(turnId, { type: 'item_done', itemId, finalItem: { type: 'message', content, origin: 'agent' } });
}

/** @param {string} turnId */
function useTool(turnId) {
  const call = { name: 'count', callId: `${turnId}-count` };
  emit(turnId, { type: 'item_start', itemId: 'count', itemType: 'function_call', ...call });
  const done = { type: 'function_call', ...call, arguments: { tokens: tokensPerMessage } };
  emit(turnId, { type: 'item_done', itemId: 'count', finalItem: done });
  const result = {
    type: 'function_call_output',
    callId: call.callId,
    output: String(tokensPerMessage),
    isError: false,
  };
  emit(turnId, { type: 'item_done', itemId: 'counted', finalItem: result });
}

/** @param {string} turnId */
async function answer(turnId) {
  emit(turnId, { type: 'response_start', modelId: 'soak-1', providerId: 'soak' });
  await writeMessage(turnId, 'first');
  useTool(turnId);
  await writeMessage(turnId, 'second');
  emit(turnId, { type: 'response_done', status: 'completed', finishReason: 'end_turn' });
}

let queue = Promise.resolve();
for await (const line of createInterface({ input: process.stdin })) {
  const { turnId, content } = JSON.parse(line);
  if (content !== undefined) queue = queue.then(() => answer(turnId));
}
// The server has exited or asked for the end; abandon the current turn.
closeSync(truth);
process.exit(0);
