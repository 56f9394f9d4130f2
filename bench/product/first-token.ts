import { gate, say } from '../../scripted-model/index.ts';
import type { Frame } from '../../tests/support/server/socket-client.ts';
import { type BenchRow, median } from '../report.ts';
import { startWithRealAgents } from './agents.ts';
import { configureEcho } from './echo.ts';
import { createScratch, startProduct } from './rig.ts';

const TURNS = 20;
const TARGET_MS = 200;

export async function firstToken(): Promise<BenchRow[]> {
  return [
    toRow('a configured agent', await echoTimes()),
    toRow('Claude Code', await realTimes('claude-code')),
    toRow('Codex', await realTimes('codex')),
  ];
}

function toRow(name: string, times: readonly number[]): BenchRow {
  const slowest = Math.max(...times);
  return {
    measure: `first token of the agent to the socket, ${name}, median and slowest of ${TURNS}`,
    value: `${median(times).toFixed(1)} and ${slowest.toFixed(1)} ms`,
    target: `< ${TARGET_MS} ms`,
    met: slowest < TARGET_MS,
  };
}

/** The first output of a turn, and its end. */
const firstText = (turnId: string) => (frame: Frame) =>
  frame.payload?.type === 'message' && frame.payload.origin === 'agent' && frame.payload.turnId === turnId;
const end = (turnId: string) => (frame: Frame) =>
  frame.payload?.type === 'turn_complete' && frame.payload.turnId === turnId;

/** From the timestamp of the agent's first word. */
async function echoTimes(): Promise<number[]> {
  const scratch = createScratch();
  configureEcho(scratch);
  const server = await startProduct(scratch);
  const window = await server.window();
  const sessionId = await server.createSession('echo', scratch.projectDir);
  await window.ask('session:subscribe', { sessionId });
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const turnId = await server.send(sessionId, 'hello there');
    const { payload } = await window.next(firstText(turnId));
    times.push(Date.now() - Date.parse(payload && 'sourceTimestamp' in payload ? payload.sourceTimestamp : ''));
    await window.next(end(turnId));
  }
  await window.close();
  await server.stop();
  scratch.remove();
  return times;
}

/** From the release of the model's first word. */
async function realTimes(cliType: string): Promise<number[]> {
  const { model, server, scratch, close } = await startWithRealAgents([
    { when: 'hello', scenario: [[gate('first'), say('Hello there.')]] },
  ]);
  const window = await server.window();
  const sessionId = await server.createSession(cliType, scratch.projectDir);
  await window.ask('session:subscribe', { sessionId });
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const turnId = await server.send(sessionId, `hello ${turn}`);
    await model.gate('first');
    const startedAt = performance.now();
    model.release('first');
    await window.next(firstText(turnId));
    times.push(performance.now() - startedAt);
    await window.next(end(turnId));
  }
  await window.close();
  await close();
  return times;
}
