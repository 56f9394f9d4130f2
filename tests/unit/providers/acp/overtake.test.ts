import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { createAcpProvider } from '../../../../server/providers/acp/acp-provider.ts';
import { watchSession } from '../../../support/agents/acp-rig.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';
import { createPipeHost, pipeAgent } from './pipe-host.ts';

interface Request {
  readonly id: number;
  readonly method: string;
}

const sessionId = 'codex:s1';

/** A provider whose agent is the test: it sees each request and answers it when it wants to. */
async function createRig() {
  const { host, stdin, stdout } = createPipeHost();
  const requests: Request[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  stdin.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    requests.push(...lines.map((line): Request => JSON.parse(line)));
    for (const check of [...waiting]) check();
  });
  const provider = createAcpProvider({
    agent: pipeAgent,
    host,
    env: {},
    clock: systemClock,
    version: '0',
    onProblem: (problem) => {
      throw new Error(problem);
    },
  });
  onTestFinished(() => provider.close());

  const request = (method: string, count = 1) =>
    new Promise<Request>((resolve) => {
      const check = () => {
        const found = requests.filter((candidate) => candidate.method === method)[count - 1];
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const answer = ({ id }: Request, result: object = {}) =>
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  const projectDir = scratchDirectory();
  const load = () => provider.loadSession(sessionId, { projectDir });
  const methods = () => requests.map(({ method }) => method).filter((method) => method !== 'initialize');

  void provider.reconnect();
  const agentCapabilities = { loadSession: true, sessionCapabilities: { close: {}, resume: {} } };
  answer(await request('initialize'), { protocolVersion: 1, agentCapabilities });
  return { provider, load, request, answer, methods };
}

describe('a kill', () => {
  it('engine/overtake codex: during a load rejects it, and the session is closed once the agent has it', async () => {
    const { provider, load, request, answer, methods } = await createRig();
    const loading = load().catch((error: unknown) => error);
    const asked = await request('session/load');
    await provider.killSession(sessionId);
    expect(await loading).toMatchObject({ code: 'CANCELLED' });
    expect(provider.isAlive(sessionId)).toBe(false);
    answer(asked);
    answer(await request('session/close'));
    expect(methods()).toEqual(['session/load', 'session/close']);
  });

  it('engine/overtake codex: makes a load that comes meanwhile wait, which then works', async () => {
    const { provider, load, request, answer, methods } = await createRig();
    const loaded = load();
    answer(await request('session/load'));
    await loaded;
    const killed = provider.killSession(sessionId);
    const again = load();
    const closing = await request('session/close');
    expect(methods()).toEqual(['session/load', 'session/close']);
    answer(closing);
    await killed;
    answer(await request('session/load', 2));
    await again;
    expect(provider.isAlive(sessionId)).toBe(true);

    const watch = watchSession(provider, sessionId);
    const turn = watch.turn('hello');
    answer(await request('session/prompt'), { stopReason: 'end_turn' });
    expect((await turn).end).toMatchObject({ type: 'turn_complete', status: 'completed' });
  });

  it('engine/overtake codex: cancels the turn at the agent before it closes the session', async () => {
    const { provider, load, request, answer, methods } = await createRig();
    const loaded = load();
    answer(await request('session/load'));
    await loaded;
    const watch = watchSession(provider, sessionId);
    const { turnId } = await provider.sendMessage(sessionId, 'hello');
    await request('session/prompt');
    const killed = provider.killSession(sessionId);
    expect(await watch.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'cancelled' });
    answer(await request('session/close'));
    await killed;
    expect(methods()).toEqual(['session/load', 'session/prompt', 'session/cancel', 'session/close']);
  });
});

describe('a second load', () => {
  it('engine/overtake codex: after a cancelled one keeps the session open', async () => {
    const { provider, load, request, answer, methods } = await createRig();
    const first = load().catch((error: unknown) => error);
    const asked = await request('session/load');
    await provider.cancelTurn(sessionId);
    expect(await first).toMatchObject({ code: 'CANCELLED' });
    const second = load();
    answer(asked);
    answer(await request('session/load', 2));
    await second;
    await new Promise((resolve) => setImmediate(resolve));
    expect(provider.isAlive(sessionId)).toBe(true);
    expect(methods()).toEqual(['session/load', 'session/load']);
  });
});
