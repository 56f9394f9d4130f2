#!/usr/bin/env node
// @ts-nocheck: a program of its own, which is not part of any project.
// An agent that answers with as much as it is asked for: `answer BYTES` or `calls COUNT`. `--acp`: speaks ACP and can
// load what it said before.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MEMORY = process.argv.find((argument) => argument.startsWith('--acp='))?.slice('--acp='.length);
const PIECE = 'Words of an answer that goes on for very long, as models write them when nobody stops them at all.\n\n';
/** Lines are written in blocks of this size, and the agent waits while the server does not read. */
const BLOCK_BYTES = 64 * 1024;

let block = [];
let blockBytes = 0;

async function flush() {
  const text = block.join('');
  block = [];
  blockBytes = 0;
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
}

async function print(message) {
  const line = `${JSON.stringify(message)}\n`;
  block.push(line);
  blockBytes += line.length;
  if (blockBytes > BLOCK_BYTES) await flush();
}

function* pieces(bytes) {
  for (let sent = 0; sent < bytes; sent += PIECE.length) yield PIECE.slice(0, bytes - sent);
}

async function runEnvelope() {
  const sessionId = process.env.LIMINAL_SESSION_ID ?? 'volume';
  const emit = (turnId, payload) => {
    const envelope = { eventId: randomUUID(), timestamp: new Date().toISOString(), turnId, sessionId };
    return print({ ...envelope, type: payload.type, payload });
  };
  const tell = {
    async answer(turnId, bytes) {
      await emit(turnId, { type: 'item_start', itemId: 'answer', itemType: 'message' });
      for (const deltaContent of pieces(bytes))
        await emit(turnId, { type: 'item_delta', itemId: 'answer', deltaContent });
      const content = [...pieces(bytes)].join('');
      await emit(turnId, {
        type: 'item_done',
        itemId: 'answer',
        finalItem: { type: 'message', content, origin: 'agent' },
      });
    },
    async calls(turnId, count) {
      for (let index = 0; index < count; index += 1) {
        const call = {
          type: 'function_call',
          name: 'Read',
          callId: `c${index}`,
          arguments: { path: `src/${index}.ts` },
        };
        const output = { type: 'function_call_output', callId: `c${index}`, output: `line ${index}`, isError: false };
        await emit(turnId, { type: 'item_done', itemId: `i${index}`, finalItem: call });
        await emit(turnId, { type: 'item_done', itemId: `o${index}`, finalItem: output });
      }
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { turnId, content, cancel } = JSON.parse(line);
    if (cancel) continue;
    const [word, count] = content.split(' ');
    await emit(turnId, { type: 'response_start', modelId: 'volume-1', providerId: 'volume' });
    await tell[word](turnId, Number(count));
    await emit(turnId, { type: 'response_done', status: 'completed', finishReason: 'end_turn' });
    await flush();
  }
}

async function runAcp() {
  const send = (message) => print({ jsonrpc: '2.0', ...message });
  const update = (sessionId, fields) => send({ method: 'session/update', params: { sessionId, update: fields } });
  const fileOf = (sessionId) => join(MEMORY, `${sessionId}.json`);
  const tell = {
    async answer(sessionId, bytes) {
      for (const text of pieces(bytes))
        await update(sessionId, {
          sessionUpdate: 'agent_message_chunk',
          messageId: 'm',
          content: { type: 'text', text },
        });
    },
    async calls(sessionId, count) {
      for (let index = 0; index < count; index += 1) {
        const toolCallId = `c${index}`;
        const rawInput = { command: `cat ${index}.ts` };
        const content = [{ type: 'content', content: { type: 'text', text: `line ${index}` } }];
        const start = { toolCallId, title: 'Run', kind: 'execute', status: 'pending', rawInput };
        await update(sessionId, { sessionUpdate: 'tool_call', ...start });
        await update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
        if (index % 4 === 3)
          await update(sessionId, {
            sessionUpdate: 'agent_message_chunk',
            messageId: `m${index}`,
            content: { type: 'text', text: 'Next. ' },
          });
      }
    },
  };
  const run = (sessionId, prompt) => {
    const [word, count] = prompt.split(' ');
    return tell[word](sessionId, Number(count));
  };
  const handlers = {
    initialize: () => ({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
      // Under this name commands may outlive turns, which is the most work for the server.
      agentInfo: { name: '@agentclientprotocol/codex-acp', version: '1' },
    }),
    'session/new': () => ({ sessionId: randomUUID() }),
    async 'session/load'({ sessionId }) {
      const prompts = existsSync(fileOf(sessionId)) ? JSON.parse(readFileSync(fileOf(sessionId), 'utf8')) : [];
      for (const text of prompts) {
        await update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
        await run(sessionId, text);
      }
      return {};
    },
    async 'session/prompt'({ sessionId, prompt }) {
      const text = prompt.map((part) => part.text).join('');
      writeFileSync(fileOf(sessionId), JSON.stringify([text]));
      await run(sessionId, text);
      return { stopReason: 'end_turn' };
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || handlers[method] === undefined) continue;
    await send({ id, result: await handlers[method](params) });
    await flush();
  }
}

await (MEMORY === undefined ? runEnvelope() : runAcp());
