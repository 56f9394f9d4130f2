import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { createAcpProvider } from '../../../../server/providers/acp/acp-provider.ts';
import { watchSession } from '../../../support/agents/acp-rig.ts';
import { scratchDirectory } from '../../../support/scratch-directory.ts';
import { mutate, seededRandom } from './mutations.ts';
import { createPipeHost, pipeAgent } from './pipe-host.ts';
import { readRecording, recordingNamesIn } from './recording.ts';

const MESSAGES = 10_000;

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params: { readonly sessionId: string };
}

/** The recorded lines of the real agent, all about one session and all responses to its prompt. */
function originals(sessionId: string, promptId: number): string[] {
  return recordingNamesIn('codex-acp')
    .flatMap((name) => readRecording(name))
    .flatMap((line) => (line.dir === 'in' ? [line.msg] : []))
    .map((message) => JSON.stringify({ ...message, ...(message.method === undefined && { id: promptId }) }))
    .map((line) => line.replace(/"sessionId":"[^"]*"/g, `"sessionId":"${sessionId}"`));
}

it('10,000 mutated messages break nothing, and the next valid message is handled', { timeout: 30_000 }, async () => {
  const { host, stdin, stdout } = createPipeHost();
  const projectDir = scratchDirectory();
  const problems: string[] = [];
  const provider = createAcpProvider({
    agent: pipeAgent,
    host,
    env: {},
    clock: systemClock,
    decidePermission: async () => ({ allow: true }),
    startTimeoutMs: 10_000,
    promptTimeoutMs: 600_000,
    version: '0',
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(() => provider.close());

  const write = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const prompts = new Map<string, number>();
  let sessions = 0;
  let rest = '';
  stdin.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const { id = -1, method, params } of lines.map((line): Request => JSON.parse(line))) {
      if (method === 'initialize') write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') write({ id, result: { sessionId: `s${++sessions}` } });
      if (method === 'session/prompt') prompts.set(params.sessionId, id);
      if (method === 'session/cancel')
        write({ id: prompts.get(params.sessionId), result: { stopReason: 'cancelled' } });
    }
  });
  const open = async () => {
    const { sessionId } = await provider.createSession({ projectDir });
    return { sessionId, watch: watchSession(provider, sessionId) };
  };
  const attacked = await open();
  const other = await open();
  await provider.sendMessage(attacked.sessionId, 'go');
  const { turnId } = await provider.sendMessage(other.sessionId, 'go');
  await new Promise((resolve) => setImmediate(resolve));

  const lines = originals('s1', prompts.get('s1') ?? -1);
  const random = seededRandom(20_260_101);
  for (let sent = 0; sent < MESSAGES; sent += 1) {
    const line = lines[Math.floor(random() * lines.length)] ?? '';
    stdout.write(`${mutate(line, random)}\n`);
    if (sent % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }

  const say = (sessionId: string, text: string) =>
    write({
      method: 'session/update',
      params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
    });
  say('s2', 'undisturbed');
  write({ id: prompts.get('s2'), result: { stopReason: 'end_turn' } });
  expect(await other.watch.ended(turnId)).toMatchObject({ type: 'turn_complete', status: 'completed' });
  expect(other.watch.items()).toMatchObject([{ content: 'go' }, { content: 'undisturbed', status: 'complete' }]);

  await provider.cancelTurn(attacked.sessionId);
  const again = await provider.sendMessage(attacked.sessionId, 'and now?');
  await new Promise((resolve) => setImmediate(resolve));
  say('s1', 'still here');
  write({ id: prompts.get('s1'), result: { stopReason: 'end_turn' } });
  expect(await attacked.watch.ended(again.turnId)).toMatchObject({ type: 'turn_complete', status: 'completed' });
  expect(attacked.watch.items().at(-1)).toMatchObject({ content: 'still here', turnId: again.turnId });
  expect(problems).toHaveLength(101);
  expect(problems.at(-1)).toBe('Codex sent more of the kind, which is not reported any more');
  expect(provider.statuses()).toEqual([{ cliType: 'codex', status: 'connected' }]);
});
